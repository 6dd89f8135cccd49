// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sparse/csr.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tawara::sparse {
namespace {

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Sorts the entries of each row by column, those of one column in the order given, and adds these
/// up.
void sort_and_add(Csr& a)
{
    std::vector<std::pair<std::int32_t, double>> row;
    std::int64_t to = 0;
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        row.clear();
        for (auto e = a.first[at(i)]; e < a.first[at(i) + 1]; ++e)
            row.emplace_back(a.column[at(e)], a.value[at(e)]);
        std::stable_sort(row.begin(), row.end(),
                         [](const auto& x, const auto& y) { return x.first < y.first; });
        const auto begin = to; // never beyond what was read
        for (const auto& [column, value] : row)
            if (to > begin && a.column[at(to) - 1] == column)
                a.value[at(to) - 1] += value;
            else
                a.column[at(to)] = column, a.value[at(to)] = value, ++to;
        a.first[at(i)] = begin;
    }
    a.first.back() = to;
    a.column.resize(at(to));
    a.value.resize(at(to));
}

} // namespace

Csr csr_of(std::int64_t rows, std::int64_t columns, std::span<const Entry> entries, bool symmetric)
{
    Csr a;
    a.columns = columns;
    a.first.assign(at(rows) + 1, 0);
    for (const auto& e : entries) {
        if (e.row < 0 || e.row >= rows || e.column < 0 || e.column >= columns ||
            (symmetric && (e.row >= columns || e.column >= rows)))
            throw Error("entry (" + std::to_string(e.row) + ", " + std::to_string(e.column) +
                        ") lies outside of a matrix of " + std::to_string(rows) + " x " +
                        std::to_string(columns));
        ++a.first[at(e.row) + 1];
        if (symmetric && e.row != e.column)
            ++a.first[at(e.column) + 1];
    }
    std::partial_sum(a.first.begin(), a.first.end(), a.first.begin());
    a.column.resize(at(a.first.back()));
    a.value.resize(a.column.size());
    std::vector<std::int64_t> next(a.first.begin(), a.first.end() - 1);
    const auto put = [&](std::int32_t row, std::int32_t column, double value) {
        const auto to = at(next[at(row)]++);
        a.column[to] = column;
        a.value[to] = value;
    };
    for (const auto& e : entries) {
        put(e.row, e.column, e.value);
        if (symmetric && e.row != e.column)
            put(e.column, e.row, e.value);
    }
    sort_and_add(a);
    return a;
}

void check(const Csr& a)
{
    if (a.first.empty() || a.first.front() != 0 || a.first.back() != a.entries() ||
        a.value.size() != a.column.size() || !std::is_sorted(a.first.begin(), a.first.end()))
        throw Error("a sparse matrix's rows do not ascend from 0 to the number of its entries");
    for (const auto c : a.column)
        if (c < 0 || c >= a.columns)
            throw Error("a sparse matrix of " + std::to_string(a.columns) +
                        " columns has an entry in column " + std::to_string(c));
}

RowLengths row_lengths(const Csr& a)
{
    RowLengths r;
    const auto rows = a.rows();
    if (rows == 0)
        return r;
    r.least = r.most = a.length(0);
    r.mean = static_cast<double>(a.entries()) / static_cast<double>(rows);
    double squares = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        const auto n = a.length(i);
        r.least = std::min(r.least, n);
        r.most = std::max(r.most, n);
        squares += (static_cast<double>(n) - r.mean) * (static_cast<double>(n) - r.mean);
    }
    r.deviation = std::sqrt(squares / static_cast<double>(rows));
    return r;
}

void multiply(const Csr& a, std::span<const double> x, std::span<double> y)
{
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        double sum = 0;
        for (auto e = a.first[at(i)]; e < a.first[at(i) + 1]; ++e)
            sum = std::fma(a.value[at(e)], x[at(a.column[at(e)])], sum);
        y[at(i)] = sum;
    }
}

Csr renumbered(const Csr& a, std::span<const std::int32_t> old_of)
{
    std::vector<std::int32_t> new_of(old_of.size());
    for (std::size_t k = 0; k < old_of.size(); ++k)
        new_of[at(old_of[k])] = static_cast<std::int32_t>(k);
    Csr out;
    out.columns = a.columns;
    out.column.reserve(a.column.size());
    out.value.reserve(a.value.size());
    for (const auto i : old_of) {
        for (auto e = a.first[at(i)]; e < a.first[at(i) + 1]; ++e) {
            out.column.push_back(new_of[at(a.column[at(e)])]);
            out.value.push_back(a.value[at(e)]);
        }
        out.first.push_back(out.entries());
    }
    sort_and_add(out);
    return out;
}

} // namespace tawara::sparse
