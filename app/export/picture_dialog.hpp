// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/view3d/picture.hpp"

#include <QDialog>

#include <functional>

class QCheckBox;
class QComboBox;
class QLabel;

namespace tawara {

class SizeRow;

/// Asks how a picture is to be and makes it: any size, transparent, with or without annotations; to
/// a file or to the clipboard. Stays open, so that several can be taken.
class PictureDialog : public QDialog
{
    Q_OBJECT
  public:
    using Maker = std::function<QImage(const PictureOptions&, QString* why)>;
    PictureDialog(Maker maker, const QSize& onScreen, QWidget* parent = nullptr);
    PictureOptions options() const;
    /// Saves there; empty when done, else what failed.
    QString saveAs(const QString& path);
    QString copy();

  Q_SIGNALS:
    void saved(const QString& path);

  private:
    void askAndSave();
    void say(const QString& error, const QString& done);

    Maker m_maker;
    SizeRow* m_size;
    QCheckBox *m_transparent, *m_annotations;
    QComboBox* m_paper;
    QLabel* m_note;
};

/// Why no picture can be written to a file of that name: its extension, or what is there. Asked
/// before long work; empty where nothing is in the way.
QString pictureRefused(const QString& path);

/// Writes a picture; the whole file or none of it. Empty when done, else one line that says what
/// failed.
QString writePicture(const QImage& image, const QString& path);

} // namespace tawara
