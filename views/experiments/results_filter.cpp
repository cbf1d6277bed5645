#include "views/experiments/results_filter.h"

#include "core/base/query_bound.h"
#include "core/experiments/cell_result.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::experiments {

namespace {

Quantity quantityOf(const std::string& unit) {
    return unit == "s"     ? Quantity::seconds
           : unit == "B"   ? Quantity::bytes
           : unit == "B/s" ? Quantity::bandwidth
                           : Quantity::plain;
}

}  // namespace

ResultsFilter::ResultsFilter(const QString& text, std::shared_ptr<const Grid> grid) : grid_(std::move(grid)) {
    for (const QueryTerm& term : queryTerms(text.toStdString(), {boundSigns()})) {
        const std::string word = term.whole.text();
        if (term.unclosed) mistake_ = QObject::tr("unterminated quotation mark");
        if (word.empty()) continue;
        if (term.name.text().empty() || term.value.text().empty())
            addWord(QString::fromStdString(word));
        else
            addBound(term);
    }
}

void ResultsFilter::addBound(const QueryTerm& term) {
    const std::string name = term.name.text();
    const std::vector<Axis>& axes = grid_->experiment().axes;
    const auto axis =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& one) { return one.name == name; });
    const MetricDescription* metric = findMetric(name);
    if (axis == axes.end() && !metric) {
        mistake_ = QObject::tr("no axis or metric is called “%1”").arg(QString::fromStdString(name));
        return;
    }
    Bound bound;
    bound.ofAxis = axis != axes.end();
    bound.index = bound.ofAxis ? static_cast<std::size_t>(axis - axes.begin()) : metricIndex(name);
    bound.sign = term.sign;
    bound.label = term.value.text();
    bound.number = boundNumber(quantityOf(bound.ofAxis ? axis->unit : metric->unit), bound.label);
    if (std::isnan(bound.number) && !(bound.ofAxis && bound.sign == "="))
        mistake_ = QObject::tr("“%1” is no number").arg(QString::fromStdString(bound.label));
    bounds_.push_back(bound);
}

void ResultsFilter::addWord(const QString& word) {
    const Experiment& experiment = grid_->experiment();
    const auto has = [&](const std::string& text) {
        return QString::fromStdString(text).contains(word, Qt::CaseInsensitive);
    };
    Word entry;
    for (const Axis& axis : experiment.axes) {
        entry.values.emplace_back();
        for (const AxisValue& value : axis.values) entry.values.back().push_back(has(value.label));
    }
    for (const AskedPlanner& planner : experiment.planners) entry.planners.push_back(has(planner.label));
    for (const auto& status : cellStatusNames) entry.statuses.push_back(has(status.name));
    words_.push_back(std::move(entry));
}

bool ResultsFilter::holds(const Bound& bound, std::size_t cell, const std::vector<std::size_t>& at,
                          const ResultsNumbers& numbers) const {
    if (!bound.ofAxis) return isWithinBound(numbers.at(bound.index, cell), bound.sign, bound.number);
    const AxisValue& value = grid_->experiment().axes[bound.index].values[at[bound.index]];
    if (bound.sign == "=" && bound.label == value.label) return true;
    return isWithinBound(value.number, bound.sign, bound.number);
}

bool ResultsFilter::takes(std::size_t cell, const ResultsNumbers& numbers) const {
    if (words_.empty() && bounds_.empty()) return true;
    const std::vector<std::size_t> at = grid_->coordinates(grid_->pointOf(cell));
    for (const Bound& bound : bounds_)
        if (!holds(bound, cell, at, numbers)) return false;
    const auto status = static_cast<std::size_t>(numbers.status(cell));
    for (const Word& word : words_) {
        bool found = word.planners[grid_->plannerOf(cell)] || word.statuses[status];
        for (std::size_t axis = 0; !found && axis < at.size(); ++axis) found = word.values[axis][at[axis]];
        if (!found) return false;
    }
    return true;
}

}  // namespace stagecraft::views::experiments
