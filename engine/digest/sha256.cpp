// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/digest/sha256.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

namespace tawara {
namespace {

std::string in_digits(llvm::SHA256& h)
{
    return llvm::toHex(h.final(), true);
}

} // namespace

std::string sha256(std::string_view bytes)
{
    llvm::SHA256 h;
    h.update(llvm::StringRef(bytes.data(), bytes.size()));
    return in_digits(h);
}

struct Sha256::State
{
    llvm::SHA256 hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes)
{
    state_->hash.update(llvm::StringRef(bytes.data(), bytes.size()));
}

std::string Sha256::digits()
{
    return in_digits(state_->hash);
}

std::string sha256_of_parts(std::span<const std::string_view> parts)
{
    llvm::SHA256 h;
    for (const auto p : parts) {
        h.update(std::to_string(p.size()) + ":");
        h.update(llvm::StringRef(p.data(), p.size()));
    }
    return in_digits(h);
}

} // namespace tawara
