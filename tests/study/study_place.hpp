// SPDX-License-Identifier: GPL-3.0-or-later
// A folder with a study of two short runs, for tests of what becomes of its files.
#pragma once
#include "engine/core/error.hpp"
#include "engine/study/scheduler.hpp"

#include <QTemporaryDir>
#include <fstream>
#include <iterator>
#include <sqlite3.h>

namespace tawara::test {

inline const std::string two_runs = R"({"schema": 1, "name": "two", "axes": {"time.end_ms": [1, 2]},
 "session": {"schema": 1, "mesh": {"slab_mm": [1, 0.5, 0.5], "spacing_mm": 0.5},
 "tissue": {"regions": [{"label": "*", "model": "ten_tusscher_2006", "variant": "epi",
 "conductivity_S_per_m": {"fibre": 0.2, "sheet": 0.1, "normal": 0.1}}]},
 "time": {"dt_ms": 0.02, "end_ms": 1}, "diffusion": {"scheme": "p1"}, "stimuli": []}})";

inline const std::string precious = "years of work\n";

inline void put_text(const std::filesystem::path& file, const std::string& text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

inline std::string text_of(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Why an InputError was thrown; empty: none was.
template <class Work>
std::string refused(Work&& work)
{
    try {
        work();
    } catch (const InputError& e) {
        return e.what();
    }
    return {};
}

/// A study of two short runs, and a folder beside it that is nobody's business.
struct Place
{
    QTemporaryDir dir;
    std::filesystem::path root = dir.path().toStdString(), out = root / "out",
                          victim = root / "thesis";
    std::filesystem::path ledger = out / "study.sqlite";
    study::Study study;
    explicit Place(const std::string& text = two_runs)
    {
        put_text(root / "two.json", text);
        put_text(victim / "report.json", precious);
        put_text(victim / "checkpoint-x.tcp", precious);
        study = study::read_study(root / "two.json");
    }
    study::StudyOutcome run(const std::filesystem::path& into) const
    {
        study::StudyOptions o;
        o.out = into;
        o.device.devices = "cpu";
        o.at_once = 1;
        return study::run_study(study, o, {});
    }
    std::string why_not() const
    {
        return refused([&] { run(out); });
    }
    bool untouched() const
    {
        return text_of(victim / "report.json") == precious &&
               text_of(victim / "checkpoint-x.tcp") == precious &&
               std::distance(std::filesystem::directory_iterator(victim), {}) == 2;
    }
    /// Changes the ledger behind the study's back. @return whether it could
    bool changed(const std::string& sql) const
    {
        sqlite3* db = nullptr;
        const bool done = sqlite3_open(ledger.c_str(), &db) == SQLITE_OK &&
                          sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
        sqlite3_close(db);
        return done;
    }
};

inline bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos && text.find('\n') == std::string::npos;
}

} // namespace tawara::test
