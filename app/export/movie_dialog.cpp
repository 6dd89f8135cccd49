// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/movie_dialog.hpp"
#include "app/export/save_dialog.hpp"

#include "app/export/size_row.hpp"
#include "widgets/panels/form.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLayout>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QSlider>

#include <algorithm>

namespace tawara {
namespace {

constexpr double rates[] = {24, 25, 30, 50, 60};

NumberBox* box(const char* name, double low, double high, double value, const QString& unit,
               const QString& tip)
{
    auto* b = new NumberBox(QLatin1String(name), unit, {low, high, 1, 1}, tip);
    b->put(value);
    return b;
}

} // namespace

MovieDialog::MovieDialog(MovieJob::RecordingPtr recording, MovieJob::Painter painter,
                         const QSize& onScreen, QWidget* parent)
    : MovieDialog(std::move(recording),
                  Drawer([p = std::move(painter)] { return MovieJob::atOnce(p); }), onScreen,
                  parent)
{
}

MovieDialog::MovieDialog(MovieJob::RecordingPtr recording, Drawer drawer, const QSize& onScreen,
                         QWidget* parent)
    : QDialog(parent), m_recording(std::move(recording)), m_drawer(std::move(drawer)),
      m_size(new SizeRow(onScreen)), m_rate(new QComboBox), m_quality(new QSlider(Qt::Horizontal)),
      m_note(new QLabel), m_bar(new QProgressBar)
{
    setObjectName("movieDialog");
    setWindowTitle(tr("Movie of the recording"));
    const double first = m_recording->time_of(0);
    const double last =
        m_recording->time_of(std::max<std::size_t>(m_recording->frame_count(), 1) - 1);
    m_from = box("from", first, last, first, tr("ms"), tr("The movie's first moment"));
    m_to = box("to", first, last, last, tr("ms"), tr("The movie's last moment"));
    m_speed = box("speed", 0.1, 10000, 50, tr("ms/s"),
                  tr("Simulated milliseconds that pass in a second of the movie"));
    m_rate->setObjectName("rate");
    for (double r : rates)
        m_rate->addItem(tr("%1 frames/s").arg(r), r);
    m_rate->setCurrentIndex(m_rate->findData(30.0));
    m_quality->setObjectName("quality");
    m_quality->setRange(0, 100);
    m_quality->setValue(75);
    m_quality->setToolTip(tr("Left: a small file; right: a faithful picture"));
    m_note->setWordWrap(true);
    m_bar->setRange(0, 1000);
    auto policy = m_bar->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // fields keep their height when it comes
    m_bar->setSizePolicy(policy);
    m_bar->hide();

    auto* part = new QHBoxLayout;
    part->addWidget(m_from);
    part->addWidget(new QLabel(tr("to")));
    part->addWidget(m_to);
    auto* form = new QFormLayout(this);
    form->addRow(tr("&Size"), m_size);
    form->addRow(tr("Part"), part);
    form->addRow(tr("Sp&eed"), m_speed);
    form->addRow(tr("&Rate"), m_rate);
    form->addRow(tr("&Quality"), m_quality);
    form->addRow(m_note);
    form->addRow(m_bar);
    auto* buttons = new QDialogButtonBox;
    m_make = buttons->addButton(tr("&Make movie…"), QDialogButtonBox::ActionRole);
    m_make->setObjectName("make");
    m_make->setDefault(true);
    m_cancel = buttons->addButton(QDialogButtonBox::Close);
    m_cancel->setObjectName("cancel");
    form->addRow(buttons);
    connect(m_make, &QPushButton::clicked, this, &MovieDialog::askAndMake);
    connect(buttons, &QDialogButtonBox::rejected, this, &MovieDialog::reject);
    for (auto* b : {m_from, m_to, m_speed})
        connect(b, &QDoubleSpinBox::valueChanged, this, &MovieDialog::describe);
    connect(m_rate, &QComboBox::currentIndexChanged, this, &MovieDialog::describe);
    connect(m_size, &SizeRow::changed, this, &MovieDialog::describe);
    describe();
}

MovieDialog::~MovieDialog() = default;

void MovieDialog::offerSize(const QSize& size)
{
    m_size->setValue(size);
}

MovieRange MovieDialog::range() const
{
    return {m_from->value(), m_to->value(), m_speed->value()};
}

movie::MovieOptions MovieDialog::options() const
{
    movie::MovieOptions o;
    o.width = m_size->value().width();
    o.height = m_size->value().height();
    o.frames_per_second = m_rate->currentData().toDouble();
    o.quality = m_quality->value();
    o.provenance = m_provenance;
    return o;
}

void MovieDialog::describe()
{
    const double rate = options().frames_per_second;
    const auto frames = movieTimes(range(), rate).size();
    m_note->setText(frames == 0 ? tr("The part ends before it begins.")
                                : tr("%1 frames, %2 s. H.264 as .mp4, VP9 as .webm.")
                                      .arg(frames)
                                      .arg(static_cast<double>(frames) / rate, 0, 'f', 1));
    m_make->setEnabled(frames > 0 && !m_job);
}

void MovieDialog::askAndMake()
{
    const QString path =
        askWhereToSave(this, tr("Save the movie"), saveProposal({}, QStringLiteral(".mp4")),
                       tr("Movies (*.mp4 *.webm)"));
    if (!path.isEmpty())
        make(path);
}

void MovieDialog::make(const QString& path)
{
    if (m_job)
        return;
    m_note->clear(); // what came of an earlier try
    m_job = std::make_unique<MovieJob>(m_recording, range(), path, options(), m_drawer());
    connect(m_job.get(), &MovieJob::progressed, this,
            [this](double f) { m_bar->setValue(static_cast<int>(1000 * f)); });
    connect(m_job.get(), &MovieJob::written, this, [this](const QString& file, qint64 frames) {
        ended(tr("Saved %1: %2 frames.").arg(file).arg(frames));
        Q_EMIT written(file);
    });
    connect(m_job.get(), &MovieJob::failed, this, [this](const QString& reason) {
        ended(reason.isEmpty() ? tr("Given up; no file was made.") : reason);
        Q_EMIT failed(reason);
    });
    m_bar->setValue(0);
    m_bar->show();
    m_make->setEnabled(false);
    m_cancel->setText(tr("Cancel"));
    m_job->start();
}

void MovieDialog::ended(const QString& text)
{
    m_job.release()->deleteLater(); // it is emitting
    m_bar->hide();
    m_cancel->setText(tr("Close"));
    describe();
    m_note->setText(text);
    layout()->activate(); // a long reason takes several lines
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void MovieDialog::reject()
{
    if (m_job)
        m_job->cancel();
    else
        QDialog::reject();
}

} // namespace tawara
