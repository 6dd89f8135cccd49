// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/parameter_table.hpp"

#include "engine/simulation/session/presets.hpp"
#include "widgets/panels/cell_editor.hpp"
#include "widgets/panels/field_note.hpp"

#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace tawara {
namespace {

using simulation::Region;

constexpr int value_role = Qt::UserRole + 1; // ParameterRow::value

struct ParameterRow
{
    QString name;
    std::array<QString, 3> texts; ///< name with unit, value, default
    QString tip;
    bool changed = false;
    bool value = false; ///< of a region that changes what lies beneath: set, and no factor
};

/// The value that a region's list gives a name, if it gives one.
const double* given(const std::vector<std::pair<std::string, double>>& list,
                    const std::string& name)
{
    for (const auto& [n, v] : list)
        if (n == name)
            return &v;
    return nullptr;
}

double variantValue(const cell::ModelInfo& m, const std::string& variant,
                    const cell::ParameterInfo& p)
{
    for (const auto& v : m.variants)
        if (v.name == variant)
            for (const auto& [n, x] : v.parameters)
                if (n == p.name)
                    return x;
    return p.value;
}

QString parameterText(double v)
{
    return QString::number(v, 'g', 6);
}

/// What is added to a tool tip where a value is given.
QString exactText(const double* v)
{
    return v != nullptr
               ? ParameterTable::tr("\nGiven: %1").arg(*v, 0, 'g', QLocale::FloatingPointShortest)
               : QString();
}

/// Of a region that has factors in place of values, and values of what its tissue has not.
std::vector<ParameterRow> rowsOverTissue(const Region& r,
                                         const std::vector<const cell::ModelInfo*>& beneath)
{
    std::vector<ParameterRow> rows;
    const auto row = [&](const std::string& name, const QString& tip) {
        const double* own = given(r.scale, name);
        const QString n = QString::fromStdString(name);
        rows.push_back(
            {n,
             {n, parameterText(own != nullptr ? *own : 1), QStringLiteral("1")},
             tip + ParameterTable::tr("\nFactor on what the tissue beneath has. Bold: changed.") +
                 exactText(own),
             own != nullptr});
    };
    const auto value = [&](const std::string& name, const QString& usual, const QString& unit,
                           const QString& tip) {
        const double* own = given(r.parameters, name);
        const QString n = QString::fromStdString(name);
        rows.push_back(
            {n,
             {unit.isEmpty() ? ParameterTable::tr("%1, value").arg(n)
                             : ParameterTable::tr("%1, value [%2]").arg(n, unit),
              own != nullptr ? parameterText(*own) : usual, usual},
             tip +
                 ParameterTable::tr(
                     "\nValue in place of what the tissue beneath has. Empty: as beneath. "
                     "Bold: changed.") +
                 exactText(own),
             own != nullptr,
             true});
    };
    const auto known = [&](const std::string_view name) {
        return beneath.empty() ||
               std::any_of(beneath.begin(), beneath.end(), [&](const cell::ModelInfo* m) {
                   return m == nullptr || !simulation::parameter_name(*m, name).empty();
               });
    };
    for (const auto& p : simulation::canonical_parameters()) {
        if (!known(p.name))
            continue;
        const auto text = [](std::string_view t) {
            return QString::fromUtf8(t.data(), static_cast<qsizetype>(t.size()));
        };
        if (p.unit.empty())
            row(std::string(p.name), text(p.description));
        else
            value(std::string(p.name), QStringLiteral("0"), text(p.unit), text(p.description));
    }
    for (const auto& [name, factor] : r.scale)
        if (std::none_of(rows.begin(), rows.end(), [&n = name](const ParameterRow& shown) {
                return shown.name == QString::fromStdString(n);
            }))
            row(name, QString::fromStdString(name));
    for (const auto& [name, x] : r.parameters)
        if (std::none_of(rows.begin(), rows.end(), [&n = name](const ParameterRow& shown) {
                return shown.value && shown.name == QString::fromStdString(n);
            }))
            value(name, {}, {}, QString::fromStdString(name));
    return rows;
}

/// Of a region with a model of its own.
std::vector<ParameterRow> rowsOfModel(const Region& r, const cell::ModelInfo& info)
{
    std::vector<ParameterRow> rows;
    for (const auto& p : info.parameters) {
        const double* own = given(r.parameters, p.name);
        const double usual = variantValue(info, r.variant, p);
        const QString n = QString::fromStdString(p.name);
        rows.push_back(
            {n,
             {p.unit.empty() ? n
                             : ParameterTable::tr("%1 [%2]").arg(n, QString::fromStdString(p.unit)),
              parameterText(own != nullptr ? *own : usual), parameterText(usual)},
             QString::fromStdString(p.description.empty() ? p.name : p.description) +
                 ParameterTable::tr("\nEmpty: back to the default. Bold: changed.") +
                 exactText(own),
             own != nullptr});
    }
    return rows;
}

/// A model's parameters; of a region that changes what lies beneath, its factors on them, and the
/// values of those that are 0 in a normal cell.
/// @param beneath  models of the regions beneath: what none of them has is not offered
std::vector<ParameterRow> parameterRows(const Region& r, const cell::ModelInfo* info,
                                        const std::vector<const cell::ModelInfo*>& beneath)
{
    if (r.inherits())
        return rowsOverTissue(r, beneath);
    return info != nullptr ? rowsOfModel(r, *info) : std::vector<ParameterRow>();
}

} // namespace

ParameterTable::ParameterTable(QWidget* parent) : QWidget(parent)
{
    m_filter = new QLineEdit;
    m_filter->setObjectName("parameterFilter");
    m_filter->setPlaceholderText(tr("Find a parameter, e.g. g_Kr"));
    m_filter->setClearButtonEnabled(true);
    m_table = new QTableWidget(0, 3);
    m_table->setObjectName("parameters");
    m_table->setHorizontalHeaderLabels({tr("Parameter"), tr("Value"), tr("Default")});
    coverCells(m_table);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(24);
    m_table->setMinimumHeight(190);
    m_table->horizontalHeader()->setSectionResizeMode(name_column, QHeaderView::Stretch);
    m_table->horizontalHeader()->setMinimumSectionSize(64); // values stay readable
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    column->addWidget(m_filter);
    column->addWidget(m_table, 1);
    connectTable();
}

void ParameterTable::setEditable(bool on)
{
    m_table->setEnabled(on);
}

QString ParameterTable::nameIn(int row) const
{
    return m_table->item(row, name_column)->data(Qt::UserRole).toString();
}

void ParameterTable::connectTable()
{
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& t) {
        for (int row = 0; row < m_table->rowCount(); ++row)
            m_table->setRowHidden(row, !nameIn(row).contains(t, Qt::CaseInsensitive));
    });
    connect(m_table, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
        if (item->column() != value_column)
            return;
        m_shown = {}; // the table says what was typed
        const QString name = nameIn(item->row());
        bool ok = false;
        const double v = item->text().toDouble(&ok);
        const bool clear = item->text().trimmed().isEmpty();
        const auto refuse = [&](const QString& why) {
            const QRect at = m_table->visualItemRect(item).translated(m_table->viewport()->pos());
            fill(m_region, m_info, m_beneath);
            noteAt(m_table, why, at);
        };
        if (!ok && !clear)
            return refuse(tr("“%1” cannot be taken: a number, or nothing for the model's own value")
                              .arg(item->text().trimmed()));
        const bool factor = m_region.inherits() &&
                            !m_table->item(item->row(), name_column)->data(value_role).toBool();
        if (ok && v < 0 && factor)
            return refuse(tr("%1 cannot be taken: a factor below 0 would turn the current round")
                              .arg(spacedNumber(v)));
        noteAt(m_table, {});
        if (factor)
            Q_EMIT factorChanged(name, clear ? std::nullopt : std::optional(v));
        else
            Q_EMIT valueChanged(name, clear ? std::nullopt : std::optional(v));
    });
}

void ParameterTable::fill(const Region& r, const cell::ModelInfo* info,
                          const std::vector<const cell::ModelInfo*>& beneath)
{
    m_region = r;
    m_info = info;
    m_beneath = beneath;
    // hundreds of cells: written only when they change, and measured once
    static const decltype(Region::scale) no_factors;
    Shown wanted{true, info, r.variant, r.parameters, r.inherits() ? r.scale : no_factors, {}};
    if (r.inherits())
        wanted.beneath = beneath;
    if (wanted == m_shown)
        return;
    const bool other = !m_shown.written || wanted.info != m_shown.info;
    m_shown = std::move(wanted);
    const auto rows = parameterRows(r, info, m_shown.beneath);
    m_table->setRowCount(static_cast<int>(rows.size()));
    m_table->horizontalHeaderItem(value_column)->setText(r.inherits() ? tr("Factor") : tr("Value"));
    const QSignalBlocker quiet(m_table->model());
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const auto& shown = rows[static_cast<std::size_t>(row)];
        for (int column = 0; column < m_table->columnCount(); ++column) {
            auto* item = m_table->item(row, column);
            if (item == nullptr)
                m_table->setItem(row, column, item = new QTableWidgetItem);
            item->setText(shown.texts[static_cast<std::size_t>(column)]);
            item->setFlags(column == value_column
                               ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable
                               : Qt::ItemIsEnabled | Qt::ItemIsSelectable);
            QFont f = m_table->font();
            f.setBold(shown.changed && column == value_column);
            item->setFont(f);
            item->setToolTip(shown.tip);
            item->setData(Qt::UserRole, shown.name);
            item->setData(value_role, shown.value);
        }
        m_table->setRowHidden(row, !shown.name.contains(m_filter->text(), Qt::CaseInsensitive));
    }
    if (other)
        for (const int column : {value_column, default_column})
            m_table->resizeColumnToContents(column);
    m_table->viewport()->update();
}

} // namespace tawara
