// SPDX-License-Identifier: GPL-3.0-or-later
// Cells with dyads on a GPU, against those of processors. Skipped where there is no GPU.
#include "tests/calcium/cells_on_gpu.hpp"
#include "tests/device/on_gpu.hpp"
#include "tests/several.hpp"

#include <QtTest>

using namespace tawara::test;

class TestCalciumCuda : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void init() { need_gpu(); }
    void dyadsGiveTheCpusBits() { none(dyads_give_the_cpus_bits()); }
    void cellsFollowTheCpu() { none(cells_follow_the_cpu()); }
    void batchesAndDevicesDoNotMatter() { none(batches_and_devices_do_not_matter()); }
    void statesGoOn() { none(states_go_on()); }
    void forcedOpeningEmptiesTheSr() { none(forced_opening_empties_the_sr()); }
    void calciumIsConserved() { none(calcium_is_conserved()); }
    void meansLieWithinTheSpreadOfSeeds() { none(means_lie_within_the_spread_of_seeds()); }
    void capturedStepsAreSteps() { none(captured_steps_are_steps()); }
    void tooManyCellsAreRefused() { none(too_many_cells_are_refused()); }

  private:
    static void none(const std::string& failure) { QVERIFY2(failure.empty(), failure.c_str()); }
};

int main(int argc, char** argv)
{
    return tawara::test::run<TestCalciumCuda>(argc, argv);
}
#include "test_calcium_cuda.moc"
