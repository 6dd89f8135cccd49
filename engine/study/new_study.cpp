// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/new_study.hpp"

#include "engine/core/error.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/study/study_text.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tawara::study {
namespace {

namespace fs = std::filesystem;
using StudyJson = nlohmann::ordered_json;

/// A number without a fraction where it has none.
StudyJson short_number(double x)
{
    constexpr double exact = 1e15;
    if (x == static_cast<double>(static_cast<std::int64_t>(x)) && x < exact && x > -exact)
        return static_cast<std::int64_t>(x);
    return x;
}

StudyJson json_of_sites(const std::vector<PacingSite>& sites)
{
    constexpr int all = 17;
    StudyJson out = StudyJson::array();
    bool aha = sites.size() == all;
    for (std::size_t k = 0; k < sites.size(); ++k) {
        const auto& s = sites[k];
        aha = aha && s.segment == static_cast<int>(k) + 1;
        if (s.segment > 0)
            out.push_back(s.segment);
        else
            out.push_back({{"name", s.name}, {"position_mm", s.place_mm.value_or(Vec3{})}});
    }
    return aha ? StudyJson("aha") : out;
}

StudyJson json_of(const Induction& i)
{
    return {{"sites", json_of_sites(i.sites)},
            {"s1", {{"cycle_ms", short_number(i.cycle_ms)}, {"count", i.count}}},
            {"extra", i.extra},
            {"first_coupling_ms", short_number(i.first_coupling_ms)},
            {"decrement_ms", short_number(i.decrement_ms)},
            {"shortest_ms", short_number(i.shortest_ms)},
            {"sustained_ms", short_number(i.sustained_ms)},
            {"stimulus",
             {{"radius_mm", short_number(i.radius_mm)},
              {"amplitude_pA_per_pF", short_number(i.amplitude_pA_per_pF)},
              {"duration_ms", short_number(i.duration_ms)}}}};
}

/// A folder in the making, removed with all in it unless it was kept.
class PartFolder
{
  public:
    explicit PartFolder(const fs::path& folder)
        : path_(folder.parent_path() /
                ("." + folder.filename().string() + ".part-" + std::to_string(getpid())))
    {
        std::error_code failed;
        fs::create_directories(path_, failed);
        if (failed)
            throw InputError(folder.string(), "cannot be made: " + failed.message() +
                                                  "; choose a folder that may be written to");
    }
    ~PartFolder()
    {
        std::error_code none;
        if (!path_.empty())
            fs::remove_all(path_, none);
    }
    PartFolder(const PartFolder&) = delete;
    PartFolder& operator=(const PartFolder&) = delete;
    const fs::path& path() const { return path_; }
    void keep_as(const fs::path& folder)
    {
        std::error_code failed;
        fs::rename(path_, folder, failed);
        if (failed)
            throw InputError(folder.string(), "cannot be made: " + failed.message());
        path_.clear();
    }

  private:
    fs::path path_;
};

} // namespace

std::string to_json(const NewStudy& s)
{
    StudyJson o = StudyJson::object();
    o["schema"] = 1;
    o["name"] = s.name;
    o["session"] = session_name;
    for (const auto& [path, values] : s.axes) {
        auto& list = o["axes"][path] = StudyJson::array();
        for (const auto& v : values)
            list.push_back(StudyJson::parse(v));
    }
    if (s.induction)
        o["induction"] = json_of(*s.induction);
    if (s.doses) {
        auto& doses = o["doses"] = StudyJson::object();
        doses["drugs"] = s.doses->drugs;
        auto& values = doses[s.doses->times_cmax ? "times_cmax" : "concentration_nM"] =
            StudyJson::array();
        for (const double v : s.doses->values)
            values.push_back(short_number(v));
    }
    if (s.keep) {
        constexpr std::array words{"activation", "ecg", "frames"};
        auto& keep = o["keep"] = StudyJson::array();
        for (const auto k : *s.keep)
            keep.push_back(words[static_cast<std::size_t>(k)]);
    }
    return o.dump(2) + '\n';
}

fs::path make_study(const fs::path& chosen, const std::string& text,
                    const std::function<void(const fs::path& session_file)>& write)
{
    auto folder = fs::absolute(chosen).lexically_normal();
    if (folder.filename().empty())
        folder = folder.parent_path();
    std::error_code none;
    if (fs::exists(folder, none) && !(fs::is_directory(folder, none) && fs::is_empty(folder, none)))
        throw InputError(folder.string(), "is there already; give the name of a new folder");
    const auto file = folder / (folder.filename().string() + ".json");
    PartFolder part(folder);
    const auto written = part.path() / file.filename();
    write(part.path() / session_name);
    try {
        auto o = study_json(text, written);
        if (o.is_object()) // else read_study() says what it should be
            o["session"] = session_name;
        write_whole(written, [&](std::ostream& out) { out << o.dump(2) << '\n'; });
        const auto s = read_study(written);
        for (const auto& run : s.runs)
            session_of(s, run);
    } catch (const InputError& e) { // of a file that will not be there
        const auto name = fs::path(e.file).filename() == session_name
                              ? (folder / session_name).string()
                          : e.file == written.string() ? file.string()
                                                       : e.file;
        throw InputError(name, e.where, e.reason);
    }
    part.keep_as(folder);
    return file;
}

} // namespace tawara::study
