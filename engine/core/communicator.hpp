// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tawara {

/// Bytes of a message.
using Bytes = std::vector<std::byte>;

/// Memory of several processes of one machine, which all of them see.
class SharedMemory
{
  public:
    virtual ~SharedMemory() = default;
    /// That of one of them. @param number  of Communicator::number_on_this_machine()
    virtual std::span<std::byte> of(int number) const = 0;
};

/// Processes that work on one thing, as the ranks of an MPI program: each has a number, and they
/// tell each other bytes. Messages from one process to another arrive in the order in which they
/// were sent.
/// @thread one thread of each process
class Communicator
{
  public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0; ///< of this process, from 0
    virtual int size() const = 0;
    /// How many of them share this machine with this process, itself counted.
    virtual int on_this_machine() const = 0;
    /// Which of those this process is, from 0.
    virtual int number_on_this_machine() const = 0;

    /// Memory that the processes of this machine share: of each of them `bytes`, which it chooses.
    /// Each of them calls it. Null where there is none.
    virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;

    /// @throws DeviceError  of these four: where another process has ended or cannot be reached
    virtual void send(int to, const Bytes& message) = 0;
    virtual Bytes receive(int from) = 0;

    /// What is given to another process and taken from it at once. Views; both are as long as the
    /// other process' are the other way round.
    struct Exchange
    {
        int with = 0;
        std::span<const double> give;
        std::span<double> take;
    };
    /// Returns when all has been taken.
    virtual void swap(std::span<const Exchange> exchanges) = 0;
    /// Whether any process says so; every one calls it.
    virtual bool any(bool here) = 0;
    /// This process cannot go on: others learn of it where they wait for it.
    virtual void fail() noexcept = 0;
};

} // namespace tawara
