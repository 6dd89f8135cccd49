// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/model_variables_dialog.hpp"

#include "widgets/panels/form.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>

namespace tawara {

ModelVariablesDialog::ModelVariablesDialog(const QString& file, const cell::Candidates& c,
                                           QWidget* parent)
    : QDialog(parent), m_error(new QLabel)
{
    setObjectName("modelVariables");
    setWindowTitle(tr("Variables of %1").arg(QFileInfo(file).fileName()));
    setMinimumWidth(520);
    m_potential =
        combo("potential", c.membrane_potential, c.found.membrane_potential, tr("Choose…"));
    m_stimulus =
        combo("stimulus", c.stimulus, c.found.stimulus, tr("None: the stimulus is added to dV/dt"));
    m_time = combo("time", c.time, c.found.time, tr("None: the model does not use it"));
    auto* why = hintLabel(
        tr("%1 does not say clearly which of its variables is the membrane potential. What is "
           "chosen here is written into the session.")
            .arg(QFileInfo(file).fileName()));
    m_error->setProperty("level", "error");
    m_error->setObjectName("error");
    m_error->setWordWrap(true);
    m_error->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Cancel)->setIcon({});
    m_use = buttons->addButton(tr("&Use"), QDialogButtonBox::ActionRole);
    m_use->setObjectName("use");
    m_use->setDefault(true);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(16, 14, 16, 12);
    form->setVerticalSpacing(7);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(why);
    const std::pair<QString, QComboBox*> rows[]{{tr("Membrane &potential"), m_potential},
                                                {tr("&Stimulus current"), m_stimulus},
                                                {tr("&Time"), m_time}};
    for (const auto& [name, box] : rows) {
        auto* text = hintLabel({});
        form->addRow(name, box);
        form->addRow(QString(), text);
        connect(box, &QComboBox::currentIndexChanged, this, [this, b = box, text] {
            describe(b, text);
            m_use->setEnabled(m_potential->currentIndex() > 0);
        });
        describe(box, text);
    }
    form->addRow(m_error);
    form->addRow(buttons);
    m_use->setEnabled(m_potential->currentIndex() > 0);
    connect(m_use, &QPushButton::clicked, this, [this] {
        m_error->hide();
        Q_EMIT chosen(variables());
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

QComboBox* ModelVariablesDialog::combo(const char* name, const std::vector<cell::Candidate>& all,
                                       const std::string& found, const QString& none)
{
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->addItem(none);
    for (const auto& c : all) {
        const QString id = QString::fromStdString(c.name), unit = QString::fromStdString(c.unit);
        box->addItem(unit.isEmpty() ? id : QStringLiteral("%1  [%2]").arg(id, unit), id);
        QString text = QString::fromStdString(c.reason);
        if (!c.description.empty())
            text = QString::fromStdString(c.description) + QStringLiteral(" – ") + text;
        if (c.line > 0)
            text += tr(", line %1").arg(c.line);
        box->setItemData(box->count() - 1, text, Qt::ToolTipRole);
    }
    if (const int i = box->findData(QString::fromStdString(found)); !found.empty() && i > 0)
        box->setCurrentIndex(i);
    return box;
}

void ModelVariablesDialog::describe(const QComboBox* box, QLabel* text) const
{
    text->setText(box->currentData(Qt::ToolTipRole).toString());
    text->setVisible(!text->text().isEmpty());
}

cell::SpecialVariables ModelVariablesDialog::variables() const
{
    const auto of = [](const QComboBox* b) { return b->currentData().toString().toStdString(); };
    return {of(m_potential), of(m_stimulus), of(m_time)};
}

void ModelVariablesDialog::refuse(const QString& reason)
{
    m_error->setText(reason);
    m_error->show();
}

} // namespace tawara
