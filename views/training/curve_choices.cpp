#include "views/training/curve_choices.h"

#include "views/common/flow_layout.h"

#include <QComboBox>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::views::training {

using stagecraft::training::Measure;

namespace {

struct MeasureButton {
    Measure measure;
    const char* name;
    const char* text;
    const char* meaning;
};
constexpr MeasureButton measureButtons[] = {
    {Measure::validationLoss, "validationLoss", "Validation loss",
     "Cross-entropy of samples that are not trained on, after each epoch"},
    {Measure::validationAccuracy, "validationAccuracy", "Accuracy",
     "Share of the validation's samples whose class is found, after each epoch"},
    {Measure::trainingLoss, "trainingLoss", "Training loss",
     "Cross-entropy over the epoch's samples, as their forwards found them"},
    {Measure::trainingAccuracy, "trainingAccuracy", "Training accuracy",
     "Share of the epoch's samples whose class is found, as their forwards found them"},
    {Measure::batchLoss, "batchLoss", "Mini-batches", "Training loss of each mini-batch"}};

}  // namespace

CurveChoices::CurveChoices(QWidget* parent)
    : QWidget(parent), band_(new QComboBox), logarithmic_(new QToolButton) {
    auto* row = new FlowLayout(4);  // in two lines where there is no room for one
    row->setContentsMargins(12, 0, 12, 0);
    for (const MeasureButton& each : measureButtons) {
        auto* button = new QToolButton;
        button->setObjectName(QLatin1String(each.name));
        button->setText(tr(each.text));
        button->setToolTip(tr(each.meaning));
        button->setCheckable(true);
        connect(button, &QToolButton::clicked, this, [this, button] { choose(button); });
        row->addWidget(button);
        measures_.emplace_back(each.measure, button);
    }
    band_->setObjectName(QStringLiteral("curveBand"));
    band_->addItem(tr("No band"));
    band_->addItem(tr("± deviation"));
    band_->addItem(tr("Range"));
    band_->setToolTip(
        tr("What the band around a curve spans over the seeds: the standard deviation about the "
           "mean, or from the least to the greatest"));
    logarithmic_->setObjectName(QStringLiteral("logarithmicLoss"));
    logarithmic_->setText(tr("Log"));
    logarithmic_->setToolTip(tr("Losses on a logarithmic scale"));
    logarithmic_->setCheckable(true);
    row->addWidget(band_);
    row->addWidget(logarithmic_);
    connect(band_, &QComboBox::activated, this,
            [this](int index) { emit bandChosen(static_cast<CurveBand>(index)); });
    connect(logarithmic_, &QToolButton::clicked, this, &CurveChoices::logarithmicChosen);
    setLayout(row);
}

void CurveChoices::choose(QToolButton* clicked) {
    std::vector<Measure> chosen;
    for (const auto& [measure, button] : measures_)
        if (button->isChecked()) chosen.push_back(measure);
    // A click on the last leaves it.
    if (chosen.empty()) return clicked->setChecked(true);
    emit measuresChosen(chosen);
}

void CurveChoices::setOptions(const CurvesOptions& options) {
    for (const auto& [measure, button] : measures_)
        button->setChecked(std::count(options.measures.begin(), options.measures.end(), measure) > 0);
    band_->setCurrentIndex(static_cast<int>(options.band));
    logarithmic_->setChecked(options.logarithmic);
}

}  // namespace stagecraft::views::training
