// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/cuda/cusparse_library.hpp"

#include <dlfcn.h>

namespace tawara::sparse::cuda {
OpenedCusparse::OpenedCusparse()
{
    for (const char* name : {"libcusparse.so.12", "libcusparse.so"})
        if (!opened_)
            opened_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (opened_)
        return;
    const char* why = dlerror();
    reason_ = "the library cuSPARSE is not there (" + std::string(why ? why : "") +
              "); LD_LIBRARY_PATH may name its folder";
}

void* OpenedCusparse::address(const char* name)
{
    void* const found = opened_ ? dlsym(opened_, name) : nullptr;
    if (!found && reason_.empty())
        reason_ = "the library cuSPARSE has no function " + std::string(name);
    return found;
}

namespace {

CusparseLibrary open_library()
{
    CusparseLibrary l;
    OpenedCusparse opened;
    opened.find(l.create, "cusparseCreate");
    opened.find(l.destroy, "cusparseDestroy");
    opened.find(l.version, "cusparseGetVersion");
    opened.find(l.text_of, "cusparseGetErrorString");
    opened.find(l.set_stream, "cusparseSetStream");
    opened.find(l.create_csr, "cusparseCreateCsr");
    opened.find(l.create_coo, "cusparseCreateCoo");
    opened.find(l.create_sell, "cusparseCreateSlicedEll");
    opened.find(l.create_bsr, "cusparseCreateBsr");
    opened.find(l.destroy_matrix, "cusparseDestroySpMat");
    opened.find(l.create_vector, "cusparseCreateDnVec");
    opened.find(l.destroy_vector, "cusparseDestroyDnVec");
    opened.find(l.set_vector, "cusparseDnVecSetValues");
    opened.find(l.buffer_size, "cusparseSpMV_bufferSize");
    opened.find(l.preprocess, "cusparseSpMV_preprocess");
    opened.find(l.multiply, "cusparseSpMV");
    l.reason = opened.reason();
    return l;
}

} // namespace

const CusparseLibrary& CusparseLibrary::get()
{
    static const CusparseLibrary library = open_library();
    return library;
}

} // namespace tawara::sparse::cuda
