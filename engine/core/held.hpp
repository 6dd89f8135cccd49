// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

namespace tawara {

/// A value that lies elsewhere, so that headers can hold one whose type they do not know. It is
/// copied like the value itself, and there is always one.
///
/// The header that holds one says `extern template class Held<T>;`, and one source that knows T
/// says `template class Held<T>;`.
template <class T>
class Held
{
  public:
    Held();
    Held(const Held& other);
    Held& operator=(const Held& other);
    ~Held();

    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }
    T* operator->() { return value_.get(); }
    const T* operator->() const { return value_.get(); }

  private:
    std::unique_ptr<T> value_;
};

template <class T>
Held<T>::Held() : value_(std::make_unique<T>())
{
}

template <class T>
Held<T>::Held(const Held& other) : value_(std::make_unique<T>(*other.value_))
{
}

template <class T>
Held<T>& Held<T>::operator=(const Held& other)
{
    *value_ = *other.value_;
    return *this;
}

template <class T>
Held<T>::~Held() = default;

} // namespace tawara
