// SPDX-License-Identifier: GPL-3.0-or-later
// Debian's libGLEW knows GLX only: in an EGL context its glewInit() loads every function and then
// reports that there is no GLX display, upon which VTK refuses to draw. A program that exports this
// function (link options in widgets/CMakeLists.txt) overrules the library's and drops that one
// error.
#include <GL/glew.h>
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) GLenum GLEWAPIENTRY glewInit()
{
    using Function = GLenum(GLEWAPIENTRY*)();
    static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "glewInit"));
    glewExperimental = GL_TRUE;
    const GLenum result = original != nullptr ? original() : GLEW_ERROR_NO_GL_VERSION;
    return result == GLEW_ERROR_NO_GLX_DISPLAY ? GLEW_OK : result;
}
