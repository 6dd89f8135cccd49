// SPDX-License-Identifier: GPL-3.0-or-later
// Values as bytes, for processes of one program on machines of one kind.
#pragma once
#include "engine/core/communicator.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tawara::device::ranks {

/// Appends values to a message.
class Pack
{
  public:
    template <class T>
    requires std::is_trivially_copyable_v<T> Pack& operator<<(const T& value)
    {
        add(&value, sizeof value);
        return *this;
    }
    template <class T>
    Pack& operator<<(const std::vector<T>& values)
    {
        *this << values.size();
        if constexpr (std::is_trivially_copyable_v<T>)
            add(values.data(), values.size() * sizeof(T));
        else
            for (const auto& v : values)
                *this << v;
        return *this;
    }
    Pack& operator<<(const std::string& text)
    {
        *this << text.size();
        add(text.data(), text.size());
        return *this;
    }
    Bytes take() { return std::move(bytes_); }

  private:
    void add(const void* from, std::size_t n)
    {
        const auto* p = static_cast<const std::byte*>(from);
        bytes_.insert(bytes_.end(), p, p + n);
    }
    Bytes bytes_;
};

/// Takes them out in the same order. What it reads lives as long as the message.
class Unpack
{
  public:
    explicit Unpack(const Bytes& message) : bytes_(message) {}
    template <class T>
    requires std::is_trivially_copyable_v<T> Unpack& operator>>(T& value)
    {
        get(&value, sizeof value);
        return *this;
    }
    template <class T>
    Unpack& operator>>(std::vector<T>& values)
    {
        values.resize(read<std::size_t>());
        if constexpr (std::is_trivially_copyable_v<T>)
            get(values.data(), values.size() * sizeof(T));
        else
            for (auto& v : values)
                *this >> v;
        return *this;
    }
    Unpack& operator>>(std::string& text)
    {
        text.resize(read<std::size_t>());
        get(text.data(), text.size());
        return *this;
    }
    template <class T>
    T read()
    {
        T value{};
        *this >> value;
        return value;
    }

  private:
    void get(void* to, std::size_t n)
    {
        if (n > bytes_.size() - at_)
            throw std::logic_error("a message between ranks ends before its values do");
        if (n > 0)
            std::memcpy(to, bytes_.data() + at_, n);
        at_ += n;
    }
    const Bytes& bytes_;
    std::size_t at_ = 0;
};

} // namespace tawara::device::ranks
