// SPDX-License-Identifier: GPL-3.0-or-later
// What threads hand to each other beside the window. tests/sanitize/tsan.sh runs it too: nothing
// but the hand-over orders what the two threads do to the numbers here.
#include "app/work_pool.hpp"

#include <QTest>

#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace tawara;

namespace {

constexpr int times = 200;

int sum(const std::vector<int>& numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), 0);
}

} // namespace

class TestHandOver : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void whatIsPostedIsCalledHereInOrder()
    {
        std::vector<int> came;
        {
            std::jthread other([&] {
                for (int k = 0; k < times; ++k)
                    postTo(this, [&came, numbers = std::make_unique<std::vector<int>>(3, k)] {
                        QVERIFY(QThread::currentThread() == qApp->thread());
                        came.push_back(sum(*numbers) / 3);
                    });
            });
            QTRY_COMPARE(came.size(), std::size_t{times});
        }
        for (int k = 0; k < times; ++k)
            QCOMPARE(came[static_cast<std::size_t>(k)], k);
    }

    void nothingIsCalledOfAReceiverThatIsGone()
    {
        auto receiver = std::make_unique<QObject>();
        const auto numbers = std::make_shared<std::vector<int>>(3, 1);
        bool called = false;
        std::jthread([&, numbers] {
            postTo(receiver.get(), [&called, numbers] { called = true; });
        }).join();
        QVERIFY(numbers.use_count() > 1);
        receiver.reset();
        QTest::qWait(20);
        QVERIFY(!called);
        QCOMPARE(numbers.use_count(), 1L); // what it carried is freed
    }

    void aPoolWorksOneByOneAndTells()
    {
        std::vector<int> found, order;
        WorkPool pool;
        for (int k = 0; k < times; ++k) {
            std::vector<int> numbers(3, k);
            pool.start(this, [&, k, numbers = std::move(numbers)] {
                order.push_back(k); // no lock: one thread
                postTo(this, [&found, doubled = std::vector<int>(2, sum(numbers))] {
                    found.push_back(sum(doubled));
                });
            });
        }
        QTRY_COMPARE(found.size(), std::size_t{times});
        for (int k = 0; k < times; ++k) {
            QCOMPARE(found[static_cast<std::size_t>(k)], 6 * k);
            QCOMPARE(order[static_cast<std::size_t>(k)], k);
        }
    }

    void whoWaitsForAPoolSeesAllThatItDid()
    {
        for (int k = 0; k < times; ++k) {
            auto numbers = std::make_unique<std::vector<int>>(1);
            const auto given = std::make_shared<int>(k);
            WorkPool pool;
            pool.start(this, [&numbers, given] { numbers->assign(3, *given); });
            pool.waitForDone();
            QCOMPARE(sum(*numbers), 3 * k);
            QCOMPARE(given.use_count(), 1L); // the piece is gone, too
            numbers.reset();
        }
    }

    void whatFailsIsTakenBackHere_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("said");
        QTest::newRow("an error") << 0 << "what is computed beside the window failed: too wide";
        QTest::newRow("memory") << 1 << "not enough memory for what is computed beside the window";
        QTest::newRow("anything") << 2 << "what is computed beside the window failed";
    }
    void whatFailsIsTakenBackHere()
    {
        QFETCH(int, kind);
        QFETCH(QString, said);
        QTest::ignoreMessage(QtWarningMsg, qPrintable(said));
        bool busy = true;
        int after = 0;
        WorkPool pool;
        pool.start(
            this,
            [kind] {
                if (kind == 0)
                    throw std::runtime_error("too wide");
                if (kind == 1)
                    throw std::bad_alloc();
                throw kind;
            },
            [&] {
                QVERIFY(QThread::currentThread() == qApp->thread());
                busy = false;
            });
        pool.start(this, [&] { postTo(this, [&] { after = 1; }); });
        QTRY_COMPARE(after, 1); // it goes on
        QVERIFY(!busy);
    }
};

QTEST_GUILESS_MAIN(TestHandOver)
#include "test_hand_over.moc"
