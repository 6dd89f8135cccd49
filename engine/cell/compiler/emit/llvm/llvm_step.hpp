// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cell/compiler/program.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tawara::cell::compiler {

/// Machine code of one step of a Program over cells [begin, end), made by LLVM in this process.
///
/// Steps whole vectors from `begin` on (arrays are padded); one row of constants for all its cells.
/// @thread const, any
template <class Real>
class JitStep
{
  public:
    /// @throws Error when LLVM cannot make code for this machine
    explicit JitStep(const Program& p);
    ~JitStep();
    JitStep(const JitStep&) = delete;
    JitStep& operator=(const JitStep&) = delete;

    /// @param stimulus  may be null
    void operator()(Real* v, Real* const* states, const Real* stimulus, std::size_t begin,
                    std::size_t end, const Real* row, Real t_ms, Real dt_ms, Real pace) const;
    const std::string& target() const { return target_; }
    double compile_ms() const { return compile_ms_; }

  private:
    struct Session;
    std::unique_ptr<Session> session_;
    using Function = void (*)(Real*, Real* const*, const Real*, std::int64_t, std::int64_t,
                              std::int64_t, const Real*, Real, Real, Real);
    Function function_ = nullptr;
    std::string target_;
    double compile_ms_ = 0;
};
extern template class JitStep<double>;
extern template class JitStep<float>;

} // namespace tawara::cell::compiler
