#include "app/play/movie_choice.h"

#include "views/common/text.h"
#include "views/common/on_screen.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>

#include <algorithm>

namespace stagecraft::app::play {

namespace {

const QString group = QStringLiteral("movie");

struct MovieSize {
    const char* name;
    int width, height;
};
constexpr MovieSize sizes[] = {{"HD", 1280, 720},
                               {"Full HD", 1920, 1080},
                               {"Half of a slide", 960, 720},
                               {"Small", 800, 450},
                               {"Square", 1080, 1080}};

}  // namespace

MovieChoice MovieChoice::load() {
    QSettings settings;
    settings.beginGroup(group);
    MovieChoice choice;
    // Before formats had names there was a flag for one of them.
    const QString before = settings.value("frames").toBool() ? QStringLiteral("frames") : choice.format;
    const QString format = settings.value("format", before).toString();
    if (movieFormatNamed(format)) choice.format = format;
    choice.seconds = settings.value("seconds", choice.seconds).toInt();
    choice.framesPerSecond = settings.value("framesPerSecond", choice.framesPerSecond).toInt();
    choice.size = settings.value("size", choice.size).toSize();
    choice.shownPart = settings.value("shownPart", choice.shownPart).toBool();
    choice.folder = settings.value("folder").toString();
    return choice;
}

void MovieChoice::save() const {
    QSettings settings;
    settings.beginGroup(group);
    settings.setValue("format", format);
    settings.setValue("seconds", seconds);
    settings.setValue("framesPerSecond", framesPerSecond);
    settings.setValue("size", size);
    settings.setValue("shownPart", shownPart);
    settings.setValue("folder", folder);
}

MovieDialog::MovieDialog(const MovieChoice& choice, QWidget* parent)
    : QDialog(parent),
      before_(choice),
      format_(new QComboBox),
      seconds_(new QSpinBox),
      rate_(new QSpinBox),
      size_(new QComboBox),
      shownPart_(new QCheckBox(tr("Only the time that the chart shows"))),
      extent_(new QLabel) {
    setWindowTitle(tr("Export playing"));
    setObjectName(QStringLiteral("movieDialog"));
    format_->setObjectName(QStringLiteral("movieFormat"));
    for (const MovieFormat& each : movieFormats()) format_->addItem(each.title, each.id);
    format_->setCurrentIndex(std::max(0, format_->findData(choice.format)));
    seconds_->setRange(1, 120);
    seconds_->setSuffix(tr(" s"));
    seconds_->setValue(choice.seconds);
    rate_->setRange(1, 60);
    rate_->setSuffix(tr(" frames per second"));
    rate_->setValue(choice.framesPerSecond);
    for (const MovieSize& size : sizes)
        size_->addItem(QStringLiteral("%1: %2 × %3").arg(tr(size.name)).arg(size.width).arg(size.height),
                       QSize(size.width, size.height));
    size_->setCurrentIndex(std::max(0, size_->findData(choice.size)));
    shownPart_->setChecked(choice.shownPart);
    extent_->setProperty("role", "muted");
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(8);
    layout->addRow(tr("Format"), format_);
    layout->addRow(tr("Lasts"), seconds_);
    layout->addRow(tr("At"), rate_);
    layout->addRow(tr("Size"), size_);
    layout->addRow(QString(), shownPart_);
    layout->addRow(QString(), extent_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Export…"));
    buttons->button(QDialogButtonBox::Ok)->setProperty("primary", true);
    layout->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (QSpinBox* field : {seconds_, rate_})
        connect(field, &QSpinBox::valueChanged, this, &MovieDialog::showExtent);
    showExtent();
    placeOnScreen(*this);
}

void MovieDialog::showExtent() {
    extent_->setText(
        tr("%1, in the colours of the window").arg(countedText(seconds_->value() * rate_->value(), "frame")));
}

MovieChoice MovieDialog::choice() const {
    MovieChoice choice = before_;
    choice.format = format_->currentData().toString();
    choice.seconds = seconds_->value();
    choice.framesPerSecond = rate_->value();
    choice.size = size_->currentData().toSize();
    choice.shownPart = shownPart_->isChecked();
    return choice;
}

}  // namespace stagecraft::app::play
