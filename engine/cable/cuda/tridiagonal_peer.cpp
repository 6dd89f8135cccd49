// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cable/cuda/tridiagonal_peer.hpp"

#include "engine/sparse/cuda/cusparse_library.hpp"

namespace tawara::cable::cuda {
namespace {

TridiagonalPeer open_library()
{
    TridiagonalPeer l;
    sparse::cuda::OpenedCusparse opened;
    opened.find(l.create, "cusparseCreate");
    opened.find(l.destroy, "cusparseDestroy");
    opened.find(l.set_stream, "cusparseSetStream");
    auto& d = l.of_double;
    opened.find(d.strided_room, "cusparseDgtsv2StridedBatch_bufferSizeExt");
    opened.find(d.strided, "cusparseDgtsv2StridedBatch");
    opened.find(d.interleaved_room, "cusparseDgtsvInterleavedBatch_bufferSizeExt");
    opened.find(d.interleaved, "cusparseDgtsvInterleavedBatch");
    auto& s = l.of_single;
    opened.find(s.strided_room, "cusparseSgtsv2StridedBatch_bufferSizeExt");
    opened.find(s.strided, "cusparseSgtsv2StridedBatch");
    opened.find(s.interleaved_room, "cusparseSgtsvInterleavedBatch_bufferSizeExt");
    opened.find(s.interleaved, "cusparseSgtsvInterleavedBatch");
    l.reason = opened.reason();
    return l;
}

} // namespace

const TridiagonalPeer& TridiagonalPeer::get()
{
    static const TridiagonalPeer library = open_library();
    return library;
}

} // namespace tawara::cable::cuda
