// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QImage>
#include <QRect>
#include <QSize>

class QString;

namespace tawara {

class HeartView;
class ViewGrid;

/// How a picture of a view is drawn.
struct PictureOptions
{
    QSize size{1280, 720};    ///< pixels, whatever the view's size on screen is
    bool transparent = false; ///< nothing behind the heart (edges blend with what it is put on)
    bool annotations = true;  ///< colour bar, axes, time, names of markers
    double scale = 0;         ///< of texts and lines; 0: by the picture's height
    bool dark_paper = false;  ///< what a transparent one is put on: its letters are light then
};

/// Of texts and lines in a picture with those options.
double pictureScale(const PictureOptions& options);

/// Where each of a grid's views lies in a picture of them all.
QRect pictureCell(int view, int count, const QSize& whole);

/// Draws what a view shows, off the screen, at any size; what is on screen does not change.
///
/// @param why  says in one line why the picture is null; may be null
/// @pre    the view has been shown once
/// @thread GUI thread
/// @cost   one Render() at that size and the copy to the host
QImage takePicture(HeartView& view, const PictureOptions& options, QString* why = nullptr);

/// All views of a grid as one picture, arranged as on screen.
QImage takePicture(ViewGrid& views, const PictureOptions& options, QString* why = nullptr);

} // namespace tawara
