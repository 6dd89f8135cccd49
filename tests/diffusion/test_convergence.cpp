// SPDX-License-Identifier: GPL-3.0-or-later
// Convergence on the unit cube (engine/NUMERICS.md, 2). TAWARA_LARGE=1 adds the two largest meshes;
// (raise QTEST_FUNCTION_TIMEOUT then); TAWARA_RECORDS=FOLDER writes convergence_*.json there.
#include "tests/diffusion/steady.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <map>

using namespace tawara;
using namespace tawara::diffusion;

namespace {

/// N and the prototype's error on it.
struct Size
{
    const char* switches;
    double n, prototype;
};
constexpr Size sizes[]{{"-pq1.4a0.0045", 685, 0.185},         {"-pq1.4a0.0025", 1094, 0.108},
                       {"-pq1.4a0.0004", 5731, 0.029},        {"-pq1.4a0.00012", 18945, 0.0123},
                       {"-pq1.4a0.000031", 66215, 0.0048},    {"-pq1.4a0.0000075", 262747, 0.0019},
                       {"-pq1.4a0.0000019", 1028144, 0.00086}};
constexpr std::size_t quick = 5;
constexpr double eta = 2e-4;

std::size_t count()
{
    return qEnvironmentVariableIsSet("TAWARA_LARGE") ? std::size(sizes) : quick;
}

const mesh::TetMesh& cube(std::size_t k)
{
    static std::map<std::size_t, mesh::TetMesh> made;
    auto at = made.find(k);
    if (at == made.end())
        at = made.emplace(k, testing::tetgen_cube(sizes[k].switches)).first;
    return at->second;
}

/// The prototype's error at n, interpolated in the logarithms.
double prototype(double n)
{
    std::size_t k = 1;
    while (k + 1 < std::size(sizes) && sizes[k].n < n)
        ++k;
    const Size &a = sizes[k - 1], &b = sizes[k];
    const double slope = std::log(b.prototype / a.prototype) / std::log(b.n / a.n);
    return a.prototype * std::pow(n / a.n, slope);
}

using verify::order;

void record(const QString& what, const std::vector<testing::CubeResult>& r, double observed)
{
    const QString folder = qEnvironmentVariable("TAWARA_RECORDS");
    if (folder.isEmpty())
        return;
    QProcess git;
    git.start("git", {"-C", TAWARA_SOURCE_DIR, "rev-parse", "HEAD"});
    git.waitForFinished();
    QJsonArray rows;
    for (std::size_t k = 0; k < r.size(); ++k)
        rows.append(
            QJsonObject{{"tetgen", sizes[k].switches},
                        {"N", static_cast<qint64>(r[k].tetrahedra)},
                        {"unknowns", static_cast<qint64>(r[k].unknowns)},
                        {"dx", r[k].dx},
                        {"E", r[k].error},
                        {"prototype_E_fvm", prototype(static_cast<double>(r[k].tetrahedra))},
                        {"dt", r[k].dt_ms},
                        {"steps", static_cast<qint64>(r[k].steps)},
                        {"repaired_cells", static_cast<qint64>(r[k].repaired)},
                        {"assemble_seconds", r[k].assemble_seconds},
                        {"step_seconds", r[k].step_seconds}});
    const QJsonObject all{
        {"benchmark", "unit cube, cosine mode, t = 1"},
        {"scheme", what},
        {"commit", QString(git.readAllStandardOutput()).trimmed()},
        {"compiler", "gcc " __VERSION__},
        {"hardware_threads", static_cast<int>(std::thread::hardware_concurrency())},
        {"precision", "double"},
        {"mass_scaling", eta},
        {"order", observed},
        {"meshes", rows}};
    QFile file(folder + "/convergence_" + what + ".json");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(all).toJson());
}

std::vector<testing::CubeResult> study(ThreadPool& pool, std::size_t from, std::size_t to,
                                       Scheme scheme, Mass mass)
{
    std::vector<testing::CubeResult> out;
    for (std::size_t k = from; k < to; ++k) {
        out.push_back(testing::cosine_mode(pool, cube(k), scheme, mass, eta));
        const auto& r = out.back();
        qInfo("N %zu, %zu unknowns: E %.5f, dt %.3g = %.4f dx^2/D, %lld repaired, %.1f + %.1f s",
              r.tetrahedra, r.unknowns, r.error, r.dt_ms,
              r.dt_ms / (r.dx * r.dx * 12 * std::numbers::pi * std::numbers::pi),
              static_cast<long long>(r.repaired), r.assemble_seconds, r.step_seconds);
    }
    return out;
}

} // namespace

class TestConvergence : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase()
    {
        if (!testing::have_tetgen())
            QSKIP("tetgen is not installed (Debian package tetgen)");
        for (std::size_t k = 0; k < count(); ++k)
            QVERIFY2(cube(k).tetrahedron_count() > 0, sizes[k].switches);
    }

    void fvmIsAsGoodAsThePrototype()
    {
        const auto r = study(pool_, 0, count(), Scheme::fvm, Mass::lumped);
        for (const auto& c : r) {
            const double bound = 1.15 * prototype(static_cast<double>(c.tetrahedra));
            QVERIFY2(
                c.error <= bound,
                qPrintable(QString("N %1: %2 > %3").arg(c.tetrahedra).arg(c.error).arg(bound)));
        }
        const double observed = order(r, 0);
        qInfo("fvm: order %.3f", observed);
        QVERIFY(observed >= 1.95);
        record("fvm", r, observed);
    }

    void p1Lumped()
    {
        const auto r = study(pool_, 0, count(), Scheme::p1, Mass::lumped);
        const double observed = order(r, 1);
        qInfo("p1, lumped mass: order %.3f", observed);
        QVERIFY(observed >= 1.9);
        QVERIFY(r[quick - 1].error < 0.025);
        record("p1_lumped", r, observed);
    }

    void p1Consistent()
    {
        const auto r = study(pool_, 0, quick, Scheme::p1, Mass::consistent);
        const double observed = order(r, 1);
        qInfo("p1, consistent mass: order %.3f", observed);
        QVERIFY(observed >= 1.8);
        QVERIFY(r[quick - 1].error < 0.035);
        record("p1_consistent", r, observed);
    }

    void steadyAnisotropy_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::newRow("fvm") << static_cast<int>(Scheme::fvm);
        QTest::newRow("p1") << static_cast<int>(Scheme::p1);
    }
    /// -div(D grad u) + u = f, D 9:1 with fibres that turn by 120 degrees along z.
    void steadyAnisotropy()
    {
        QFETCH(int, scheme);
        std::vector<testing::CubeResult> r;
        for (std::size_t k = 2; k < quick; ++k) {
            r.push_back(testing::steady_turning(cube(k), static_cast<Scheme>(scheme)));
            qInfo("N %zu, %zu unknowns: E %.5f, %lld repaired", r.back().tetrahedra,
                  r.back().unknowns, r.back().error, static_cast<long long>(r.back().repaired));
        }
        const double observed = order(r, 0);
        qInfo("steady, 9:1: order %.3f", observed);
        QVERIFY(observed >= 1.8);
        QVERIFY(r.back().error < 0.02);
    }

  private:
    ThreadPool pool_{Context::whole_machine().threads};
};

QTEST_GUILESS_MAIN(TestConvergence)
#include "test_convergence.moc"
