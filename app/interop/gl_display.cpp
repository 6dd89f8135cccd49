// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/interop/gl_display.hpp"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#ifdef TAWARA_HAVE_CUDA
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#endif

namespace tawara::interop {

std::vector<float> read_buffer(unsigned int buffer, std::size_t size)
{
    std::vector<float> values(size);
    glFinish();
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(size * sizeof(float)),
                       values.data());
    glBindBuffer(GL_COPY_READ_BUFFER, 0);
    return values;
}

#ifndef TAWARA_HAVE_CUDA

std::string context_reason()
{
    return "this program was built without CUDA";
}
std::string drawing_gpu()
{
    return {};
}
std::unique_ptr<scene::DisplaySource> make_source(std::shared_ptr<Slot>)
{
    return {};
}

#else

namespace {

std::string gl_text(GLenum name)
{
    const auto* s = reinterpret_cast<const char*>(glGetString(name));
    return s != nullptr ? s : "";
}

} // namespace

std::string context_reason()
{
    const auto vendor = gl_text(GL_VENDOR);
    if (vendor.find("NVIDIA") == std::string::npos)
        return "the OpenGL context is not NVIDIA's but " + gl_text(GL_RENDERER);
    return {};
}

namespace {

/// The GPU of the current context; below 0 with the reason.
int drawing_device(std::string& why)
{
    unsigned count = 0;
    int device = -1;
    const auto status = cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll);
    if (status == cudaSuccess && count > 0)
        return device;
    cudaGetLastError();
    why = "CUDA does not know the GPU that draws";
    if (status != cudaSuccess)
        why += std::string(": ") + cudaGetErrorString(status);
    return -1;
}

/// Makes a device current for a scope.
class OnDevice
{
  public:
    explicit OnDevice(int device)
    {
        cudaGetDevice(&former_);
        cudaSetDevice(device);
    }
    ~OnDevice() { cudaSetDevice(former_); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

  private:
    int former_ = 0;
};

class GlSource final : public scene::DisplaySource
{
  public:
    explicit GlSource(std::shared_ptr<Slot> slot) : slot_(std::move(slot)) {}
    ~GlSource() override
    {
        release();
        if (stream_ != nullptr)
            cudaStreamDestroy(stream_);
    }

    std::optional<double> write(unsigned int buffer, std::span<const std::int32_t> vertex,
                                float missing) override
    {
        if (!error_.empty() || !slot_->feed)
            return {};
        try {
            if (buffer != buffer_ || vertex.size() != size_)
                attach(buffer, vertex);
            if (error_.empty() && slot_->feed->newest().number != written_.number)
                copy(missing);
        } catch (const std::exception& e) {
            error_ = e.what();
        }
        if (!error_.empty() || written_.number == 0)
            return {};
        return written_.time_ms;
    }

    void release() noexcept override
    {
        if (vertex_ != nullptr) {
            const OnDevice here(device_);
            cudaStreamSynchronize(stream_); // what was enqueued still reads the list of vertices
            if (resource_ != nullptr)
                cudaGraphicsUnregisterResource(resource_);
            cudaFree(vertex_);
            cudaGetLastError(); // a failure here has no one to be told to
        }
        resource_ = nullptr, vertex_ = nullptr;
        buffer_ = 0, size_ = 0, written_ = {};
    }

    const std::string& error() const override { return error_; }

  private:
    /// Whether a call went well; else error() says which did not.
    bool done(cudaError_t status, const char* call)
    {
        if (status == cudaSuccess)
            return true;
        cudaGetLastError();
        error_ = std::string(call) + ": " + cudaGetErrorString(status);
        return false;
    }

    void attach(unsigned int buffer, std::span<const std::int32_t> vertex)
    {
        release();
        if (device_ < 0 && (device_ = drawing_device(error_)) < 0)
            return;
        const OnDevice here(device_);
        int least = 0, greatest = 0;
        if (stream_ == nullptr &&
            (!done(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream priorities") ||
             // before the steps that are enqueued already: it is short
             !done(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest),
                   "cudaStreamCreateWithPriority")))
            return;
        if (!done(cudaMalloc(reinterpret_cast<void**>(&vertex_), vertex.size_bytes()),
                  "cudaMalloc") ||
            !done(cudaMemcpyAsync(vertex_, vertex.data(), vertex.size_bytes(),
                                  cudaMemcpyHostToDevice, stream_),
                  "cudaMemcpyAsync"))
            return;
        if (!done(cudaGraphicsGLRegisterBuffer(&resource_, buffer,
                                               cudaGraphicsRegisterFlagsWriteDiscard),
                  "cudaGraphicsGLRegisterBuffer"))
            return;
        buffer_ = buffer;
        size_ = vertex.size();
    }

    void copy(float missing)
    {
        const OnDevice here(device_);
        if (!done(cudaGraphicsMapResources(1, &resource_, stream_), "cudaGraphicsMapResources"))
            return;
        device::DisplayFeed::Target t;
        std::size_t bytes = 0;
        device::DisplayFeed::Field field;
        if (done(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&t.out), &bytes,
                                                      resource_),
                 "cudaGraphicsResourceGetMappedPointer")) {
            if (bytes < size_ * sizeof(float)) {
                error_ = "OpenGL's buffer is smaller than the field";
            } else {
                t.vertex = vertex_, t.size = size_, t.missing = missing;
                t.device = device_, t.stream = stream_;
                try {
                    field = slot_->feed->write(t);
                } catch (const std::exception& e) {
                    error_ = e.what();
                }
            }
        }
        // orders what was enqueued before OpenGL's next commands
        if (done(cudaGraphicsUnmapResources(1, &resource_, stream_),
                 "cudaGraphicsUnmapResources") &&
            error_.empty())
            written_ = field;
    }

    std::shared_ptr<Slot> slot_;
    cudaStream_t stream_ = nullptr;
    cudaGraphicsResource_t resource_ = nullptr;
    std::int32_t* vertex_ = nullptr;
    int device_ = -1;
    unsigned int buffer_ = 0;
    std::size_t size_ = 0;
    device::DisplayFeed::Field written_;
    std::string error_;
};

} // namespace

std::string drawing_gpu()
{
    std::string why;
    const int device = drawing_device(why);
    cudaDeviceProp p{};
    if (device < 0 || cudaGetDeviceProperties(&p, device) != cudaSuccess)
        return {};
    return std::string(p.name) + " (cuda:" + std::to_string(device) + ")";
}

std::unique_ptr<scene::DisplaySource> make_source(std::shared_ptr<Slot> slot)
{
    return std::make_unique<GlSource>(std::move(slot));
}

#endif

} // namespace tawara::interop
