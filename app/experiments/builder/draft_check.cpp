#include "app/experiments/builder/draft_check.h"

#include "app/experiments/builder/draft_history.h"
#include "app/experiments/run_forecast.h"

namespace stagecraft::app::experiments {

namespace {

constexpr int forecastMs = 300;  // after the last change

}  // namespace

DraftCheck::DraftCheck(QObject* parent) : QObject(parent) {
    wait_.setSingleShot(true);
    wait_.setInterval(forecastMs);
    connect(&wait_, &QTimer::timeout, this, &DraftCheck::askForecast);
}

void DraftCheck::start(const CheckedDraft& texts) {
    checking_.abandon();
    if (!texts.experiment) return take(texts);
    if (!isLargeBase(texts.experiment->base)) return take(checkWhole(*texts.experiment));
    take({});
    emit said(gridText(*texts.experiment));
    checking_.start([experiment = *texts.experiment](const JobContext&) { return checkWhole(experiment); },
                    [this](const CheckedDraft& checked) { take(checked); });
}

void DraftCheck::take(const CheckedDraft& checked) {
    checked_ = checked;
    wait_.stop();
    forecasting_.abandon();
    sayWhole();
    if (checked_.experiment) wait_.start();
    emit this->checked();
}

void DraftCheck::sayWhole() {
    if (checked_.experiment) return emit said(gridText(*checked_.experiment));
    if (checked_.mistakes.empty()) return emit said({});  // not looked at yet
    const bool one = checked_.mistakes.size() == 1;
    emit said(one ? QString::fromStdString(checked_.mistakes.front().text)
                  : tr("%1 fields cannot be read yet").arg(checked_.mistakes.size()));
}

void DraftCheck::askForecast() {
    if (!checked_.experiment) return;
    const auto grid = std::make_shared<const Grid>(*checked_.experiment);
    forecasting_.start(
        [grid](const JobContext& context) {
            const RunForecast forecast = forecastRun(*grid, context.stop);
            context.throwIfStopped();
            return forecast;
        },
        [this, grid](const RunForecast& forecast) {
            emit said(gridText(grid->experiment()) + forecastText(forecast, *grid));
        });
}

}  // namespace stagecraft::app::experiments
