# Target "bundle": tawara-bundle.tar.xz in the build folder, with the command line, the benchmark, the device tests and
# every library but glibc's (bundle.sh). It runs where there is neither a compiler nor Qt nor VTK.
set(programs "")
set(names "")
foreach(t tawara-cli tawara-bench test_core test_stepper test_stimulus test_cuda test_cuda_models test_nvrtc)
  if(TARGET ${t})
    list(APPEND programs $<TARGET_FILE:${t}>)
    list(APPEND names ${t})
  endif()
endforeach()
add_custom_target(bundle
  COMMAND bash ${CMAKE_SOURCE_DIR}/.cmake/bundle.sh ${CMAKE_BINARY_DIR}/tawara-bundle.tar.xz ${programs}
  DEPENDS ${names} VERBATIM)
