// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/movie/movie_writer.hpp"

#include "engine/core/error.hpp"
#include "engine/core/part_file.hpp"
#include "engine/core/provenance.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string_view>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

namespace tawara::movie {
namespace {

struct Kind
{
    const char *extension, *encoder, *format;
};
constexpr Kind kinds[] = {{".mp4", "libx264", "mp4"}, {".webm", "libvpx-vp9", "webm"}};

constexpr int largest = 16384;

/// FFmpeg writes to standard error by itself; errors come back as codes as well.
void silence()
{
    static std::once_flag once;
    std::call_once(once, [] { av_log_set_level(AV_LOG_QUIET); });
}

std::string text_of(int code)
{
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(code, text, sizeof text);
    return text;
}

const Kind& kind_of(const std::filesystem::path& file)
{
    std::string e = file.extension().string();
    std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const auto& k : kinds)
        if (e == k.extension)
            return k;
    throw InputError(file.string(), "movies are written as .mp4 (H.264) or .webm (VP9); want one "
                                    "of these extensions");
}

struct FreeContext
{
    void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
};
struct FreeFrame
{
    void operator()(AVFrame* p) const { av_frame_free(&p); }
};
struct FreePacket
{
    void operator()(AVPacket* p) const { av_packet_free(&p); }
};
struct FreeScaler
{
    void operator()(SwsContext* p) const { sws_freeContext(p); }
};
struct FreeFormat
{
    void operator()(AVFormatContext* p) const
    {
        if (p->pb)
            avio_closep(&p->pb);
        avformat_free_context(p);
    }
};

} // namespace

struct MovieWriter::Impl
{
    Impl(const std::filesystem::path& file, MovieOptions o)
        : options(std::move(o)), kind(kind_of(file)), part(file)
    {
    }
    void open_encoder();
    void open_file();
    void begin();
    void make_converter();
    void encode(const AVFrame* f);
    void check(int code, const char* what) const
    {
        if (code < 0)
            throw InputError(part.target().string(), std::string(what) + ": " + text_of(code));
    }

    MovieOptions options;
    const Kind& kind;
    PartFile part; // outlives the open file
    std::unique_ptr<AVFormatContext, FreeFormat> format;
    std::unique_ptr<AVCodecContext, FreeContext> codec;
    std::unique_ptr<AVFrame, FreeFrame> frame;
    std::unique_ptr<AVPacket, FreePacket> packet;
    std::unique_ptr<SwsContext, FreeScaler> converter;
    AVStream* stream = nullptr;
    std::int64_t frames = 0;
};

void MovieWriter::Impl::open_encoder()
{
    const AVCodec* encoder = avcodec_find_encoder_by_name(kind.encoder);
    if (encoder == nullptr)
        throw InputError(part.target().string(), std::string("this FFmpeg cannot write ") +
                                                     kind.extension + " (it lacks " + kind.encoder +
                                                     "); choose the other of .mp4 and .webm");
    codec.reset(avcodec_alloc_context3(encoder));
    auto& c = *codec;
    c.width = options.width;
    c.height = options.height;
    c.pix_fmt = AV_PIX_FMT_YUV420P;
    c.framerate = av_d2q(options.frames_per_second, 100'000);
    c.time_base = av_inv_q(c.framerate);
    c.gop_size = static_cast<int>(std::lround(std::max(1.0, 2 * options.frames_per_second)));
    c.color_range = AVCOL_RANGE_MPEG;
    c.colorspace = AVCOL_SPC_BT709;
    c.color_primaries = AVCOL_PRI_BT709;
    c.color_trc = AVCOL_TRC_BT709;
    c.thread_count = 0;
    if (format->oformat->flags & AVFMT_GLOBALHEADER)
        c.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    const double coarse = 1 - std::clamp(options.quality, 0, 100) / 100.0;
    if (std::string_view(kind.encoder) == "libx264") {
        av_opt_set(c.priv_data, "preset", "fast", 0);
        av_opt_set_double(c.priv_data, "crf", 10 + 28 * coarse, 0);
    } else {
        av_opt_set(c.priv_data, "deadline", "good", 0);
        av_opt_set_int(c.priv_data, "cpu-used", 5, 0);
        av_opt_set_int(c.priv_data, "row-mt", 1, 0);
        av_opt_set_int(c.priv_data, "crf", std::lround(12 + 40 * coarse), 0);
        c.bit_rate = 0;
    }
    check(avcodec_open2(&c, encoder, nullptr), "the encoder refused these settings");
}

void MovieWriter::Impl::open_file()
{
    stream = avformat_new_stream(format.get(), nullptr);
    check(avcodec_parameters_from_context(stream->codecpar, codec.get()), "no stream");
    stream->time_base = codec->time_base;
    stream->avg_frame_rate = codec->framerate;
    const int code = avio_open(&format->pb, part.path().c_str(), AVIO_FLAG_WRITE);
    if (code < 0)
        throw InputError(part.target().string(),
                         "cannot be written: " + text_of(code) + "; choose another folder");
}

/// With the first frame: until then it may be told what the file is to say of itself.
void MovieWriter::Impl::begin()
{
    if (!options.title.empty())
        av_dict_set(&format->metadata, "title", options.title.c_str(), 0);
    const auto by = options.provenance.empty() ? program_provenance() : options.provenance;
    av_dict_set(&format->metadata, "comment", by.c_str(), 0);
    AVDictionary* settings = nullptr;
    if (std::string_view(kind.format) == "mp4")
        av_dict_set(&settings, "movflags", "+faststart", 0); // plays while it is still loading
    const int header = avformat_write_header(format.get(), &settings);
    av_dict_free(&settings);
    check(header, "the file could not be begun");
}

void MovieWriter::Impl::make_converter()
{
    converter.reset(sws_getContext(options.width, options.height, AV_PIX_FMT_RGBA, options.width,
                                   options.height, AV_PIX_FMT_YUV420P,
                                   SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr,
                                   nullptr, nullptr));
    if (!converter)
        throw InputError(part.target().string(), "frames of that size cannot be converted");
    const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(converter.get(), bt709, 1, bt709, 0, 0, 1 << 16, 1 << 16);
    frame.reset(av_frame_alloc());
    frame->format = AV_PIX_FMT_YUV420P;
    frame->width = options.width;
    frame->height = options.height;
    check(av_frame_get_buffer(frame.get(), 0), "no memory for a frame");
    packet.reset(av_packet_alloc());
}

void MovieWriter::Impl::encode(const AVFrame* f)
{
    check(avcodec_send_frame(codec.get(), f), "a frame could not be encoded");
    for (;;) {
        const int code = avcodec_receive_packet(codec.get(), packet.get());
        if (code == AVERROR(EAGAIN) || code == AVERROR_EOF)
            return;
        check(code, "a frame could not be encoded");
        if (packet->duration == 0)
            packet->duration = 1;
        av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
        packet->stream_index = stream->index;
        check(av_interleaved_write_frame(format.get(), packet.get()),
              "writing failed; is the disk full?");
    }
}

MovieWriter::MovieWriter(const std::filesystem::path& file, const MovieOptions& o)
{
    silence();
    const std::string name = file.string();
    (void)kind_of(file);
    if (o.width < 16 || o.height < 16 || o.width > largest || o.height > largest || o.width % 2 ||
        o.height % 2)
        throw InputError(name, "a movie of " + std::to_string(o.width) + " x " +
                                   std::to_string(o.height) +
                                   " pixels; want even sizes from 16 to 16384");
    if (!(o.frames_per_second >= 1 && o.frames_per_second <= 240))
        throw InputError(name, "a movie of " + std::to_string(o.frames_per_second) +
                                   " frames per second; want 1 to 240");
    impl_ = std::make_unique<Impl>(file, o);
    AVFormatContext* format = nullptr;
    impl_->check(avformat_alloc_output_context2(&format, nullptr, impl_->kind.format,
                                                impl_->part.path().c_str()),
                 "this FFmpeg lacks the format");
    impl_->format.reset(format);
    impl_->open_encoder();
    impl_->open_file();
    impl_->make_converter();
}

MovieWriter::~MovieWriter() = default;

void MovieWriter::set_provenance(std::string text)
{
    impl_->options.provenance = std::move(text);
}

void MovieWriter::add(std::span<const std::uint8_t> rgba, std::size_t bytes_per_row)
{
    auto& s = *impl_;
    const auto height = static_cast<std::size_t>(s.options.height);
    const auto row = 4 * static_cast<std::size_t>(s.options.width);
    if (bytes_per_row < row || rgba.size() < (height - 1) * bytes_per_row + row)
        throw Error("a frame smaller than the movie");
    if (s.frames == 0)
        s.begin();
    s.check(av_frame_make_writable(s.frame.get()), "no memory for a frame");
    const std::uint8_t* planes[] = {rgba.data()};
    const int strides[] = {static_cast<int>(bytes_per_row)};
    sws_scale(s.converter.get(), planes, strides, 0, s.options.height, s.frame->data,
              s.frame->linesize);
    s.frame->pts = s.frames++;
    s.encode(s.frame.get());
}

void MovieWriter::finish()
{
    auto& s = *impl_;
    if (s.frames == 0)
        throw InputError(s.part.target().string(), "there are no frames to make a movie of");
    s.encode(nullptr);
    s.check(av_write_trailer(s.format.get()), "the file could not be ended; is the disk full?");
    s.check(avio_closep(&s.format->pb), "the file could not be ended; is the disk full?");
    s.part.commit();
}

std::int64_t MovieWriter::frames() const
{
    return impl_->frames;
}

std::vector<std::string> movie_extensions()
{
    std::vector<std::string> out;
    for (const auto& k : kinds)
        if (avcodec_find_encoder_by_name(k.encoder) != nullptr)
            out.emplace_back(k.extension);
    return out;
}

} // namespace tawara::movie
