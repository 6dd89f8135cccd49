// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/study/owner.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <unistd.h>

namespace tawara::study {
namespace {

std::string host()
{
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

/// Number of this process's PID namespace; empty where the system does not tell. Containers have
/// PID namespaces of their own under the name of one host.
std::string pid_namespace()
{
    std::error_code none;
    std::string out;
    for (const char c : std::filesystem::read_symlink("/proc/self/ns/pid", none).string())
        if (c >= '0' && c <= '9')
            out += c;
    return out;
}

/// A process as the kernel has it.
struct Process
{
    std::string state; ///< "R", "S", ...; "Z": it has ended, and nobody has waited for it
    std::string start; ///< in ticks: the number of a process that was is given again
};
Process process(long pid)
{
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto name_end = text.rfind(')'); // a name may hold blanks
    if (name_end == std::string::npos)
        return {"", "0"};
    std::istringstream words(text.substr(name_end + 1));
    Process out;
    words >> out.state;
    constexpr int state_at = 3, start_at = 22; // of the fields
    for (int k = state_at; k < start_at; ++k)
        words >> out.start;
    return out;
}

/// What an owner is made of; an empty host where the text is no owner.
struct OwnerParts
{
    std::string host, start;
    std::string space; ///< its PID namespace; empty in ledgers of before
    long pid = 0;
    bool is_seen() const ///< whether this process can look it up by its number
    {
        const auto here = pid_namespace();
        return !host.empty() && host == study::host() &&
               (space.empty() || here.empty() || space == here);
    }
};
OwnerParts parts_of(const std::string& owner)
{
    const auto start_at = owner.rfind(':'), pid_at = owner.rfind(':', start_at - 1);
    if (start_at == std::string::npos || pid_at == std::string::npos)
        return {};
    const auto start = owner.substr(start_at + 1);
    const auto space_at = start.find('@');
    return {owner.substr(0, pid_at), start.substr(0, space_at),
            space_at == std::string::npos ? std::string() : start.substr(space_at + 1),
            std::strtol(owner.c_str() + pid_at + 1, nullptr, 10)};
}

enum class Life { lives, ended, unknown };

/// By the process of that number and when it began.
Life life_of(const OwnerParts& p)
{
    if (!p.is_seen())
        return Life::unknown;
    if (p.pid <= 0 || p.pid > std::numeric_limits<pid_t>::max() ||
        (kill(static_cast<pid_t>(p.pid), 0) != 0 && errno == ESRCH))
        return Life::ended;
    const auto now = process(p.pid);
    if (now.state.empty()) // systems may hide the processes of other users
        return Life::unknown;
    return now.start != p.start || now.state == "Z" || now.state == "X" ? Life::ended : Life::lives;
}

} // namespace

std::string this_owner()
{
    const long pid = getpid();
    const auto space = pid_namespace();
    return host() + ":" + std::to_string(pid) + ":" + process(pid).start +
           (space.empty() ? "" : "@" + space);
}

bool is_of_this_host(const std::string& owner)
{
    return parts_of(owner).is_seen();
}

bool has_ended(const std::string& owner)
{
    return life_of(parts_of(owner)) == Life::ended;
}

bool lives(const std::string& owner)
{
    return life_of(parts_of(owner)) == Life::lives;
}

std::string owner_text(const std::string& owner)
{
    if (owner == this_owner())
        return "this program";
    const auto p = parts_of(owner);
    return p.host.empty() ? owner
                          : "process " + std::to_string(p.pid) +
                                (is_of_this_host(owner) ? " of this machine" : " on " + p.host);
}

} // namespace tawara::study
