// SPDX-License-Identifier: GPL-3.0-or-later
// Test programs of several sources, each with a class of its own.
#pragma once
#include <QtTest>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace tawara::test {

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

/// Whether a word of the command line names a test of this class: "name" or "name:row".
inline bool hasTest(const QObject& test, const QString& word)
{
    const auto call = word.section(':', 0, 0).toLatin1() + "()";
    return test.metaObject()->indexOfSlot(call.constData()) >= 0;
}

/// Runs the test of the program's first source, then those of its further ones; where the command
/// line names tests, each class runs those that it has.
/// @return  how many failed
inline int runAll(QObject& first, int argc, char** argv)
{
    std::vector<std::unique_ptr<QObject>> further;
    std::vector<QObject*> all{&first};
    for (const auto& make : furtherTests())
        all.push_back(further.emplace_back(make()).get());
    const QStringList words(argv + 1, argv + argc);
    const auto named = [&](const QObject* test) {
        return std::any_of(words.begin(), words.end(),
                           [&](const QString& word) { return hasTest(*test, word); });
    };
    const bool some = std::any_of(all.begin(), all.end(), named);
    int failed = 0;
    for (auto* test : all) {
        if (some && !named(test))
            continue;
        QStringList own{argv[0]};
        for (const auto& word : words)
            if (hasTest(*test, word) ||
                std::none_of(all.begin(), all.end(),
                             [&](const QObject* other) { return hasTest(*other, word); }))
                own << word;
        if (test != all.front())      // a second handler of Qt's would call itself for ever
            own << "-nocrashhandler"; // the first one's stays, and says what crashed
        failed += QTest::qExec(test, own);
    }
    return failed;
}

/// The main() of a test without a window.
template <class Test>
int run(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    Test test;
    return runAll(test, argc, argv);
}

} // namespace tawara::test
