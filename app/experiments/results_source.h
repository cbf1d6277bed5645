#pragma once

#include "app/figures/figure_source.h"
#include "core/experiments/results.h"
#include "views/experiments/chart_choice.h"

#include <memory>

namespace stagecraft::app::experiments {

/// A chart of an experiment's results for print, with the results themselves as tables beside it.
FigureSource resultsSource(std::shared_ptr<const ExperimentResults> results, const ChartChoice& choice);

/// How the results of an experiment were last shown, by its id or path. No part of its file: a person's own.
ChartChoice rememberedChart(const QString& key, const Experiment& experiment);
void rememberChart(const QString& key, const ChartChoice& choice, const Experiment& experiment);

}  // namespace stagecraft::app::experiments
