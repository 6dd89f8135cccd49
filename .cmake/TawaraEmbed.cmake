# tawara_embed(TARGET NAMESPACE FILE...): puts text files into the program. The target gets a source that
# defines NAMESPACE::embedded_files() of widgets/scene/embedded.hpp: name (without folders) and text of each.
function(tawara_embed target ns)
  set(body "")
  foreach(f IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${f})
    get_filename_component(name ${f} NAME)
    file(READ ${f} text)
    string(APPEND body "    {\"${name}\", R\"_____(${text})_____\"},\n")
  endforeach()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp)
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"// Made by CMake from shaders/ and resources/; edit those.
#include \"widgets/scene/embedded.hpp\"
#include <array>
namespace ${ns} {
namespace {
constexpr std::pair<std::string_view, std::string_view> files[] = {
${body}};
}
std::span<const std::pair<std::string_view, std::string_view>> embedded_files() { return files; }
} // namespace ${ns}
")
  target_sources(${target} PRIVATE ${out})
endfunction()
