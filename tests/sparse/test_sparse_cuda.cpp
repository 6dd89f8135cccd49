// SPDX-License-Identifier: GPL-3.0-or-later
// Products on a GPU against the same ones on the CPU. Skipped where there is no GPU.
#include "tests/device/on_gpu.hpp"
#include "tests/sparse/product_cases.hpp"
#include "tests/sparse/product_on_gpu.hpp"

#include <QtTest>

using namespace tawara::test;

class TestSparseCuda : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_gpu(); }
    void laidOutMatricesGiveTheCpusBits() { none(laid_out_matrices_give_the_cpus_bits()); }
    void otherFormatsAgree() { none(other_formats_agree()); }
    void cusparseAgrees()
    {
        if (const auto why = no_cusparse(); !why.empty())
            QSKIP(why.c_str());
        none(cusparse_agrees());
    }
    void valuesAloneAreRenewed() { none(values_alone_are_renewed()); }
    void launchesThatCannotBeAreRefused() { none(launches_that_cannot_be_are_refused()); }

  private:
    static void none(const std::string& failure) { QVERIFY2(failure.empty(), failure.c_str()); }
};

QTEST_APPLESS_MAIN(TestSparseCuda)
#include "test_sparse_cuda.moc"
