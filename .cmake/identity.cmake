# cmake -DOUT=FILE -DFOLDER=DIR -DSOURCES=a.cpp,b.hpp -DHEADER=FILE -DSCOPE=NAMESPACE -DNAME=FUNCTION [-DCGAL=ON]
# -P identity.cmake: a C++ file with what tells one state of these sources from another.
string(REPLACE "," ";" SOURCES "${SOURCES}")
set(sums "")
foreach(name IN LISTS SOURCES)
  file(SHA256 ${FOLDER}/${name} sum)
  string(APPEND sums "${sum}")
endforeach()
string(SHA256 sum "${sums}")
set(include "")
set(version "")
if(CGAL)
  set(include "\n#include <CGAL/version.h>\n")
  set(version "CGAL \" CGAL_VERSION_STR \", ")
endif()
file(WRITE ${OUT} "// made by .cmake/identity.cmake
#include \"${HEADER}\"
${include}
namespace ${SCOPE} {

std::string_view ${NAME}()
{
    return \"${sum}, ${version}compiler \" __VERSION__
#ifdef __OPTIMIZE__
           \", optimised\"
#endif
        ;
}

} // namespace ${SCOPE}
")
