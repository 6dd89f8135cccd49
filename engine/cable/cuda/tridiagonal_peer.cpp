// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/cuda/tridiagonal_peer.hpp"

#include <dlfcn.h>

namespace tawara::cable::cuda {
namespace {

template <class Function>
void find(TridiagonalPeer& l, void* opened, Function& f, const char* name)
{
    f = reinterpret_cast<Function>(dlsym(opened, name));
    if (!f && l.reason.empty())
        l.reason = "the library cuSPARSE has no function " + std::string(name);
}

TridiagonalPeer open_library()
{
    TridiagonalPeer l;
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
    find(l, opened, l.set_stream, "cusparseSetStream");
    auto& d = l.of_double;
    find(l, opened, d.strided_room, "cusparseDgtsv2StridedBatch_bufferSizeExt");
    find(l, opened, d.strided, "cusparseDgtsv2StridedBatch");
    find(l, opened, d.interleaved_room, "cusparseDgtsvInterleavedBatch_bufferSizeExt");
    find(l, opened, d.interleaved, "cusparseDgtsvInterleavedBatch");
    auto& s = l.of_single;
    find(l, opened, s.strided_room, "cusparseSgtsv2StridedBatch_bufferSizeExt");
    find(l, opened, s.strided, "cusparseSgtsv2StridedBatch");
    find(l, opened, s.interleaved_room, "cusparseSgtsvInterleavedBatch_bufferSizeExt");
    find(l, opened, s.interleaved, "cusparseSgtsvInterleavedBatch");
    return l;
}

} // namespace

const TridiagonalPeer& TridiagonalPeer::get()
{
    static const TridiagonalPeer library = open_library();
    return library;
}

} // namespace tawara::cable::cuda
