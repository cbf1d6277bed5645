#pragma once

#include "core/experiments/measured/prediction.h"
#include "core/experiments/measured/sets.h"

#include <gtest/gtest.h>

namespace stagecraft::testing {

/// The rows of a set that are chosen, predicted; one without a plan fails the test.
/// @param chosen may be empty: all
inline std::vector<experiments::MeasuredPrediction> predictedRows(
    const std::string& set, const std::function<bool(const experiments::MeasuredRow&)>& chosen = {}) {
    std::vector<experiments::MeasuredPrediction> rows =
        experiments::unpredicted({experiments::findMeasuredSet(set)});
    if (chosen)
        std::erase_if(rows, [&](const experiments::MeasuredPrediction& row) { return !chosen(*row.row); });
    experiments::predictRows(rows, {.jobs = 1});
    for (const experiments::MeasuredPrediction& row : rows)
        EXPECT_TRUE(row.predicted) << row.row->name << ": " << row.reason;
    return rows;
}

/// Predicted over measured, less one; 0 where there is no plan, which predictedRows() fails for.
inline double errorOf(const experiments::MeasuredPrediction& row) { return row.error().value_or(0); }

}  // namespace stagecraft::testing
