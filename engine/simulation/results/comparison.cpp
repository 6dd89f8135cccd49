// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/comparison.hpp"

#include "engine/core/error.hpp"
#include "engine/mesh/io/vtu_series.hpp"
#include "engine/simulation/results/output_digest.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/report_record.hpp"
#include "engine/simulation/results/table_difference.hpp"
#include "engine/simulation/session/csv.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

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
    bool maps() const { return record.value("activation_maps", true); }
};

Side side(const std::string& json, const fs::path& folder)
{
    Side s{folder, {}, {}};
    s.report = report::parsed(json, s.file());
    s.record = report::record_of(s.report, s.file());
    return s;
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
        by_digest("mesh", "mesh_sha256");
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
            return first.is_number_integer() && steps.is_number_integer()
                       ? frame_name(first.get<std::int64_t>() + steps.get<std::int64_t>())
                       : std::string();
        };
        if (const auto name = at(a_); !name.empty() && name == at(b_))
            if (const auto d = frame_difference(a_.folder / name, b_.folder / name))
                return words(*d, "mV") + " (of " + name + ")";
        return "by how much is not known: there is no frame of the end in both folders "
               "(output.frames_every_ms)";
    }

    /// A map of both runs. @param how_many  of its values a report says there are; null: not known
    void map(const char* what, const char* digest, const char* column, const Json& before,
             const Json& now)
    {
        if (before == 0 && now == 0) {
            out_.remarks.push_back(std::string(what) + ": not compared, since neither run has any");
            return;
        }
        if (!by_digest(what, digest))
            out_.results.back().how = table_difference(a_.folder / "activation.csv",
                                                       b_.folder / "activation.csv", {}, column);
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
                c.how = table_difference(a_.folder / file, b_.folder / file,
                                         file == "probes.csv" || file == "ecg.csv" ? "mV" : "");
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
        for (const auto& [file, digest] : before.items())
            if (now.value(file, Json()) != digest)
                others.push_back(file);
        Compared c{before.contains(igb_file) ? igb_file : "frames", others.empty()};
        if (!c.same)
            c.how = c.what == "frames" ? frames_words(others, before.size()) : "other values";
        else if (c.what == "frames")
            c.how = std::to_string(before.size()) + (before.size() > 1 ? " of them" : " of it");
        out_.results.push_back(std::move(c));
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
            if (const auto d = frame_difference(a_.folder / file, b_.folder / file)) {
                ++read;
                if (d->largest >= most.largest)
                    most = *d, of = file;
            }
        if (read < others.size())
            out += "; " + std::to_string(others.size() - read) + " are not in both folders";
        if (!of.empty())
            out += "; most in " + of + ": " + words(most, "mV");
        return out;
    }

    /// Files of the run before that no digest was compared of.
    void what_is_left_out()
    {
        std::string made, left;
        std::size_t frames = 0;
        for (const auto& f : a_.report.value("files", Json::array())) {
            if (!f.is_string() || f == "report.json")
                continue;
            const auto file = f.get<std::string>();
            const auto kind = digest_of(file);
            if (kind != DigestOf::bytes && a_.digests(kind).contains(file))
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
