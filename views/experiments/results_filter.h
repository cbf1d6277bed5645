#pragma once

#include "core/base/query_text.h"
#include "core/experiments/grid.h"
#include "views/experiments/results_numbers.h"

#include <QString>

#include <memory>
#include <vector>

namespace stagecraft::views::experiments {

/// Which cells are listed. Each word of a text has to be in a coordinate, the planner's label or the
/// status; "microbatches>=8", "iteration_time_s<0.5" or "seed=2" bound an axis or a metric, in its own unit
/// where none is written.
class ResultsFilter {
public:
    ResultsFilter() = default;
    ResultsFilter(const QString& text, std::shared_ptr<const Grid> grid);

    bool takes(std::size_t cell, const ResultsNumbers& numbers) const;
    /// What the text asks for and there is not; empty: nothing.
    const QString& mistake() const { return mistake_; }

private:
    struct Word {
        std::vector<std::vector<bool>> values;  ///< by axis and value: whether its label has the word
        std::vector<bool> planners;
        std::vector<bool> statuses;
    };
    struct Bound {
        bool ofAxis = false;
        std::size_t index = 0;  ///< of the axis or the metric
        std::string sign;
        double number = 0;  ///< NaN: only a label can be equal to it
        std::string label;
    };
    void addBound(const QueryTerm& term);
    void addWord(const QString& word);
    bool holds(const Bound& bound, std::size_t cell, const std::vector<std::size_t>& at,
               const ResultsNumbers& numbers) const;

    std::shared_ptr<const Grid> grid_;
    std::vector<Word> words_;
    std::vector<Bound> bounds_;
    QString mistake_;
};

}  // namespace stagecraft::views::experiments
