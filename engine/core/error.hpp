// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <stdexcept>
#include <string>

namespace tawara {

/// Base of every failure that Tawara reports. Thrown where known; caught once, at the top of the
/// engine's thread or of a program. what() is one line, without a trailing newline.
struct Error : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// Something a user gave is wrong: a file, an argument. what() reads
/// "FILE[:WHERE]: reason", where WHERE is a line number or a JSON pointer; reason says what is
/// wrong and what would be right. The command line turns it into exit status 2.
struct InputError : Error
{
    InputError(std::string file_, std::string where_, std::string reason_);
    InputError(std::string file_, long line, std::string reason_);
    InputError(std::string file_, std::string reason_);
    std::string file;   ///< path or name of the argument
    std::string where;  ///< line number or JSON pointer, empty where neither applies
    std::string reason; ///< what is wrong, and what would be right
};

/// A compute device failed. Exit status 4.
struct DeviceError : Error
{
    DeviceError(std::string device_, std::string call_, int status_, const std::string& text);
    std::string device; ///< e.g. "cuda:0"
    std::string call;   ///< the call that failed
    int status;         ///< the device library's own code
};

/// Long work was cancelled by whoever asked for it.
struct Cancelled : Error
{
    Cancelled() : Error("cancelled") {}
};

} // namespace tawara
