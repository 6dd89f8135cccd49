# tawara_layer(NAME DIR folder [USES layer...] [LINKS library...] [PRIVATE_LINKS library...] [QT] [RECURSE]
#              [PRECOMPILED target] [SEPARATE] [ALONE file...])
#
# One static library per folder: all its .cpp (and .cu) files, found by name; with RECURSE those
# of its subfolders too. USES are the layers it may include and
# links to; the list is also written to layers.txt, against which tests/layering checks every #include.
include(CMakeParseArguments)

add_library(tawara_options INTERFACE)
target_compile_features(tawara_options INTERFACE cxx_std_20)
target_include_directories(tawara_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(tawara_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    -ffp-contract=off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about copies inside std::string (its bug 105651); of precompiled headers in three ways
  target_compile_options(tawara_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
endif()
if(TAWARA_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU) # meant for headers, it takes an included source for one
  target_compile_options(tawara_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(TAWARA_WERROR)
  target_compile_options(tawara_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings,default-stream-launch>)
endif()
if(TAWARA_SANITIZE)
  target_compile_options(tawara_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TAWARA_SANITIZE} -fno-omit-frame-pointer>)
  target_link_options(tawara_options INTERFACE -fsanitize=${TAWARA_SANITIZE})
endif()
# Programs that read other people's files are hardened, in release builds without sanitizers.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX) # with CMAKE_POSITION_INDEPENDENT_CODE programs are linked with -pie
if(NOT TAWARA_SANITIZE)
  target_compile_options(tawara_options INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
  target_link_options(tawara_options INTERFACE $<$<CONFIG:Release>:LINKER:-z,relro,-z,now>)
endif()
if(TAWARA_HAVE_CUDA)
  target_compile_definitions(tawara_options INTERFACE TAWARA_HAVE_CUDA=1)
endif()
target_link_libraries(tawara_options INTERFACE Threads::Threads)

# tawara_precompiled(NAME header [library...]): a header that is compiled once, for targets that reuse it of NAME. The
# standard library is two thirds of what most files would read. -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
function(tawara_precompiled name header)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
  target_link_libraries(${name} PRIVATE tawara_options ${ARGN})
  target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/.cmake/${header})
endfunction()
tawara_precompiled(tawara_standard_pch standard.hpp)
if(TAWARA_GUI)
  tawara_precompiled(tawara_widgets_pch widgets.hpp Qt6::Widgets)
  target_compile_definitions(tawara_widgets_pch PRIVATE QT_NO_KEYWORDS)
endif()

function(tawara_reuse_precompiled target from)
  if(TAWARA_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU) # so that ccache knows what a precompiled header holds
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${from})
endfunction()

# Takes what reads CUDA's headers, or the project's own for CUDA (.cuh), off a list of sources.
function(tawara_without_cuda list)
  set(kept "")
  foreach(file IN LISTS ${list})
    file(STRINGS ${file} needs REGEX "^#include (\".*\\.cuh\"|<cu[a-z_]*\\.h>)" LIMIT_COUNT 1)
    if(NOT needs)
      list(APPEND kept ${file})
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# With TAWARA_UNITY several sources of a layer are compiled as one, so that what they include is read once. Alone stay
# those for CUDA, with options of their own, with macros of their own, and those that ALONE names. SEPARATE layers, whose
# sources include little, gain nothing: tests/layering would compile each header by itself.
function(tawara_unity target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.(cpp|cu)$")
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME)
    set(macros "")
    if(source MATCHES "\\.cpp$")
      file(STRINGS ${source} macros REGEX "^#[ ]*(define|undef)" LIMIT_COUNT 1)
    endif()
    if(macros OR name MATCHES "\\.cu$" OR name IN_LIST ARGN)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(tawara_layer name)
  cmake_parse_arguments(L "QT;RECURSE;SEPARATE" "DIR;PRECOMPILED" "USES;LINKS;PRIVATE_LINKS;ALONE" ${ARGN})
  set(dir ${CMAKE_SOURCE_DIR}/${L_DIR})
  set(glob GLOB)
  if(L_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS ${dir}/*.cpp ${dir}/*.hpp)
  if(TAWARA_HAVE_CUDA)
    file(${glob} cuda CONFIGURE_DEPENDS ${dir}/*.cu ${dir}/*.cuh)
    list(APPEND sources ${cuda})
  endif()
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT TAWARA_HAVE_CUDA)
    tawara_without_cuda(sources)
  endif()
  set(units ${sources})
  list(FILTER units INCLUDE REGEX "\\.(cpp|cu)$")
  set(links ${L_LINKS})
  foreach(u ${L_USES})
    list(APPEND links tawara_${u})
  endforeach()
  if(units)
    add_library(tawara_${name} STATIC ${sources})
    set(precompiled tawara_standard_pch)
    if(L_PRECOMPILED)
      set(precompiled ${L_PRECOMPILED})
    elseif("${L_LINKS}" MATCHES "Qt6::(OpenGL)?Widgets")
      set(precompiled tawara_widgets_pch)
    endif()
    tawara_reuse_precompiled(tawara_${name} ${precompiled})
    if(L_QT)
      set_target_properties(tawara_${name} PROPERTIES AUTOMOC ON)
      target_compile_definitions(tawara_${name} PUBLIC QT_NO_KEYWORDS)
    endif()
    target_link_libraries(tawara_${name} PUBLIC tawara_options ${links} PRIVATE ${L_PRIVATE_LINKS})
    if(TAWARA_UNITY AND NOT L_SEPARATE)
      tawara_unity(tawara_${name} ${L_ALONE})
      set_property(GLOBAL APPEND PROPERTY TAWARA_UNITED ${name})
      set_property(GLOBAL PROPERTY TAWARA_PRECOMPILED_${name} ${precompiled})
    endif()
  else()
    add_library(tawara_${name} INTERFACE)
    target_link_libraries(tawara_${name} INTERFACE tawara_options ${links})
  endif()
  set_property(GLOBAL APPEND PROPERTY TAWARA_LAYERS "${name}|${L_DIR}|${L_USES}")
endfunction()

# Writes layers.txt: a line per layer, "name|folder|used;layers".
function(tawara_write_layers)
  get_property(layers GLOBAL PROPERTY TAWARA_LAYERS)
  set(text "")
  foreach(l IN LISTS layers)
    # list items whose own ';' were kept as separators: join what belongs to one record
    if(l MATCHES "\\|")
      string(APPEND text "\n${l}")
    else()
      string(APPEND text ";${l}")
    endif()
  endforeach()
  string(REGEX REPLACE "^\n" "" text "${text}")
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/layers.txt CONTENT "${text}\n")
endfunction()

# What tests are built with: -O1, since what is slow is in the layers, and the gold linker where it is installed, which
# links them in a third of the time.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold TAWARA_HAVE_GOLD)
function(tawara_test_options target)
  target_link_libraries(${target} PRIVATE tawara_options Qt6::Core Qt6::Test)
  target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS TAWARA_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    TAWARA_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<COMPILE_LANGUAGE:CXX>:-UQT_TESTCASE_BUILDDIR>
    $<$<COMPILE_LANGUAGE:CXX>:-UQT_TESTCASE_SOURCEDIR>)
  if(TAWARA_HAVE_GOLD AND NOT TAWARA_SANITIZE)
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
endfunction()
if(TAWARA_TESTS)
  tawara_precompiled(tawara_test_pch tests.hpp)
  tawara_test_options(tawara_test_pch)
  if(TAWARA_GUI) # QtTest has more in it where Qt's windows are
    tawara_precompiled(tawara_gui_test_pch tests.hpp Qt6::Widgets)
    tawara_test_options(tawara_gui_test_pch)
  endif()
endif()

# moc is called once for each file that wants it: AUTOMOC's scan of each program took a tenth of all the build
function(tawara_moc from to)
  add_custom_command(OUTPUT ${to} DEPENDS ${from}
    COMMAND ${CMAKE_COMMAND} -E make_directory moc
    COMMAND Qt6::moc -DQT_NO_KEYWORDS -o ${to} ${from} VERBATIM)
endfunction()

# tawara_test(NAME layer... SOURCES are tests/FOLDER/NAME.cpp) : a Qt Test program with its own ctest entry.
# Options: FOLDER f, USES layers, LINKS libraries, GUI (runs under a virtual display), TIMEOUT s, SOURCES files beside it:
# tests of further classes (test_*.cpp, tests/several.hpp), headers with such, others.
function(tawara_test name)
  cmake_parse_arguments(T "GUI" "FOLDER;TIMEOUT" "USES;LINKS;SOURCES" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600) # a host that has other work may take ten times as long
  endif()
  tawara_moc(${CMAKE_SOURCE_DIR}/tests/${T_FOLDER}/${name}.cpp moc/${name}.moc)
  foreach(source ${T_SOURCES})
    if(source MATCHES "^(test_.*)\\.cpp$")
      tawara_moc(${CMAKE_CURRENT_SOURCE_DIR}/${source} moc/${CMAKE_MATCH_1}.moc)
      list(APPEND T_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/moc/${CMAKE_MATCH_1}.moc)
    elseif(source MATCHES "^(.*)\\.hpp$")
      tawara_moc(${CMAKE_CURRENT_SOURCE_DIR}/${source} moc/moc_${CMAKE_MATCH_1}.cpp)
      list(APPEND T_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/moc/moc_${CMAKE_MATCH_1}.cpp)
    endif()
  endforeach()
  add_executable(${name} ${CMAKE_SOURCE_DIR}/tests/${T_FOLDER}/${name}.cpp ${CMAKE_CURRENT_BINARY_DIR}/moc/${name}.moc
    ${T_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/moc)
  tawara_test_options(${name})
  set(links ${T_LINKS})
  foreach(u ${T_USES})
    list(APPEND links tawara_${u})
  endforeach()
  target_link_libraries(${name} PRIVATE ${links})
  if(T_GUI)
    target_link_libraries(${name} PRIVATE Qt6::Widgets)
    tawara_reuse_precompiled(${name} tawara_gui_test_pch)
    add_test(NAME ${T_FOLDER}.${name} COMMAND xvfb-run -a -s "-screen 0 1920x1080x24" $<TARGET_FILE:${name}>)
  else()
    tawara_reuse_precompiled(${name} tawara_test_pch)
    add_test(NAME ${T_FOLDER}.${name} COMMAND ${name})
  endif()
  set_tests_properties(${T_FOLDER}.${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS ${T_FOLDER})
endfunction()
