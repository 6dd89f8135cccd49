# cmake -DOUT=FILE -DFOLDER=DIR -DSOURCES=a.cpp,b.hpp -P identity.cmake: a C++ file with what tells one state of these
# sources from another.
string(REPLACE "," ";" SOURCES "${SOURCES}")
set(sums "")
foreach(name IN LISTS SOURCES)
  file(SHA256 ${FOLDER}/${name} sum)
  string(APPEND sums "${sum}")
endforeach()
string(SHA256 sum "${sums}")
file(WRITE ${OUT} "// made by .cmake/identity.cmake
#include \"engine/mesh/generator/identity.hpp\"

#include <CGAL/version.h>

namespace tawara::mesh::generator {

std::string_view identity()
{
    return \"${sum}, CGAL \" CGAL_VERSION_STR \", compiler \" __VERSION__
#ifdef __OPTIMIZE__
           \", optimised\"
#endif
        ;
}

} // namespace tawara::mesh::generator
")
