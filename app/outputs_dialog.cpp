// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/outputs_dialog.hpp"

#include "engine/simulation/session/session_keys.hpp"
#include "widgets/panels/key_box.hpp"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace tawara {
namespace {

using simulation::Key;
using simulation::Member;
using simulation::Session;

/// The one key here that is part of the tissue's problem: steps find activations with it.
constexpr std::string_view threshold = "/output/activation_threshold_mV";

bool isNumber(const Key& key)
{
    const auto type = key.member.type;
    return key.member.of(typeid(Session)) &&
           (type == Member::Type::number || type == Member::Type::integer);
}

} // namespace

OutputsDialog::OutputsDialog(const Session& current, QWidget* parent)
    : QDialog(parent), m_said(hintLabel({}))
{
    setObjectName("outputsDialog");
    setWindowTitle(tr("Outputs"));
    auto* grid = new QGridLayout;
    grid->setColumnStretch(2, 1);
    for (const Key* key : simulation::keys_of("/output")) {
        if (!isNumber(*key))
            continue;
        auto* box =
            keyBox(QString::fromUtf8(key->name().data(), qsizetype(key->name().size())), key->at);
        box->put(key->member.get(&current));
        const int row = grid->rowCount();
        auto* label = new QLabel(keyLabel(*key));
        label->setBuddy(box);
        label->setToolTip(box->toolTip());
        grid->addWidget(label, row, 0);
        grid->addWidget(box, row, 1);
        grid->addWidget(hintLabel(zeroText(*key)), row, 2);
        m_fields.push_back({key, box, box->value()});
        connect(box, &QDoubleSpinBox::valueChanged, this, &OutputsDialog::describe);
    }
    m_said->setObjectName("outputsSaid");
    m_said->setWordWrap(true);
    m_said->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    constexpr int lines_said = 2; // room, so that the buttons stay where they are
    m_said->setMinimumHeight(lines_said * m_said->fontMetrics().lineSpacing());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* all = new QVBoxLayout(this);
    all->addLayout(grid);
    all->addWidget(m_said);
    all->addWidget(buttons);
    describe();
}

bool OutputsDialog::isChanged(const Field& f) const
{
    return f.box->value() != f.shown;
}

SessionChange OutputsDialog::change() const
{
    std::vector<std::pair<const Key*, double>> values;
    for (const Field& f : m_fields)
        if (isChanged(f))
            values.emplace_back(f.key, f.box->value());
    if (values.empty())
        return {};
    return [values](Session& s) {
        for (const auto& [key, value] : values)
            key->member.set(&s, value);
    };
}

bool OutputsDialog::startsAnew() const
{
    return std::any_of(m_fields.begin(), m_fields.end(),
                       [this](const Field& f) { return f.key->at == threshold && isChanged(f); });
}

void OutputsDialog::describe()
{
    m_said->setText(startsAnew()
                        ? tr("With another threshold the run starts anew.")
                        : tr("What tawara-cli run writes of this session. The window records "
                             "frames by itself (Ctrl+E)."));
}

} // namespace tawara
