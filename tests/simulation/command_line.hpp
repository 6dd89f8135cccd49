// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cli/cli.hpp"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

namespace tawara::test {

/// What one command line gave.
struct Result
{
    int status;
    std::string out, err;
    QJsonObject json() const
    {
        return QJsonDocument::fromJson(QByteArray::fromStdString(out)).object();
    }
    std::size_t error_lines() const
    {
        return static_cast<std::size_t>(std::count(err.begin(), err.end(), '\n'));
    }
    /// Whether that is a line of the errors.
    bool says(const std::string& line) const
    {
        return ("\n" + err).find("\n" + line + "\n") != std::string::npos;
    }
};

inline Result run(const std::vector<std::string>& args, const std::stop_token& stop = {})
{
    std::ostringstream out, err;
    const int status = cli::run(args, {out, err, stop, false});
    return {status, out.str(), err.str()};
}

/// Runs a session on one thread of the CPU with --set's, ended by who holds the token.
inline Result run_with(const std::string& session, const std::string& out,
                       const std::vector<std::string>& sets, const std::stop_token& stop = {})
{
    std::vector<std::string> args{"run",       session, "--devices", "cpu",
                                  "--threads", "1",     "--out",     out};
    for (const auto& s : sets)
        args.insert(args.end(), {"--set", s});
    return run(args, stop);
}

} // namespace tawara::test
