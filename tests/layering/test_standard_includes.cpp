// SPDX-License-Identifier: GPL-3.0-or-later
// What is used of the standard library and of JSON is included, though both are precompiled.
#include "tests/layering/sources.hpp"

#include <QHash>
#include <QMap>
#include <QSet>
#include <QtTest>

namespace {

/// Header by header, the names that only it is meant to bring.
const QMap<QString, QString> names_of{
    {"algorithm", "sort stable_sort nth_element min max clamp any_of all_of none_of find find_if "
                  "count_if lower_bound upper_bound fill copy transform max_element min_element "
                  "reverse unique ranges"},
    {"array", "array"},
    {"atomic", "atomic"},
    {"bit", "bit_cast bit_width popcount"},
    {"charconv", "from_chars to_chars"},
    {"chrono", "chrono"},
    {"cmath", "sqrt abs exp log isfinite isnan hypot floor ceil round lround llround pow cbrt fma"},
    {"condition_variable", "condition_variable"},
    {"cstdint", "int32_t int64_t uint8_t uint16_t uint32_t uint64_t"},
    {"cstdio", "snprintf fprintf fopen"},
    {"cstring", "memcpy memcmp strlen"},
    {"deque", "deque"},
    {"filesystem", "filesystem"},
    {"fstream", "ifstream ofstream"},
    {"functional", "function"},
    {"future", "future async"},
    {"limits", "numeric_limits"},
    {"map", "map multimap"},
    {"memory", "unique_ptr shared_ptr weak_ptr make_unique make_shared"},
    {"mutex", "mutex lock_guard unique_lock scoped_lock"},
    {"numbers", "numbers"},
    {"numeric", "accumulate iota"},
    {"optional", "optional nullopt"},
    {"random", "mt19937 mt19937_64 uniform_real_distribution"},
    {"set", "set"},
    {"span", "span"},
    {"sstream", "ostringstream istringstream stringstream"},
    {"stop_token", "stop_token stop_source"},
    {"string", "string to_string"},
    {"string_view", "string_view"},
    {"thread", "thread jthread"},
    {"tuple", "tuple tie"},
    {"unordered_map", "unordered_map"},
    {"unordered_set", "unordered_set"},
    {"variant", "variant visit holds_alternative get_if"},
    {"vector", "vector"},
};

QHash<QString, QString> header_of_names()
{
    QHash<QString, QString> out;
    for (auto it = names_of.begin(); it != names_of.end(); ++it)
        for (const auto& name : it->split(' '))
            out[name] = it.key();
    return out;
}

class Includes
{
  public:
    explicit Includes(const QList<Source>& all)
    {
        for (const auto& s : all)
            sources_[s.path] = &s;
    }

    /// Headers in angles that a file includes, itself or by other files of ours.
    QSet<QString> of(const QString& path)
    {
        if (const auto known = known_.constFind(path); known != known_.cend())
            return *known;
        known_[path] = {}; // ends circles
        QSet<QString> out;
        if (const auto* s = sources_.value(path)) {
            for (const auto& i : s->includes)
                out |= i.angled ? QSet<QString>{i.what} : of(i.what);
        }
        return known_[path] = out;
    }

  private:
    QHash<QString, const Source*> sources_;
    QHash<QString, QSet<QString>> known_;
};

/// What a file uses of the standard library, or of JSON, without its header: "line: name needs
/// <header>".
QStringList lacking(const Source& s, Includes& includes)
{
    static const QHash<QString, QString> header_of = header_of_names();
    static const QRegularExpression used("\\bstd::(\\w+)"), text("\"(\\\\.|[^\"\\\\])*\""),
        remark("//.*"), json("\\bnlohmann::");
    const auto there = includes.of(s.path);
    const bool has_json =
        there.contains("nlohmann/json.hpp") || there.contains("nlohmann/json_fwd.hpp");
    QStringList out;
    for (int k = 0; k < s.lines.size(); ++k) {
        QString line = s.lines[k];
        line.remove(text).remove(remark);
        if (!has_json && json.match(line).hasMatch())
            out << QString("%1: nlohmann:: needs <nlohmann/json.hpp>").arg(k + 1);
        for (auto it = used.globalMatch(line); it.hasNext();) {
            const auto name = it.next().captured(1);
            const auto header = header_of.value(name);
            if (!header.isEmpty() && !there.contains(header))
                out << QString("%1: std::%2 needs <%3>").arg(k + 1).arg(name, header);
        }
    }
    return out;
}

} // namespace

class TestStandardIncludes : public QObject
{
    Q_OBJECT

  private Q_SLOTS:
    void whatIsUsedIsIncluded()
    {
        const auto all = sources({"engine", "widgets", "app"}, {"*.cpp", "*.hpp", "*.cu", "*.cuh"});
        QVERIFY(all.size() > 500);
        Includes includes(all);
        QStringList wrong;
        for (const auto& s : all)
            for (const auto& l : lacking(s, includes))
                wrong << s.path + ":" + l;
        QVERIFY2(wrong.isEmpty(), ("\n  " + wrong.join("\n  ")).toUtf8().constData());
    }

    void theRuleCanFail()
    {
        const Source header{"a.hpp", {}, {{"vector", true, 1}}};
        Source s{"b.cpp", {"std::vector<std::map<int>> x; // std::set", "f(\"std::set\");"}, {}};
        s.includes = {{"a.hpp", false, 1}};
        const QList<Source> all{header, s};
        Includes includes(all);
        QCOMPARE(lacking(all[1], includes), QStringList{"1: std::map needs <map>"});
        Source j{"c.cpp", {"nlohmann::json j;"}, {}};
        QCOMPARE(lacking(j, includes), QStringList{"1: nlohmann:: needs <nlohmann/json.hpp>"});
        j.path = "d.cpp", j.includes = {{"nlohmann/json_fwd.hpp", true, 1}};
        const QList<Source> more{j};
        Includes of_more(more);
        QCOMPARE(lacking(more[0], of_more), QStringList());
    }
};

QTEST_GUILESS_MAIN(TestStandardIncludes)
#include "test_standard_includes.moc"
