// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/cuda/cusparse_library.hpp"

#include <dlfcn.h>

namespace tawara::sparse::cuda {
namespace {

template <class Function>
void find(CusparseLibrary& l, void* opened, Function& f, const char* name)
{
    f = reinterpret_cast<Function>(dlsym(opened, name));
    if (!f && l.reason.empty())
        l.reason = "the library cuSPARSE has no function " + std::string(name);
}

CusparseLibrary open_library()
{
    CusparseLibrary l;
    void* opened = nullptr;
    for (const char* name : {"libcusparse.so.12", "libcusparse.so"})
        if (!opened)
            opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
        const char* why = dlerror();
        l.reason = "the library cuSPARSE is not there (" + std::string(why ? why : "") +
                   "); LD_LIBRARY_PATH may name its folder";
        return l;
    }
    find(l, opened, l.create, "cusparseCreate");
    find(l, opened, l.destroy, "cusparseDestroy");
    find(l, opened, l.version, "cusparseGetVersion");
    find(l, opened, l.text_of, "cusparseGetErrorString");
    find(l, opened, l.set_stream, "cusparseSetStream");
    find(l, opened, l.create_csr, "cusparseCreateCsr");
    find(l, opened, l.create_coo, "cusparseCreateCoo");
    find(l, opened, l.create_sell, "cusparseCreateSlicedEll");
    find(l, opened, l.create_bsr, "cusparseCreateBsr");
    find(l, opened, l.destroy_matrix, "cusparseDestroySpMat");
    find(l, opened, l.create_vector, "cusparseCreateDnVec");
    find(l, opened, l.destroy_vector, "cusparseDestroyDnVec");
    find(l, opened, l.set_vector, "cusparseDnVecSetValues");
    find(l, opened, l.buffer_size, "cusparseSpMV_bufferSize");
    find(l, opened, l.preprocess, "cusparseSpMV_preprocess");
    find(l, opened, l.multiply, "cusparseSpMV");
    return l;
}

} // namespace

const CusparseLibrary& CusparseLibrary::get()
{
    static const CusparseLibrary library = open_library();
    return library;
}

} // namespace tawara::sparse::cuda
