// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/device/display_feed.hpp"
#include "widgets/scene/display_source.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// The piece that knows both CUDA and OpenGL: it writes the engine's fields into OpenGL's buffers.
namespace tawara::interop {

/// What the sources of all views take their values from; null: nothing. GUI thread.
struct Slot
{
    std::shared_ptr<device::DisplayFeed> feed;
};

/// Why the current OpenGL context can have nothing written by CUDA, as far as can be told without
/// starting CUDA; empty where it may.
/// @pre  a context is current on this thread
std::string context_reason();

/// The GPU that draws the current context, for people.
/// @pre  context_reason() is empty and CUDA runs already (else this starts it: half a second)
std::string drawing_gpu();

/// A source that registers its scene's buffer with CUDA, lets the GPU that draws fetch the newest
/// field of the slot's feed (over the link between GPUs where another one computes) and hands the
/// buffer back to OpenGL. Nothing waits on the host, nothing passes through it.
std::unique_ptr<scene::DisplaySource> make_source(std::shared_ptr<Slot> slot);

/// What an OpenGL buffer of floats holds, for tests.
/// @pre  its context is current
std::vector<float> read_buffer(unsigned int buffer, std::size_t size);

} // namespace tawara::interop
