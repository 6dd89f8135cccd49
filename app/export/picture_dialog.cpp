// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/picture_dialog.hpp"
#include "app/export/save_dialog.hpp"

#include "app/export/size_row.hpp"
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/whole_file.hpp"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QImageWriter>
#include <QLabel>
#include <QPushButton>
#include <QSaveFile>

namespace tawara {

QString pictureRefused(const QString& path)
{
    const QByteArray format = QFileInfo(path).suffix().toLower().toUtf8();
    if (!QImageWriter::supportedImageFormats().contains(format))
        return QObject::tr("%1: no picture of that kind can be written; want .png or .jpg")
            .arg(path);
    try {
        need_writable_file(path.toStdString());
    } catch (const InputError& e) {
        return QString::fromUtf8(e.what());
    }
    return {};
}

QString writePicture(const QImage& image, const QString& path)
{
    if (const QString refused = pictureRefused(path); !refused.isEmpty())
        return refused;
    QImage signedImage = image;
    const QLatin1String by(provenance_name);
    if (image.text(by).isEmpty())
        signedImage.setText(by, QString::fromStdString(program_provenance()));
    signedImage.setText(QStringLiteral("Software"), QString::fromStdString(program_text()));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return QObject::tr("%1: cannot be written: %2").arg(path, file.errorString());
    const QByteArray format = QFileInfo(path).suffix().toLatin1();
    if (image.hasAlphaChannel() && format.toLower() != "png")
        return QObject::tr("%1: only .png keeps a transparent background").arg(path);
    if (!signedImage.save(&file, format.constData())) {
        file.cancelWriting();
        return QObject::tr("%1: cannot be written: %2").arg(path, file.errorString());
    }
    return file.commit() ? QString()
                         : QObject::tr("%1: cannot be written: %2").arg(path, file.errorString());
}

PictureDialog::PictureDialog(Maker maker, const QSize& onScreen, QWidget* parent)
    : QDialog(parent), m_maker(std::move(maker)), m_size(new SizeRow(onScreen)),
      m_transparent(new QCheckBox(tr("&Transparent background"))),
      m_annotations(new QCheckBox(tr("&Annotations"))), m_paper(new QComboBox), m_note(new QLabel)
{
    setObjectName("pictureDialog");
    setWindowTitle(tr("Picture of the heart"));
    m_transparent->setObjectName("transparent");
    m_transparent->setToolTip(tr("Nothing behind the heart; saved as PNG"));
    m_paper->setObjectName("paper");
    m_paper->addItem(tr("For light paper: dark letters"));
    m_paper->addItem(tr("For dark slides: light letters"));
    m_paper->setToolTip(tr("What a transparent picture is put on"));
    m_paper->setEnabled(false);
    connect(m_transparent, &QCheckBox::toggled, m_paper, &QWidget::setEnabled);
    m_annotations->setObjectName("annotations");
    m_annotations->setToolTip(tr("Colour bar, axes, time and names"));
    m_annotations->setChecked(true);
    m_note->setWordWrap(true);
    auto* form = new QFormLayout(this);
    form->addRow(tr("&Size"), m_size);
    form->addRow(QString(), m_transparent);
    form->addRow(QString(), m_paper);
    form->addRow(QString(), m_annotations);
    form->addRow(m_note);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* save = buttons->addButton(tr("&Save…"), QDialogButtonBox::ActionRole);
    auto* clip = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
    save->setObjectName("save");
    clip->setObjectName("copy");
    clip->setToolTip(tr("Puts the picture on the clipboard"));
    form->addRow(buttons);
    save->setDefault(true);
    save->setFocus();
    connect(save, &QPushButton::clicked, this, &PictureDialog::askAndSave);
    connect(clip, &QPushButton::clicked, this, [this] { say(copy(), tr("On the clipboard.")); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

PictureOptions PictureDialog::options() const
{
    PictureOptions o;
    o.size = m_size->value();
    o.transparent = m_transparent->isChecked();
    o.dark_paper = m_paper->currentIndex() == 1;
    o.annotations = m_annotations->isChecked();
    return o;
}

QString PictureDialog::saveAs(const QString& path)
{
    QString why;
    const QImage image = m_maker(options(), &why);
    if (image.isNull())
        return why;
    const QString error = writePicture(image, path);
    if (error.isEmpty())
        Q_EMIT saved(path);
    return error;
}

QString PictureDialog::copy()
{
    QString why;
    const QImage image = m_maker(options(), &why);
    if (image.isNull())
        return why;
    QGuiApplication::clipboard()->setImage(image);
    return {};
}

void PictureDialog::askAndSave()
{
    const QString path = askWhereToSave(
        this, tr("Save the picture"), saveProposal({}, QStringLiteral(".png")),
        m_transparent->isChecked() ? tr("PNG (*.png)") : tr("PNG (*.png);;JPEG (*.jpg)"));
    if (!path.isEmpty())
        say(saveAs(path), tr("Saved %1").arg(path));
}

void PictureDialog::say(const QString& error, const QString& done)
{
    m_note->setText(error.isEmpty() ? done : error);
}

} // namespace tawara
