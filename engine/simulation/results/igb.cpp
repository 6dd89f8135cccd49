// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/igb.hpp"

#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/simulation/session/csv.hpp"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

namespace tawara::simulation {
namespace {

constexpr std::size_t line_bytes = 78;

static_assert(std::endian::native == std::endian::little, "the files say little_endian");

/// What the header of a file says that IgbWriter has written; nothing of any other file.
struct Head
{
    std::size_t values = 0;
    std::int64_t frames = 0; ///< 0: it was not finished
    double start_ms = 0, every_ms = 0;
    std::string run; ///< of one that was not finished
};

std::optional<Head> head_of(std::istream& in)
{
    std::string text(igb_header_bytes, '\0');
    if (!in.read(text.data(), igb_header_bytes) || text.back() != '\f')
        return {};
    text.pop_back();
    std::map<std::string, std::string> words;
    std::istringstream list(text);
    for (std::string w; list >> w;)
        if (const auto colon = w.find(':'); colon != std::string::npos)
            words[w.substr(0, colon)] = w.substr(colon + 1);
    if (words["type"] != "float" || words["systeme"] != "little_endian" || words["y"] != "1" ||
        words["z"] != "1" || words["facteur"] != "1" || words["zero"] != "0")
        return {};
    const auto number = [&](const char* key) { return std::strtod(words[key].c_str(), nullptr); };
    constexpr double most = 1e12; // as many as no disk holds
    if (!(number("x") >= 0 && number("x") < most && number("t") >= 0 && number("t") < most &&
          std::abs(number("org_t")) < most && std::abs(number("dim_t")) < most))
        return {};
    Head head{static_cast<std::size_t>(number("x")), static_cast<std::int64_t>(number("t")),
              number("org_t"), 0, words["run"]};
    if (head.frames != 1)
        head.every_ms = number("dim_t") / static_cast<double>(std::abs(head.frames - 1));
    return head;
}

/// The program, in at most 40 characters without blanks, as the key wants it. More would want
/// comments, over which simple readers of "key:value" stumble.
std::string author()
{
    const auto& commit = program_commit();
    return "Tawara_" + program_version() + (commit.empty() ? "" : "_" + commit);
}

} // namespace

IgbWriter::IgbWriter(const std::filesystem::path& file, std::size_t values, double start_ms,
                     double every_ms, std::string unit, std::string run)
    : part_(file), values_(values), start_ms_(start_ms), every_ms_(every_ms),
      unit_(std::move(unit)), run_(std::move(run))
{
    errno = 0;
    out_.open(part_.path(), std::ios::binary);
    if (!out_)
        throw InputError(file.string(), std::string("cannot be written: ") + std::strerror(errno) +
                                            "; choose another folder");
    out_ << header(0);
}

std::uintmax_t IgbWriter::bytes(std::int64_t frames) const
{
    return igb_header_bytes + static_cast<std::uintmax_t>(frames) * values_ * sizeof(float);
}

/// @param frames  0: it is not finished
std::string IgbWriter::header(std::int64_t frames) const
{
    const auto count = frames == 0 ? 1 : frames - 1;
    std::string out, line;
    for (const std::string& word :
         {"x:" + std::to_string(values_), std::string("y:1"), std::string("z:1"),
          "t:" + std::to_string(frames), std::string("type:float"),
          std::string("systeme:little_endian"), "org_t:" + number_text(start_ms_, 12),
          "dim_t:" + number_text(static_cast<double>(count) * every_ms_, 12),
          std::string("unites_x:mm"), std::string("unites_y:mm"), std::string("unites_z:mm"),
          std::string("unites_t:ms"), "unites:" + unit_, std::string("facteur:1"),
          std::string("zero:0"), "aut:" + author(),
          frames == 0 && !run_.empty() ? "run:" + run_ : std::string()}) {
        if (word.empty())
            continue;
        if (line.size() + 1 + word.size() > line_bytes) {
            out += line + "\r\n";
            line.clear();
        }
        line += line.empty() ? word : ' ' + word;
    }
    out += line + "\r\n";
    while (igb_header_bytes - out.size() >= line_bytes + 5)
        out += std::string(line_bytes, ' ') + "\r\n";
    out += std::string(igb_header_bytes - 3 - out.size(), ' ') + "\r\n\f";
    return out;
}

void IgbWriter::check() const
{
    if (!out_)
        throw InputError(part_.target().string(), std::string("writing failed: ") +
                                                      std::strerror(errno ? errno : EIO) +
                                                      "; is the disk full?");
}

void IgbWriter::add(std::span<const float> frame)
{
    if (frame.size() != values_)
        throw Error("a frame of " + std::to_string(frame.size()) + " values for a file of " +
                    std::to_string(values_));
    out_.write(reinterpret_cast<const char*>(frame.data()),
               static_cast<std::streamsize>(frame.size_bytes()));
    out_.flush(); // a frame that was written outlives a program that is killed
    if (!out_) {
        const int why = errno;
        out_.close();
        std::error_code none;
        std::filesystem::resize_file(part_.path(), bytes(frames_), none); // whole ones
        errno = why;
        check();
    }
    ++frames_;
}

bool IgbWriter::go_on_from(const std::filesystem::path& earlier)
{
    std::ifstream in(earlier, std::ios::binary);
    auto head = head_of(in);
    const double slack_ms = 1e-3 * every_ms_;
    std::error_code unknown;
    const auto there = std::filesystem::file_size(earlier, unknown);
    if (!head || unknown || head->values != values_ || values_ == 0 || there < bytes(0) ||
        (head->frames != 1 && std::abs(head->every_ms - every_ms_) > slack_ms))
        return false;
    if (head->frames == 0) {
        if (head->run.empty() || head->run != run_)
            return false;
        head->frames = static_cast<std::int64_t>((there - bytes(0)) / (bytes(1) - bytes(0)));
    }
    const auto take = std::llround((start_ms_ - head->start_ms) / every_ms_);
    if (take < 1 || take > head->frames ||
        std::abs(head->start_ms + static_cast<double>(take) * every_ms_ - start_ms_) > slack_ms)
        return false;
    if (there < bytes(head->frames))
        return false;
    start_ms_ = head->start_ms;
    out_.seekp(0); // first, so that a program that is killed now leaves no frame at a wrong time
    out_ << header(0);
    const auto row = values_ * sizeof(float);
    std::vector<float> frame(values_);
    for (std::int64_t k = 0; k < take; ++k) {
        if (!in.read(reinterpret_cast<char*>(frame.data()), static_cast<std::streamsize>(row)))
            throw InputError(earlier.string(), "cannot be read to its end; choose another folder");
        add(frame);
    }
    return true;
}

void IgbWriter::finish()
{
    if (frames_ == 0)
        throw InputError(part_.target().string(), "there are no frames to write");
    errno = 0;
    if (!out_.is_open()) // since the disk was full
        out_.open(part_.path(), std::ios::binary | std::ios::in | std::ios::out);
    out_.seekp(0); // the number of frames is known now
    out_ << header(frames_);
    out_.close();
    check();
    part_.commit();
}

} // namespace tawara::simulation
