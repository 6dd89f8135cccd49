// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/results/kept_states.hpp"

#include "engine/core/error.hpp"
#include "engine/core/json_size.hpp"
#include "engine/core/kept_files.hpp"
#include "engine/core/output_folder.hpp"
#include "engine/core/whole_file.hpp"
#include "engine/simulation/session/json_fault.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tawara::simulation {
namespace {

namespace fs = std::filesystem;
using StateJson = nlohmann::json;

constexpr int kept_schema = 1;
constexpr std::string_view kept_ending = ".kept.json";
constexpr std::size_t longest_kept = 1U << 20;

/// Names begin with the machine's, so that each knows its own.
std::string of_this_machine()
{
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0')
        return "machine-";
    std::string out(name);
    std::replace(out.begin(), out.end(), '/', '_');
    return out + '-';
}

/// The number of the state whose KeptState::told() has that name; nothing: it is none's.
std::optional<std::int64_t> number_of(const std::string& name)
{
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), n);
    if (error != std::errc() || n < 0 || name != std::to_string(n) + std::string(kept_ending))
        return {};
    return n;
}

/// Seconds since 1970, as far as the clock counts. @throws StateJson::exception where it is no such
std::chrono::system_clock::time_point moment_of(const StateJson& saved_s)
{
    using std::chrono::seconds, std::chrono::system_clock;
    const auto most = std::chrono::duration_cast<seconds>(system_clock::duration::max()).count();
    const auto s = saved_s.is_number_integer() ? saved_s.get<std::int64_t>() : -1;
    if (s < 0 || s > most)
        throw StateJson::other_error::create(501, "no moment that the clock has", nullptr);
    return system_clock::time_point(seconds(s));
}

/// @throws InputError
KeptState state_of(const fs::path& folder, std::int64_t number)
{
    KeptState s;
    s.folder = folder;
    s.number = number;
    const auto file = s.told();
    const auto text = read_plain_file(file, longest_kept);
    if (!text)
        throw InputError(file.string(), "cannot be read");
    const InputError damaged(file.string(), "is damaged: it is not what the program has written");
    if (!json_excess(*text, most_json_depth).empty())
        throw InputError(damaged);
    try {
        const StateJson j = StateJson::parse(*text);
        if (j.at("schema") != kept_schema)
            throw InputError(file.string(), "/schema",
                             "is of another version; this program reads " +
                                 std::to_string(kept_schema));
        s.title = j.at("title").get<std::string>();
        s.file = j.at("file").get<std::string>();
        s.reason = j.at("reason").get<std::string>();
        s.time_ms = j.at("time_ms").get<double>();
        s.saved = moment_of(j.at("saved_s"));
        s.has_state = j.at("state").get<bool>();
        s.mesh = j.at("mesh").get<std::string>();
    } catch (const StateJson::exception&) {
        throw InputError(damaged);
    }
    if (!std::isfinite(s.time_ms) || s.time_ms < 0)
        throw InputError(file.string(), "/time_ms", "is no time; want one from 0 on");
    if (!s.mesh.empty() &&
        (!s.mesh.starts_with(kept_mesh) || fs::path(s.mesh).filename() != s.mesh))
        throw InputError(file.string(), "/mesh",
                         "is no name of a file that windows keep; want one in this folder");
    std::vector<fs::path> parts{s.session()};
    if (s.has_state)
        parts.push_back(s.state());
    if (!s.mesh.empty())
        parts.push_back(folder / s.mesh);
    for (const auto& part : parts)
        if (!is_plain_file(part))
            throw InputError(part.string(), "is missing");
    return s;
}

std::uintmax_t bytes_of(const KeptState& s)
{
    std::uintmax_t sum = 0;
    for (const auto& f : {s.session(), s.state(), s.told()}) {
        std::error_code none;
        if (const auto n = fs::file_size(f, none); !none)
            sum += n;
    }
    return sum;
}

} // namespace

fs::path KeptState::session() const
{
    return folder / (std::to_string(number) + ".session.json");
}
fs::path KeptState::state() const
{
    return folder / (std::to_string(number) + ".state.tcp");
}
fs::path KeptState::told() const
{
    return folder / (std::to_string(number) + std::string(kept_ending));
}

void write_kept(const KeptState& s)
{
    const StateJson j{
        {"schema", kept_schema},
        {"title", s.title},
        {"file", s.file},
        {"reason", s.reason},
        {"time_ms", s.time_ms},
        {"saved_s",
         std::chrono::duration_cast<std::chrono::seconds>(s.saved.time_since_epoch()).count()},
        {"state", s.has_state},
        {"mesh", s.mesh}};
    const auto text = j.dump(2, ' ', false, StateJson::error_handler_t::replace) + "\n";
    write_whole(s.told(), [&](std::ostream& out) { out << text; });
}

std::vector<KeptState> read_kept(const fs::path& folder, std::vector<std::string>* damaged)
{
    std::vector<KeptState> out;
    std::error_code e;
    for (fs::directory_iterator entry(folder, e), end; !e && entry != end; entry.increment(e)) {
        const auto number = number_of(entry->path().filename().string());
        if (!number)
            continue;
        try {
            out.push_back(state_of(folder, *number));
        } catch (const InputError& wrong) {
            if (damaged != nullptr)
                damaged->emplace_back(wrong.what());
        }
    }
    std::sort(out.begin(), out.end(),
              [](const KeptState& a, const KeptState& b) { return a.number > b.number; });
    return out;
}

void remove_kept(const KeptState& s)
{
    std::error_code none; // first what says that the others are whole
    for (const auto& f : {s.told(), s.state(), s.session()})
        fs::remove(f, none);
}

KeptFolder::KeptFolder(const fs::path& all)
{
    const KeptFiles ours(all, std::string(kept_ending), 0); // for this user alone
    if (!ours.distrust().empty())
        throw InputError(all.string(), ours.distrust());
    // a window that starts meanwhile may take the folder for a left one until it is locked
    for (int tries = 0; tries < 3; ++tries) {
        auto name = (all / (of_this_machine() + "XXXXXX")).string();
        if (mkdtemp(name.data()) == nullptr)
            throw InputError(all.string(),
                             std::string("no folder can be made in it: ") + std::strerror(errno));
        auto lock = std::make_unique<FolderLock>();
        try {
            lock->take(name);
        } catch (const InputError&) {
            continue;
        }
        if (!fs::exists(name))
            continue;
        path_ = name;
        lock_ = std::move(lock);
        return;
    }
    throw InputError(all.string(), "no folder in it could be locked");
}

void KeptFolder::keep_newest(std::size_t count, std::uintmax_t most_bytes, std::int64_t stays) const
{
    std::uintmax_t sum = 0;
    std::size_t n = 0;
    bool with_state = false;
    std::vector<std::string> meshes;
    for (const auto& s : read_kept(path_)) {
        sum += bytes_of(s);
        const bool wanted = ++n == 1 || (s.has_state && !with_state) || s.number == stays ||
                            (n <= count && (most_bytes == 0 || sum <= most_bytes));
        with_state = with_state || s.has_state;
        if (wanted)
            meshes.push_back(s.mesh);
        else
            remove_kept(s);
    }
    std::error_code e;
    std::vector<fs::path> unused;
    for (fs::directory_iterator entry(path_, e), end; !e && entry != end; entry.increment(e)) {
        const auto name = entry->path().filename().string();
        if (name.starts_with(kept_mesh) &&
            std::find(meshes.begin(), meshes.end(), name) == meshes.end())
            unused.push_back(entry->path());
    }
    for (const auto& mesh : unused)
        fs::remove(mesh, e);
}

void KeptFolder::remove()
{
    std::error_code none;
    if (!path_.empty())
        fs::remove_all(path_, none);
}

std::vector<LeftFolder> left_folders(const fs::path& all)
{
    std::vector<LeftFolder> out;
    std::error_code e;
    const auto ours = of_this_machine();
    for (fs::directory_iterator entry(all, e), end; !e && entry != end; entry.increment(e)) {
        const auto& path = entry->path();
        if (entry->symlink_status().type() != fs::file_type::directory ||
            !path.filename().string().starts_with(ours))
            continue;
        LeftFolder left;
        try {
            left.held_.lock_->take(path);
        } catch (const InputError&) { // its window is there
            continue;
        }
        left.held_.path_ = path;
        left.states_ = read_kept(path, &left.damaged_);
        if (left.states_.empty() && left.damaged_.empty())
            left.held_.remove();
        else
            out.push_back(std::move(left));
    }
    const auto newest = [](const LeftFolder& f) {
        return f.states().empty() ? std::chrono::system_clock::time_point()
                                  : f.states().front().saved;
    };
    std::sort(out.begin(), out.end(),
              [&](const LeftFolder& a, const LeftFolder& b) { return newest(a) > newest(b); });
    return out;
}

} // namespace tawara::simulation
