// SPDX-License-Identifier: GPL-3.0-or-later
// Who computes a run of a study: a program, by its host, its process and when that began.
#pragma once
#include <string>

namespace tawara::study {

/// This program as an owner, HOST:PID:START@NAMESPACE. START is in the system's ticks, NAMESPACE
/// the number of the PID namespace: containers have their own under the name of one host. Where the
/// system does not tell the namespace, the owner is HOST:PID:START.
std::string this_owner();
/// Whether an owner is a program of this host that has ended. A program that was killed and that
/// nobody has waited for has ended, too: in a container it may stay so as long as the container.
bool has_ended(const std::string& owner);
/// Whether an owner is a program of this host that has not ended; a suspended program has not. Of a
/// program of another host, or one that the system hides, neither is known.
bool lives(const std::string& owner);
/// Whether this program can tell that an owner has ended: it cannot of one of another host or
/// container.
bool is_of_this_host(const std::string& owner);
/// "this program", "process 1234 of this machine", "process 77 on node-3": an owner for people.
std::string owner_text(const std::string& owner);

} // namespace tawara::study
