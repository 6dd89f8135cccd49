// SPDX-License-Identifier: GPL-3.0-or-later
// spmv_check [--own]: the cases of tests/sparse/product_cases.hpp without a test library; --own:
// without cuSPARSE's. Ends with 1 where one fails.
#include "engine/core/error.hpp"
#include "tests/sparse/product_cases.hpp"
#include "tests/sparse/product_on_gpu.hpp"

#include <cstdio>
#include <string>

int main(int count, char** text)
{
    using namespace tawara::test;
    int failed = 0;
    const auto one = [&](const char* name, std::string (*check)()) {
        std::string failure;
        try {
            failure = check();
        } catch (const tawara::Error& e) {
            failure = e.what();
        }
        std::printf("%s %s%s%s\n", failure.empty() ? "passed" : "FAILED", name,
                    failure.empty() ? "" : ": ", failure.c_str());
        std::fflush(stdout);
        failed |= !failure.empty();
    };
    one("laid out matrices give the CPU's bits", laid_out_matrices_give_the_cpus_bits);
    one("other formats agree", other_formats_agree);
    const bool own = count > 1 && std::string(text[1]) == "--own";
    if (const std::string why = own ? "not asked for" : no_cusparse(); !why.empty())
        std::printf("skipped cuSPARSE agrees: %s\n", why.c_str());
    else
        one("cuSPARSE agrees", cusparse_agrees);
    one("values alone are renewed", values_alone_are_renewed);
    one("launches that cannot be are refused", launches_that_cannot_be_are_refused);
    return failed;
}
