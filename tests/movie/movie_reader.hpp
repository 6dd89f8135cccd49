// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads movies back, for tests: decodes every frame by FFmpeg's libraries.
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tawara::test {

struct DecodedMovie
{
    int width = 0, height = 0;
    double frames_per_second = 0, seconds = 0;
    std::string codec, title, comment;
    std::vector<std::vector<std::uint8_t>> frames; ///< RGB, rows from the top

    std::array<int, 3> pixel(std::size_t frame, int x, int y) const
    {
        const auto at = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(x));
        return {frames[frame][at], frames[frame][at + 1], frames[frame][at + 2]};
    }
};

/// @throws std::runtime_error when it does not decode to its end
inline DecodedMovie decode_movie(const std::string& file)
{
    const auto check = [](bool ok, const char* what) {
        if (!ok)
            throw std::runtime_error(what);
    };
    DecodedMovie out;
    AVFormatContext* format = nullptr;
    check(avformat_open_input(&format, file.c_str(), nullptr, nullptr) == 0, "cannot be opened");
    check(avformat_find_stream_info(format, nullptr) >= 0, "no streams");
    const AVCodec* decoder = nullptr;
    const int index = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    check(index >= 0, "no video");
    AVStream* stream = format->streams[index];
    AVCodecContext* codec = avcodec_alloc_context3(decoder);
    avcodec_parameters_to_context(codec, stream->codecpar);
    check(avcodec_open2(codec, decoder, nullptr) == 0, "no decoder");
    out.width = codec->width;
    out.height = codec->height;
    out.codec = avcodec_get_name(codec->codec_id);
    out.frames_per_second = av_q2d(stream->avg_frame_rate);
    out.seconds = static_cast<double>(format->duration) / AV_TIME_BASE;
    if (const auto* t = av_dict_get(format->metadata, "title", nullptr, 0))
        out.title = t->value;
    if (const auto* t = av_dict_get(format->metadata, "comment", nullptr, 0))
        out.comment = t->value;
    SwsContext* sws = sws_getContext(out.width, out.height, codec->pix_fmt, out.width, out.height,
                                     AV_PIX_FMT_RGB24, SWS_BILINEAR | SWS_ACCURATE_RND, nullptr,
                                     nullptr, nullptr);
    const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(sws, bt709, 0, bt709, 1, 0, 1 << 16, 1 << 16);
    AVPacket* packet = av_packet_alloc();
    AVFrame* frame = av_frame_alloc();
    const auto drain = [&] {
        while (avcodec_receive_frame(codec, frame) == 0) {
            std::vector<std::uint8_t> rgb(static_cast<std::size_t>(3 * out.width * out.height));
            std::uint8_t* planes[] = {rgb.data()};
            const int strides[] = {3 * out.width};
            sws_scale(sws, frame->data, frame->linesize, 0, out.height, planes, strides);
            out.frames.push_back(std::move(rgb));
        }
    };
    while (av_read_frame(format, packet) >= 0) {
        if (packet->stream_index == index) {
            check(avcodec_send_packet(codec, packet) == 0, "a packet does not decode");
            drain();
        }
        av_packet_unref(packet);
    }
    avcodec_send_packet(codec, nullptr);
    drain();
    av_frame_free(&frame);
    av_packet_free(&packet);
    sws_freeContext(sws);
    avcodec_free_context(&codec);
    avformat_close_input(&format);
    return out;
}

} // namespace tawara::test
