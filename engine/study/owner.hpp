// SPDX-License-Identifier: GPL-3.0-or-later
// Who computes a run of a study: a program, by its host, its process and when that began.
#pragma once
#include <string>

namespace tawara::study {

/// This program as an owner, HOST:PID:START@NUMBERS; the last says whose numbers of processes these
/// are, since containers have their own under the name of one host.
std::string this_owner();
/// Whether an owner is a program of this host that has ended. One that was killed and that nobody
/// has waited for has ended, too: in containers that may last as long as they do.
bool has_ended(const std::string& owner);
/// Whether an owner is a program of this host that has not ended, be it suspended. Neither is known
/// of one of another host, nor of one that the system hides.
bool lives(const std::string& owner);
/// Whether this program can tell that an owner has ended: not one of another host or container.
bool is_of_this_host(const std::string& owner);
/// "this program", "process 1234 of this machine", "process 77 on node-3": an owner for people.
std::string owner_text(const std::string& owner);

} // namespace tawara::study
