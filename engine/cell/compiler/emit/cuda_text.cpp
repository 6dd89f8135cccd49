// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/emit/cuda_text.hpp"

#include "engine/core/error.hpp"

#include <cmath>
#include <cstdio>

namespace tawara::cell::compiler {
namespace {

/// Division of doubles by one step of third order from the hardware's approximation: 4 instructions
/// and a product, within 1.5 ulp, where the compiler's own takes 9 and a branch to look after
/// infinities and denormals, which models do not divide by.
constexpr const char* double_division = R"(
__device__ __forceinline__ double reciprocal(double d)
{
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
    double e = fma(-d, r, 1.0); // 2^-20
    e = fma(e, e, e);
    r = fma(e, r, r); // 2^-60
    return r;
}
__device__ __forceinline__ double quotient(double a, double d)
{
    return a * reciprocal(d);
}
)";
constexpr const char* single_division = R"(
__device__ __forceinline__ float reciprocal(float d) { return 1 / d; }
__device__ __forceinline__ float quotient(float a, float d) { return a / d; }
)";
constexpr const char* prelude = R"(
__device__ __forceinline__ Real power(Real x, int n) // n > 0
{
    Real r = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1)
            r *= x;
    return r;
}
__device__ __forceinline__ Real linexp(Real x) // x / (exp(x) - 1)
{
    const Real z = x * x;
    Real s = Real(-691.0 / 1307674368000.0);
    s = s * z + Real(1.0 / 47900160);
    s = s * z - Real(1.0 / 1209600);
    s = s * z + Real(1.0 / 30240);
    s = s * z - Real(1.0 / 720);
    s = s * z + Real(1.0 / 12);
    s = s * z + 1;
    return z < Real(0.25) ? s - x * Real(0.5) : quotient(x, exp(x) - 1);
}
)";

class Writer
{
  public:
    Writer(const Program& p, bool single) : p_(p), g_(p.graph), single_(single) {}

    std::string body()
    {
        for (const Node n : reachable(g_, p_.next))
            if (g_.op(n) != Op::constant && g_.op(n) != Op::truth)
                text_ += std::string(g_.type(n) == Type::boolean ? "    const bool "
                                                                 : "    const Real ") +
                         name(n) + " = " + value(n) + ";\n";
        for (std::size_t k = 0; k < p_.next.size(); ++k)
            text_ += "    " + (k == 0 ? std::string("v[i]") : state(k)) + " = " + name(p_.next[k]) +
                     ";\n";
        return text_;
    }

  private:
    static std::string state(std::size_t k)
    {
        return "states[" + std::to_string(k - 1) + " * stride + i]";
    }

    std::string name(Node n) const
    {
        if (g_.op(n) == Op::truth)
            return g_.value(n) != 0 ? "true" : "false";
        if (g_.op(n) != Op::constant)
            return "n" + std::to_string(n);
        const double v = g_.value(n);
        if (!std::isfinite(v))
            return std::isnan(v) ? "Real(0.0 / 0.0)"
                   : v > 0       ? "Real(1.0 / 0.0)"
                                 : "Real(-1.0 / 0.0)";
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "Real(%.17g)", v);
        return buffer;
    }

    std::string symbol(std::uint32_t id) const
    {
        const auto k = symbol_index(id);
        switch (symbol_kind(id)) {
        case Symbol::state:
            return k == 0 ? "v[i]" : state(k);
        case Symbol::table:
            return "row[" + std::to_string(k) + "]";
        case Symbol::time:
            return "t_ms";
        case Symbol::dt:
            return "dt_ms";
        case Symbol::stimulus:
            return "stimulus ? stimulus[i] : Real(0)";
        case Symbol::pace:
            return "Real(0)";
        default:
            throw Error("a symbol without meaning reached the emitter");
        }
    }

    std::string value(Node n) const
    {
        const Op op = g_.op(n);
        if (op == Op::symbol)
            return symbol(g_.symbol_of(n));
        const auto a = [&](int i) { return name(g_.arg(n, i)); };
        static constexpr std::pair<Op, const char*> infix[] = {
            {Op::add, " + "}, {Op::sub, " - "},   {Op::mul, " * "},
            {Op::eq, " == "}, {Op::ne, " != "},   {Op::lt, " < "},
            {Op::le, " <= "}, {Op::both, " && "}, {Op::either, " || "}};
        for (const auto& [o, t] : infix)
            if (o == op)
                return a(0) + t + a(1);
        switch (op) {
        case Op::div:
            return g_.is_constant(g_.arg(n, 0), 1) ? "reciprocal(" + a(1) + ")"
                                                   : "quotient(" + a(0) + ", " + a(1) + ")";
        case Op::neg:
            return "-" + a(0);
        case Op::negate:
            return "!" + a(0);
        case Op::select:
            return a(0) + " ? " + a(1) + " : " + a(2);
        case Op::rem:
            return call("fmod", a(0) + ", " + a(1));
        case Op::min:
            return call("fmin", a(0) + ", " + a(1));
        case Op::max:
            return call("fmax", a(0) + ", " + a(1));
        case Op::abs:
            return call("fabs", a(0));
        case Op::linexp:
            return "linexp(" + a(0) + ")";
        case Op::pow:
            if (g_.is_constant(g_.arg(n, 1))) {
                const double e = g_.value(g_.arg(n, 1));
                if (e == std::round(e) && std::abs(e) <= 64)
                    return (e < 0 ? "1 / power(" : "power(") + a(0) + ", " +
                           std::to_string(static_cast<int>(std::abs(e))) + ")";
            }
            return call("pow", a(0) + ", " + a(1));
        default:
            return call(std::string(op_name(op)), a(0));
        }
    }
    std::string call(const std::string& f, const std::string& arguments) const
    {
        return f + (single_ ? "f(" : "(") + arguments + ")";
    }

    const Program& p_;
    const Graph& g_;
    bool single_;
    std::string text_;
};

} // namespace

std::string cuda_text(const Program& p, bool single, int types)
{
    const auto row = std::to_string(std::max<std::size_t>(p.table.size(), 1));
    std::string t = std::string("typedef ") + (single ? "float" : "double") + " Real;\n" +
                    (single ? single_division : double_division) + prelude;
    t += "__constant__ Real cell_rows[" + std::to_string(types) + " * " + row + "];\n\n";
    t += "extern \"C\" __global__ void cell_step(Real* __restrict__ v, Real* __restrict__ states, "
         "long long stride,\n"
         "    const unsigned char* __restrict__ type, const Real* __restrict__ stimulus, int n, "
         "Real t_ms, Real "
         "dt_ms)\n{\n"
         "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    if (i >= n)\n        return;\n";
    t += "    const Real* row = cell_rows" +
         (types > 1 ? " + (type ? type[i] : 0) * " + row : std::string()) + ";\n";
    t += Writer(p, single).body();
    return t + "}\n";
}

} // namespace tawara::cell::compiler
