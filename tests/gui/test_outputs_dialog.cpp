// SPDX-License-Identifier: GPL-3.0-or-later
// Run > Outputs: a field for each number under "output" of the table of session keys.
#include "app/outputs_dialog.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "tests/gui/window_fixture.hpp"
#include "widgets/panels/form.hpp"

#include <QAction>
#include <QLabel>

using namespace tawara;
using simulation::Session;

class TestOutputsDialog : public fake::WindowTest
{
    Q_OBJECT

    OutputsDialog* opened()
    {
        fake::action(*f->window, "Outputs…")->trigger();
        return f->window->findChild<OutputsDialog*>();
    }
    static NumberBox* box(OutputsDialog* d, const char* key)
    {
        return d->findChild<NumberBox*>(QString::fromLatin1(key));
    }
    bool closed()
    {
        return QTest::qWaitFor([&] { return child<OutputsDialog>() == nullptr; });
    }

  private Q_SLOTS:
    /// No line of the dialog names a key: a new one has its field.
    void eachNumberHasAField()
    {
        f->start();
        auto* d = opened();
        QVERIFY(d != nullptr && d->isVisible());
        qsizetype numbers = 0;
        for (const auto* key : simulation::keys_of("/output")) {
            using Type = simulation::Member::Type;
            if (key->member.type != Type::number && key->member.type != Type::integer)
                continue;
            ++numbers;
            const std::string name(key->name());
            const auto* field = box(d, name.c_str());
            QVERIFY2(field != nullptr, name.c_str());
            QCOMPARE(field->value(), key->member.get(&session()));
            QCOMPARE(field->decimals() == 0, key->member.type == Type::integer);
            QVERIFY2(field->toolTip().contains(
                         QString::fromUtf8(key->what.data() + 1, qsizetype(key->what.size()) - 1)
                             .remove('`')),
                     qPrintable(field->toolTip()));
            if (std::isfinite(key->range.high))
                QCOMPARE(field->maximum(), key->range.high);
        }
        QCOMPARE(d->findChildren<NumberBox*>().size(), numbers);
        QVERIFY(numbers >= 6);
        QStringList texts;
        for (const auto* label : d->findChildren<QLabel*>())
            texts << label->text();
        QVERIFY2(texts.contains("Frames every") && texts.contains("0: every step") &&
                     texts.contains("Activation threshold"),
                 qPrintable(texts.join('|')));
        QVERIFY(box(d, "frames_every_ms")->suffix().contains("ms"));
        d->reject();
        QVERIFY(closed());
    }

    void changesCanBeUndone()
    {
        f->start();
        auto& edits = f->window->document()->edits();
        auto* d = opened();
        d->accept(); // nothing was changed
        QVERIFY(closed() && !edits.modified());
        const auto before = session();
        d = opened();
        box(d, "frames_every_ms")->setValue(2.5);
        box(d, "checkpoints_kept")->setValue(7);
        QVERIFY(!d->startsAnew());
        d->accept();
        QVERIFY(closed());
        QCOMPARE(session().output->frames_every_ms, 2.5);
        QCOMPARE(session().output->checkpoints_kept, 7);
        QCOMPARE(edits.stack().undoText(), QString("Change the outputs"));
        edits.stack().undo();
        QCOMPARE(session().output->frames_every_ms, before.output->frames_every_ms);
        QCOMPARE(session().output->checkpoints_kept, before.output->checkpoints_kept);
        edits.stack().redo();
        QCOMPARE(session().output->frames_every_ms, 2.5);
    }

    /// A box shows three decimals; what nobody changed keeps all of its digits.
    void digitsStay()
    {
        f->start();
        f->window->document()->edits().edit("digits", [](Session& s) {
            s.output->probes_every_ms = 0.00625, s.output->maps_from_ms = 1e10;
        });
        auto* d = opened();
        box(d, "frames_every_ms")->setValue(4);
        d->accept();
        QVERIFY(closed());
        QCOMPARE(session().output->probes_every_ms, 0.00625);
        QCOMPARE(session().output->maps_from_ms, 1e10);
        QCOMPARE(session().output->frames_every_ms, 4.0);
    }

    /// Steps find activations with the threshold: the run begins again with another.
    void anotherThresholdStartsTheRunAnew()
    {
        f->start();
        auto* d = opened();
        const auto* said = d->findChild<QLabel*>("outputsSaid");
        QVERIFY(said->text().contains("tawara-cli run"));
        box(d, "activation_threshold_mV")->setValue(-30);
        QVERIFY(d->startsAnew() && said->text().contains("starts anew"));
        const auto loads = f->posted<simulation::Load>().size();
        d->accept();
        QTRY_VERIFY(f->posted<simulation::Load>().size() > loads);
        QTRY_COMPARE(session().activation_threshold_mV, -30.0);
    }

    /// Nothing of it is cut off, in both themes and sizes. With TAWARA_KEEP a picture is kept.
    void fitsTheWindow()
    {
        f->start();
        f->window->resize(1000, 700);
        auto* d = opened();
        QVERIFY(d->width() < 700 && d->height() < 600);
        for (const auto* label : d->findChildren<QLabel*>())
            QVERIFY2(label->wordWrap() || label->width() >= label->sizeHint().width(),
                     qPrintable(label->text()));
        for (const auto* field : d->findChildren<NumberBox*>())
            QVERIFY2(field->width() >= field->sizeHint().width(), qPrintable(field->objectName()));
        if (const QString folder = qEnvironmentVariable("TAWARA_KEEP"); !folder.isEmpty())
            d->grab().save(folder + "/outputs-dialog.png");
        d->reject();
    }
};

int main(int argc, char** argv)
{
    return fake::run<TestOutputsDialog>(argc, argv);
}

#include "test_outputs_dialog.moc"
