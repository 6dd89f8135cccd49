// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/movie_dialog.hpp"
#include "engine/simulation/observe/recording.hpp"
#include "tests/gui/window_fixture.hpp"

#include <QAction>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>

namespace tawara::fake {

/// What tests of leaving have in common: recordings, and questions that are answered.
class LeavingTest : public WindowTest
{
    Q_OBJECT
  protected:
    std::size_t frames()
    {
        const auto r = f->host->recording();
        return r != nullptr ? r->frame_count() : 0;
    }
    /// Records anew, as somebody wants it who presses the button.
    void recordOnPurpose()
    {
        if (f->host->status().recording)
            press("record");
        QTRY_VERIFY(!f->host->status().recording);
        press("record");
        QTRY_VERIFY(f->host->status().recording);
        goOn();
    }
    /// Some frames more.
    void goOn()
    {
        const auto before = frames();
        f->host->play();
        QTRY_VERIFY(frames() > before + 3);
        f->host->pause();
        QTRY_COMPARE(f->host->status().state, simulation::Status::State::paused);
    }
    /// Whether opening something asks about recorded frames; the answer is Cancel.
    bool asksAboutFrames()
    {
        fake::action(*f->window, "Open the built-in heart")->trigger();
        auto* box = child<QMessageBox>("recorded");
        if (box == nullptr)
            return false;
        box->button(QMessageBox::Cancel)->click();
        return QTest::qWaitFor([this] { return child<QMessageBox>("recorded") == nullptr; });
    }
    /// What the window asks about files that are being written; null: nothing.
    QMessageBox* exportBox() { return child<QMessageBox>("exporting"); }
    static void answer(QMessageBox* box, const QString& button)
    {
        for (auto* b : box->buttons())
            if (b->text().remove('&').startsWith(button))
                return b->click();
        QFAIL(qPrintable("there is no button " + button));
    }
    void holdExports(bool on, const std::string& error = {})
    {
        std::lock_guard hold(f->shared->mutex);
        f->shared->hold_exports = on;
        f->shared->fail_export = error;
    }
    MovieDialog* movieDialog()
    {
        fake::action(*f->window, "Make a movie…")->trigger();
        return child<MovieDialog>();
    }

    QTemporaryDir dir;
};

} // namespace tawara::fake
