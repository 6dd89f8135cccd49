// SPDX-License-Identifier: GPL-3.0-or-later
// Test programs of several sources, each with a class of its own.
#pragma once
#include <QtTest>

#include <functional>
#include <memory>
#include <vector>

namespace tawara::fake {

inline std::vector<std::function<std::unique_ptr<QObject>()>>& furtherTests()
{
    static std::vector<std::function<std::unique_ptr<QObject>()>> makers;
    return makers;
}

/// A source beside the program's first one has such a variable for its class.
template <class Test>
struct Further
{
    Further()
    {
        furtherTests().push_back([] { return std::make_unique<Test>(); });
    }
};

/// Runs the test of the program's first source, then those of its further ones.
/// @return  how many failed
inline int runAll(QObject& first, int argc, char** argv)
{
    int failed = QTest::qExec(&first, argc, argv);
    for (const auto& make : furtherTests())
        failed += QTest::qExec(make().get(), argc, argv);
    return failed;
}

/// The main() of a test of widgets without the window.
template <class Test>
int runWidgets(int argc, char** argv)
{
    QApplication app(argc, argv);
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
    Test test;
    return runAll(test, argc, argv);
}

} // namespace tawara::fake
