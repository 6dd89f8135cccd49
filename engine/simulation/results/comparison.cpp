// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/comparison.hpp"

#include "engine/core/error.hpp"
#include "engine/core/file_content.hpp"
#include "engine/mesh/io/vtu_series.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/report_record.hpp"
#include "engine/simulation/results/table_difference.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>

namespace tawara::simulation {
namespace {

using report::Json;
namespace fs = std::filesystem;

/// A run, as its report has it.
struct Side
{
    fs::path folder;
    Json report, record; ///< the whole, and what it keeps to be done again
    std::string file() const { return (folder / "report.json").string(); }
    Json digests(DigestOf what) const
    {
        return report::digests_in(record, digest_key(what), file());
    }
    bool maps() const { return record.value("activation_maps", Json(true)) != false; }
};

Side side(const std::string& json, const fs::path& folder)
{
    Side s{folder, {}, {}};
    s.report = report::parsed(json, s.file());
    s.record = report::record_of(s.report, s.file());
    report::check_files(s.record, s.file());
    return s;
}

/// V in two .igb of as many values; nothing where they are not, or cannot be read.
std::optional<Difference> igb_difference(const fs::path& before, const fs::path& now)
{
    constexpr std::size_t at_once = 1U << 16;
    if (!no_plain_file(before).empty() || !no_plain_file(now).empty())
        return {}; // a pipe would be waited for
    std::ifstream a(before, std::ios::binary), b(now, std::ios::binary);
    a.seekg(igb_header_bytes);
    b.seekg(igb_header_bytes);
    std::vector<float> x(at_once), y(at_once);
    Difference all;
    double squares = 0;
    while (a && b) {
        const auto read = [&](std::ifstream& in, std::vector<float>& to) {
            in.read(reinterpret_cast<char*>(to.data()), at_once * sizeof(float));
            return static_cast<std::size_t>(in.gcount()) / sizeof(float);
        };
        const auto n = read(a, x);
        if (n != read(b, y))
            return {};
        const auto d = difference(std::vector<double>(x.begin(), x.begin() + static_cast<long>(n)),
                                  std::vector<double>(y.begin(), y.begin() + static_cast<long>(n)));
        squares += d.rms * d.rms * static_cast<double>(d.both);
        all.both += d.both;
        all.alone += d.alone;
        all.largest = std::max(all.largest, d.largest);
    }
    if (all.both == 0)
        return {};
    all.rms = std::sqrt(squares / static_cast<double>(all.both));
    return all;
}

/// The step in a frame's name.
std::int64_t step_of(const std::string& frame)
{
    return std::strtoll(frame.c_str() + frame.find('/') + 1, nullptr, 10);
}

/// V of one frame in both folders; nothing where one of them cannot be read, or is of other
/// unknowns.
std::optional<Difference> frame_difference(const fs::path& before, const fs::path& now)
try {
    const auto a = mesh::io::values_of_vtu(before, frame_array),
               b = mesh::io::values_of_vtu(now, frame_array);
    if (a.size() != b.size())
        return {};
    return difference(std::vector<double>(a.begin(), a.end()),
                      std::vector<double>(b.begin(), b.end()));
} catch (const Error&) {
    return {};
}

class Comparing
{
  public:
    Comparing(Side before, Side now) : a_(std::move(before)), b_(std::move(now)) {}

    RunComparison all()
    {
        find_changed();
        by_digest("mesh", "mesh_sha256");
        models();
        if (!by_digest("V at the end", "end_sha256"))
            out_.results.back().how = end_words();
        maps();
        tables();
        frames();
        what_is_left_out();
        remark("version", a_.report.value("version", Json()), b_.report.value("version", Json()));
        remark("built from", a_.record.value("built_from", Json()),
               b_.record.value("built_from", Json()));
        remark("devices", a_.report.value("devices", Json()), b_.report.value("devices", Json()));
        remark("precision", a_.report.value("precision", Json()),
               b_.report.value("precision", Json()));
        return std::move(out_);
    }

  private:
    /// Of a file of the run before; empty where it cannot be read.
    std::string digest_now(const std::string& file) const
    {
        try {
            return output_digest(a_.folder, file);
        } catch (const Error&) {
            return {};
        }
    }

    /// Files of the run before that are not as it left them: nothing is read of these.
    void find_changed()
    {
        std::size_t frames = 0;
        std::string others;
        for (const auto kind : {DigestOf::table, DigestOf::values, DigestOf::bytes}) {
            const auto digests = a_.digests(kind);
            for (const auto& [file, digest] : digests.items()) {
                std::error_code none;
                const bool there = fs::exists(a_.folder / file, none);
                if (const auto now = there ? digest_now(file) : ""; !now.empty() && digest == now)
                    continue;
                changed_.insert(file);
                if (is_frame(file))
                    ++frames;
                else
                    others += (others.empty() ? "" : ", ") + file + (there ? "" : " (not there)");
            }
        }
        if (frames > 0)
            others += (others.empty() ? "" : ", ") + std::to_string(frames) +
                      (frames > 1 ? " frames" : " frame");
        out_.changed = changed_.size();
        if (!others.empty())
            out_.remarks.push_back("changed since the run before, or not there any more: " +
                                   others + "; what is compared is what the run had written");
    }

    /// Files of cell models that the session names.
    void models()
    {
        const auto before = report::digests_in(a_.record, "models_sha256", a_.file()),
                   now = report::digests_in(b_.record, "models_sha256", b_.file());
        for (const auto& [file, digest] : before.items())
            out_.results.push_back({file, now.value(file, Json()) == digest});
    }

    /// By how much a table differs, as far as that of the run before is still there.
    std::string table_words(const std::string& file, const std::string& unit,
                            const std::string& column = {}) const
    {
        return changed_.contains(file)
                   ? "by how much is not known: " + (a_.folder / file).string() +
                         " is not as its run left it"
                   : table_difference(a_.folder / file, b_.folder / file, unit, column);
    }

    bool by_digest(const char* what, const char* of)
    {
        const auto p = a_.record.value(of, Json()), q = b_.record.value(of, Json());
        out_.results.push_back({what, !p.is_null() && p == q});
        return out_.results.back().same;
    }

    void remark(const char* what, const Json& p, const Json& q)
    {
        if (p != q)
            out_.remarks.push_back(std::string(what) + ": " + p.dump() + " before, " + q.dump() +
                                   " now");
    }

    /// By how much V differs at the end: frames are all that runs keep of it.
    std::string end_words() const
    {
        const auto at = [](const Side& s) {
            const auto first = s.report.value("first_step", Json()),
                       steps = s.report.value("steps", Json());
            constexpr std::int64_t most = std::int64_t{1} << 60;
            const auto count = [](const Json& j) {
                return j.is_number_integer() ? j.get<std::int64_t>() : std::int64_t{-1};
            };
            const auto from = count(first), n = count(steps);
            return from >= 0 && n >= 0 && from < most && n < most ? frame_name(from + n)
                                                                  : std::string();
        };
        if (const auto name = at(a_); !name.empty() && name == at(b_) && !changed_.contains(name))
            if (const auto d = frame_difference(a_.folder / name, b_.folder / name))
                return words(*d, "mV") + " (of " + name + ")";
        return "by how much is not known: no frames/*.vtu of the end is in both folders as it was "
               "(output.frames_every_ms)";
    }

    /// A map of both runs. @param before, now  how many values it has in each; null: not known
    void map(const char* what, const char* digest, const char* column, const Json& before,
             const Json& now)
    {
        if (before == 0 && now == 0) {
            out_.remarks.push_back(std::string(what) + ": not compared, since neither run has any");
            return;
        }
        if (!by_digest(what, digest))
            out_.results.back().how = table_words("activation.csv", {}, column);
    }

    void maps()
    {
        if (!a_.maps() || !b_.maps()) {
            out_.remarks.push_back("activation and repolarisation: not compared, since one of the "
                                   "runs kept no maps");
            return;
        }
        const auto activated = [](const Side& s) { return s.report.value("activated", Json()); };
        const auto repolarised = [](const Side& s) {
            return s.record.value("repolarised", Json());
        };
        map("activation", "activation_sha256", "activation_ms", activated(a_), activated(b_));
        map("repolarisation", "repolarisation_sha256", "repolarisation_ms", repolarised(a_),
            repolarised(b_));
    }

    void tables()
    {
        const auto before = a_.digests(DigestOf::table), now = b_.digests(DigestOf::table);
        for (const auto& [file, digest] : before.items()) {
            Compared c{file, now.value(file, Json()) == digest};
            if (!now.contains(file))
                c.how = "was not written now";
            else if (!c.same)
                c.how = table_words(file, file == "probes.csv" || file == "ecg.csv" ? "mV" : "");
            out_.results.push_back(std::move(c));
        }
    }

    /// All frames as one result.
    void frames()
    {
        const auto before = a_.digests(DigestOf::values), now = b_.digests(DigestOf::values);
        if (before.empty())
            return;
        if (before.contains(igb_file) && a_.record.contains("resume")) {
            out_.remarks.push_back("frames.igb: not compared, since that of the run before may "
                                   "begin with frames of an earlier one");
            return;
        }
        std::vector<std::string> others;
        std::size_t looked_at = 0, earlier = 0;
        const auto first = a_.report.value("first_step", Json());
        for (const auto& [file, digest] : before.items()) {
            if (is_frame(file) && first.is_number_integer() &&
                step_of(file) < first.get<std::int64_t>()) {
                ++earlier; // the run went on with it
                continue;
            }
            ++looked_at;
            if (now.value(file, Json()) != digest)
                others.push_back(file);
        }
        if (earlier > 0)
            out_.remarks.push_back(std::to_string(earlier) + (earlier > 1 ? " frames" : " frame") +
                                   " from before the run's checkpoint: not compared");
        if (looked_at == 0)
            return;
        Compared c{before.contains(igb_file) ? igb_file : "frames", others.empty()};
        if (!c.same)
            c.how = c.what == "frames" ? frames_words(others, looked_at) : igb_words();
        else if (c.what == "frames")
            c.how = std::to_string(looked_at) + (looked_at > 1 ? " of them" : " of it");
        out_.results.push_back(std::move(c));
    }

    std::string igb_words() const
    {
        if (changed_.contains(igb_file))
            return "by how much is not known: " + (a_.folder / igb_file).string() +
                   " is not as its run left it";
        const auto d = igb_difference(a_.folder / igb_file, b_.folder / igb_file);
        return d ? words(*d, "mV")
                 : "by how much is not known: they have other times or places, or cannot be read";
    }

    /// "3 of 5, the first frames/000000100.vtu; RMS 0.1 mV, at most 0.4 mV in that which differs
    /// most".
    std::string frames_words(const std::vector<std::string>& others, std::size_t all) const
    {
        auto out = std::to_string(others.size()) + " of " + std::to_string(all) + ", the first " +
                   others.front();
        Difference most;
        std::string of;
        std::size_t read = 0;
        for (const auto& file : others)
            if (const auto d = changed_.contains(file)
                                   ? std::optional<Difference>()
                                   : frame_difference(a_.folder / file, b_.folder / file)) {
                ++read;
                if (d->largest >= most.largest)
                    most = *d, of = file;
            }
        if (read < others.size())
            out += "; " + std::to_string(others.size() - read) +
                   " are not in both folders as they were";
        if (!of.empty())
            out += "; most in " + of + ": " + words(most, "mV");
        return out;
    }

    /// Files of the run before that no digest was compared of.
    void what_is_left_out()
    {
        std::string made, left;
        std::size_t frames = 0;
        const auto tables = a_.digests(DigestOf::table), values = a_.digests(DigestOf::values);
        for (const auto& f : a_.report.value("files", Json::array())) {
            if (!f.is_string() || f == "report.json")
                continue;
            const auto file = f.get<std::string>();
            const auto kind = digest_of(file);
            if ((kind == DigestOf::table && tables.contains(file)) ||
                (kind == DigestOf::values && values.contains(file)))
                continue;
            if (is_frame(file)) {
                ++frames;
                continue;
            }
            const bool of_results = file.starts_with("frames.") || file.ends_with(".vtu");
            auto& list = of_results && kind == DigestOf::bytes ? made : left;
            list += (list.empty() ? "" : ", ") + file;
        }
        if (!made.empty())
            out_.remarks.push_back(made + ": not compared; made of the results above");
        if (!left.empty())
            out_.remarks.push_back(left + ": not compared");
        if (frames > 0)
            out_.remarks.push_back(std::to_string(frames) + " frames: not compared, since " +
                                   a_.file() + " has no digests of them");
    }

    Side a_, b_;
    std::set<std::string> changed_; ///< of the run before, relative to its folder
    RunComparison out_;
};

} // namespace

bool RunComparison::same() const
{
    return std::all_of(results.begin(), results.end(), [](const Compared& c) { return c.same; });
}

RunComparison compare_reports(const std::string& before_json, const fs::path& before_folder,
                              const std::string& now_json, const fs::path& now_folder)
{
    return Comparing(side(before_json, before_folder), side(now_json, now_folder)).all();
}

} // namespace tawara::simulation
