#include "app/figures/figure_part_rows.h"

#include "app/figures/figure_fields.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>

namespace stagecraft::app {
namespace {

constexpr double msPerS = 1e3;
constexpr double longestMs = 1e9;

QDoubleSpinBox* milliseconds(const char* name) {
    auto* box = new PlainNumberBox;
    box->setObjectName(QLatin1String(name));
    box->setRange(0, longestMs);
    box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    box->setSuffix(QObject::tr(" ms"));
    return box;
}

}  // namespace

FigurePartRows::FigurePartRows(std::optional<FigurePart> shown, QFormLayout& form)
    : QObject(&form),
      form_(form),
      shown_(std::move(shown)),
      time_(choiceBox("time", {tr("All of it"), tr("What is shown"), tr("From … to")})),
      from_(milliseconds("from")),
      to_(milliseconds("to")),
      lanes_(choiceBox("lanes", {tr("All"), tr("What is shown")})),
      reference_(choiceBox("reference", {tr("None")})) {
    auto* range = new QHBoxLayout;
    range->setContentsMargins(0, 0, 0, 0);
    range->setSpacing(4);
    range->addWidget(from_);
    range->addWidget(new QLabel(QStringLiteral("–")));
    range->addWidget(to_);
    range_ = holding(range);
    form_.addRow(tr("Time"), time_);
    form_.addRow(range_);
    form_.addRow(tr("Lanes"), lanes_);
    form_.addRow(tr("Relative to"), reference_);
    connect(time_, &QComboBox::currentIndexChanged, this, &FigurePartRows::showTime);
}

void FigurePartRows::setPart(const FigurePart& part) {
    const bool isShown = shown_ && part.timeS == shown_->timeS;
    time_->setCurrentIndex(!part.timeS ? wholeTime : isShown ? shownTime : ownTime);
    setFrom(part.timeS ? part : shown_.value_or(FigurePart{}));
    lanes_->setCurrentIndex(shown_ && !part.lanes.empty() ? 1 : 0);
    reference_->setCurrentIndex(std::max(0, reference_->findText(QString::fromStdString(part.reference))));
    memoryDevice_ = part.memoryDevice;
    link_ = part.link;
    showTime();
}

void FigurePartRows::setFrom(const FigurePart& part) {
    if (!part.timeS) return;
    from_->setValue(part.timeS->first * msPerS);
    to_->setValue(part.timeS->second * msPerS);
}

FigurePart FigurePartRows::part() const {
    FigurePart part;
    if (shown_ && time_->currentIndex() == shownTime) part.timeS = shown_->timeS;
    if (time_->currentIndex() == ownTime) part.timeS = {from_->value() / msPerS, to_->value() / msPerS};
    if (shown_ && lanes_->currentIndex() == 1) part.lanes = shown_->lanes;
    if (reference_->currentIndex() > 0) part.reference = reference_->currentText().toStdString();
    part.memoryDevice = memoryDevice_;
    part.link = link_;
    return part;
}

void FigurePartRows::showTime() {
    form_.setRowVisible(range_, time_->currentIndex() == ownTime && form_.isRowVisible(time_));
}

void FigurePartRows::setSubject(const FigureSource& source) {
    if (source.timeS && to_->value() <= from_->value()) {
        const QSignalBlocker quietFrom(from_), quietTo(to_);
        FigurePart whole;
        whole.timeS = source.timeS;
        setFrom(whole);
    }
    const QString chosen = reference_->currentText();
    const QSignalBlocker quietReference(reference_);
    while (reference_->count() > 1) reference_->removeItem(1);
    reference_->addItems(source.references);
    reference_->setCurrentIndex(std::max(0, reference_->findText(chosen)));
    form_.setRowVisible(reference_, !source.references.isEmpty());
    form_.setRowVisible(time_, source.has.time);
    form_.setRowVisible(lanes_, source.has.time && shown_);
    showTime();
}

}  // namespace stagecraft::app
