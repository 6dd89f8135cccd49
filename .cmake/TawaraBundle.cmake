# Target "bundle": tawara-bundle.tar.xz in the build folder, with the window, the command line, benchmarks, tests and
# everything but glibc (bundle.sh). It runs where there is neither a compiler nor Qt nor VTK. "bundle-small" is the same
# without NVIDIA's run-time compiler, for machines that have the CUDA toolkit.
option(TAWARA_BUNDLE_NVRTC "put NVRTC into the bundle (110 MB before packing)" ON)
option(TAWARA_BUNDLE_HEADLESS "put a virtual display and software OpenGL into the bundle" ON)
set(nvrtc "")
if(TAWARA_HAVE_CUDA AND TAWARA_BUNDLE_NVRTC)
  get_filename_component(nvrtc "${CMAKE_CUDA_COMPILER}" REALPATH)
  get_filename_component(nvrtc "${nvrtc}" DIRECTORY)
  find_path(TAWARA_NVRTC_FOLDER NAMES libnvrtc.so.13 libnvrtc.so.12 HINTS ${nvrtc}/../lib64 ${nvrtc}/../lib NO_DEFAULT_PATH)
  set(nvrtc "${TAWARA_NVRTC_FOLDER}")
  if(NOT nvrtc)
    set(nvrtc "")
    message(STATUS "bundle: NVRTC was not found beside nvcc; the bundle will be without it")
  endif()
endif()
set(programs "")
set(names "")
foreach(t tawara tawara-cli tawara-bench tawara-bench-window test_core test_contract test_stepper test_stimulus test_cuda test_cuda_models
    test_cuda_implicit test_nvrtc test_interop test_window test_panels test_scene)
  if(TARGET ${t})
    list(APPEND programs $<TARGET_FILE:${t}>)
    list(APPEND names ${t})
  endif()
endforeach()
foreach(kind bundle bundle-small)
  set(with "${nvrtc}")
  set(file ${CMAKE_BINARY_DIR}/tawara-${kind}.tar.xz)
  if(kind STREQUAL "bundle-small")
    set(with "")
  endif()
  add_custom_target(${kind}
    COMMAND ${CMAKE_COMMAND} -E env NVRTC=${with} HEADLESS=$<BOOL:${TAWARA_BUNDLE_HEADLESS}>
      bash ${CMAKE_SOURCE_DIR}/.cmake/bundle.sh ${file} ${programs}
    DEPENDS ${names} VERBATIM)
endforeach()
