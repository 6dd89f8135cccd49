# Takes what reads CUDA's headers, or the project's own for CUDA (.cuh), off a list of sources; a source that asks for
# TAWARA_HAVE_CUDA itself stays.
function(tawara_without_cuda list)
  set(kept "")
  foreach(file IN LISTS ${list})
    file(STRINGS ${file} needs REGEX "^#include (\".*\\.cuh\"|<cu[a-z_]*\\.h>)" LIMIT_COUNT 1)
    file(STRINGS ${file} both REGEX "^#if.*TAWARA_HAVE_CUDA" LIMIT_COUNT 1)
    if(both OR NOT needs)
      list(APPEND kept ${file})
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()
