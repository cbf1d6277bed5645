#include "views/experiments/results_filter.h"

#include "core/experiments/cell_status.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

bool compare(double value, const QString& sign, double bound) {
    if (sign == QLatin1String("<")) return value < bound;
    if (sign == QLatin1String("<=")) return value <= bound;
    if (sign == QLatin1String(">")) return value > bound;
    if (sign == QLatin1String(">=")) return value >= bound;
    return value == bound;
}

}  // namespace

ResultsFilter::ResultsFilter(const QString& text, std::shared_ptr<const Grid> grid) : grid_(std::move(grid)) {
    // A label may have spaces: it is quoted then.
    static const QRegularExpression words(QStringLiteral("\"([^\"]*)\"|([^\\s\"]+(?:\"[^\"]*\")?)"));
    for (auto found = words.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        const bool quoted = match.capturedLength(1) > 0;
        QString word = match.captured(quoted ? 1 : 2);
        if (word.isEmpty()) continue;
        if (quoted || !addBound(word.remove(u'"'))) addWord(word);
    }
}

bool ResultsFilter::addBound(const QString& word) {
    static const QRegularExpression shape(QStringLiteral("^([^<>=]+)(<=|>=|<|>|=)(.+)$"));
    const QRegularExpressionMatch match = shape.match(word);
    if (!match.hasMatch()) return false;
    const std::string name = match.captured(1).toStdString();
    const std::vector<Axis>& axes = grid_->experiment().axes;
    Bound bound;
    bound.sign = match.captured(2);
    bound.label = match.captured(3);
    bool isNumber = false;
    bound.number = bound.label.toDouble(&isNumber);
    if (!isNumber) bound.number = std::nan("");
    const auto axis =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& one) { return one.name == name; });
    bound.ofAxis = axis != axes.end();
    bound.index = bound.ofAxis ? static_cast<std::size_t>(axis - axes.begin()) : metricIndex(name);
    if (bound.ofAxis || findMetric(name))
        bounds_.push_back(bound);
    else
        unknown_ = match.captured(1);
    return true;
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
    if (!bound.ofAxis) return compare(numbers.at(bound.index, cell), bound.sign, bound.number);
    const AxisValue& value = grid_->experiment().axes[bound.index].values[at[bound.index]];
    if (bound.sign == QLatin1String("=") && bound.label == QString::fromStdString(value.label)) return true;
    return compare(value.number, bound.sign, bound.number);
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

}  // namespace stagecraft
