# cmake -DOUT=FILE -DFOLDER=DIR -DTEXTS=a.cuh,b.cuh -P texts.cmake: a C++ file whose functions a_text(), b_text() return
# what these files hold.
set(out "// made by .cmake/texts.cmake\n#include \"engine/device/cuda/kernel_texts.hpp\"\n\nnamespace tawara::device::cuda {\n")
string(REPLACE "," ";" TEXTS "${TEXTS}")
foreach(name IN LISTS TEXTS)
  file(READ ${FOLDER}/${name} text)
  get_filename_component(function ${name} NAME_WE)
  string(APPEND out "\nconst char* ${function}_text()\n{\n    return R\"text(${text})text\";\n}\n")
endforeach()
file(WRITE ${OUT} "${out}\n} // namespace tawara::device::cuda\n")
