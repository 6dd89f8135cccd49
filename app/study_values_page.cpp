// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/study_pages.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "widgets/panels/form.hpp"

#include <QCompleter>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace tawara {
namespace {

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Whether a path, "/tissue/regions/0/variant", is of a row of the table of keys.
bool fits(const QStringList& path, const QStringList& row)
{
    if (path.size() != row.size())
        return false;
    for (qsizetype k = 0; k < path.size(); ++k)
        if (row[k] != QLatin1String("#") && row[k] != path[k])
            return false;
    return true;
}

const simulation::Key* keyAt(const QStringList& path)
{
    for (const auto& key : simulation::session_keys())
        if (fits(path, fromView(key.at).split('/', Qt::SkipEmptyParts)))
            return &key;
    return nullptr;
}

/// Numbers, words and truths below a value, each with its path.
void flatten(const QJsonValue& v, const QStringList& at,
             std::vector<std::pair<QStringList, QString>>& to)
{
    if (v.isObject()) {
        const auto o = v.toObject();
        for (auto i = o.begin(); i != o.end(); ++i)
            flatten(i.value(), at + QStringList(i.key()), to);
    } else if (v.isArray()) {
        const auto list = v.toArray();
        for (qsizetype k = 0; k < list.size(); ++k)
            flatten(list[k], at + QStringList(QString::number(k)), to);
    } else if (v.isDouble() || v.isBool() || v.isString()) {
        to.emplace_back(at, v.isDouble() ? QString::number(v.toDouble(), 'g', 10)
                            : v.isBool() ? QString(v.toBool() ? "true" : "false")
                                         : v.toString());
    }
}

} // namespace

std::vector<std::string> valuesOf(const QString& text)
{
    std::vector<std::string> out;
    for (const QString& part : textParts(text)) {
        const auto read = QJsonDocument::fromJson("[" + part.toUtf8() + "]");
        const bool json = read.isArray() && read.array().size() == 1;
        if (json)
            out.push_back(part.toStdString());
        else
            out.push_back(
                QString::fromUtf8(QJsonDocument(QJsonArray{part}).toJson(QJsonDocument::Compact))
                    .chopped(1)
                    .mid(1)
                    .toStdString());
    }
    return out;
}

ValuesPage::ValuesPage(const simulation::Session& session)
{
    addKnown(session);
    QStringList paths;
    for (const auto& k : m_known)
        paths << k.path;
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(
        hintLabel(tr("Each combination of the values is a run. Keys are those of session files, as "
                     "“time.dt_ms”; type a part of one and choose.")));
    for (const int n : {1, 2}) {
        Axis a{new QLineEdit, new QLineEdit, hintLabel({})};
        a.key->setObjectName(QStringLiteral("studyKey%1").arg(n));
        a.key->setPlaceholderText(n == 1 ? tr("a key, e.g. conductivity")
                                         : tr("another key, or nothing"));
        a.values->setObjectName(QStringLiteral("studyValues%1").arg(n));
        a.values->setPlaceholderText(tr("values, e.g. 0.1, 0.2, 0.4"));
        a.about->setObjectName(QStringLiteral("studyAbout%1").arg(n));
        a.about->setTextFormat(Qt::PlainText);
        constexpr int lines = 2; // room, so that nothing moves
        a.about->setMinimumHeight(lines * a.about->fontMetrics().lineSpacing());
        a.about->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        auto* completer = new QCompleter(paths, a.key);
        completer->setFilterMode(Qt::MatchContains);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        completer->setMaxVisibleItems(12);
        a.key->setCompleter(completer);
        column->addWidget(groupLabel(n == 1 ? tr("Key") : tr("Second key")));
        column->addWidget(a.key);
        column->addWidget(a.values);
        column->addWidget(a.about);
        m_axes.push_back(a);
        const auto follow = [this, k = m_axes.size() - 1] {
            describe(m_axes[k]);
            Q_EMIT changed();
        };
        connect(a.key, &QLineEdit::textChanged, this, follow);
        connect(a.values, &QLineEdit::textChanged, this, follow);
        describe(a);
    }
    column->addStretch(1);
}

void ValuesPage::addKnown(const simulation::Session& session)
{
    const auto o =
        QJsonDocument::fromJson(QByteArray::fromStdString(simulation::to_json(session))).object();
    std::vector<std::pair<QStringList, QString>> leaves;
    flatten(o, {}, leaves);
    std::set<QString> there;
    for (const auto& [path, now] : leaves) {
        if (path.front() == "schema" || path.front() == "view" || path.front() == "name")
            continue;
        const auto* key = keyAt(path);
        m_known.push_back({path.join('.'), now, key != nullptr ? fromView(key->unit) : QString(),
                           key != nullptr ? fromView(key->what) : QString()});
        there.insert(path.join('.'));
    }
    for (const auto& key : simulation::session_keys()) {
        const auto path = fromView(key.at).split('/', Qt::SkipEmptyParts);
        if (key.member.type == simulation::Member::Type::none || path.contains("#") ||
            there.contains(path.join('.')))
            continue;
        m_known.push_back({path.join('.'), {}, fromView(key.unit), fromView(key.what)});
    }
    std::sort(m_known.begin(), m_known.end(),
              [](const Known& a, const Known& b) { return a.path < b.path; });
}

const ValuesPage::Known* ValuesPage::known(const QString& path) const
{
    const auto at = std::find_if(m_known.begin(), m_known.end(),
                                 [&](const Known& k) { return k.path == path; });
    return at == m_known.end() ? nullptr : &*at;
}

void ValuesPage::describe(const Axis& a)
{
    const auto* k = known(a.key->text().trimmed());
    if (k == nullptr)
        return a.about->setText({});
    QString text = k->what;
    if (!text.isEmpty()) {
        text[0] = text[0].toUpper();
        text += QStringLiteral(". ");
    }
    const QString now = k->unit.isEmpty() ? k->now : k->now + ' ' + k->unit;
    a.about->setText(text +
                     (k->now.isEmpty()
                          ? tr("Now the default%1.")
                                .arg(k->unit.isEmpty() ? QString() : tr(", in %1").arg(k->unit))
                          : tr("Now %1.").arg(now)));
}

QString ValuesPage::faultOf(const Axis& a) const
{
    const QString key = a.key->text().trimmed();
    const auto values = valuesOf(a.values->text());
    if (key.isEmpty())
        return values.empty() ? QString() : tr("Give the key that these values are of.");
    if (values.empty())
        return tr("Give the values of %1, with commas between them.").arg(key);
    for (std::size_t k = 0; k < values.size(); ++k)
        if (std::count(values.begin(), values.end(), values[k]) > 1)
            return tr("%1 is there twice; give each value once.")
                .arg(QString::fromStdString(values[k]));
    return {};
}

void ValuesPage::addTo(study::NewStudy& s) const
{
    for (const auto& a : m_axes)
        if (const QString key = a.key->text().trimmed(); !key.isEmpty())
            s.axes.emplace_back(key.toStdString(), valuesOf(a.values->text()));
}

QString ValuesPage::fault() const
{
    for (const auto& a : m_axes)
        if (const QString f = faultOf(a); !f.isEmpty())
            return f;
    const QString first = m_axes[0].key->text().trimmed(), second = m_axes[1].key->text().trimmed();
    if (first.isEmpty() && second.isEmpty())
        return tr("Choose a key and give its values.");
    if (first == second)
        return tr("Both keys are the same; give all values to one.");
    return {};
}

} // namespace tawara
