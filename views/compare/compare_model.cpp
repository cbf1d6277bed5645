#include "views/compare/compare_model.h"

#include "core/runs/standing.h"
#include "views/common/standing_look.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QFont>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::compare {
namespace {

constexpr qsizetype longestName = 16;  // of a plan in a title: "Data parallelism"

const std::vector<const Metric*>& comparedMetrics() {
    static const std::vector<const Metric*> metrics = [] {
        std::vector<const Metric*> compared;
        for (const Metric& metric : metricCatalogue())
            if (metric.compared.heading) compared.push_back(&metric);
        return compared;
    }();
    return metrics;
}

/// Which end of the metric is the better one; 0: none is.
int betterDirection(const Metric& metric) {
    return metric.better == Better::more ? 1 : metric.better == Better::less ? -1 : 0;
}

/// "vPipe…" of "vPipe without recompute": after a word, where one ends early enough.
std::string shortName(const std::string& name) {
    const QString whole = qtText(name);
    if (whole.size() <= longestName) return name;
    QString start = whole.left(longestName);
    const qsizetype word = start.lastIndexOf(' ');
    start.truncate(word > 1 ? word : longestName - 1);
    while (!start.isEmpty() && !start.back().isLetterOrNumber()) start.chop(1);
    return (start + QChar(0x2026)).toStdString();
}

}  // namespace

CompareModel::CompareModel(QObject* parent) : QAbstractTableModel(parent) {}

int CompareModel::columnOf(std::string_view metric) {
    const auto& metrics = comparedMetrics();
    const auto found = std::find(metrics.begin(), metrics.end(), &catalogueMetric(metric));
    return found == metrics.end() ? -1 : statusColumn + 1 + static_cast<int>(found - metrics.begin());
}

const Metric* CompareModel::metricOf(int column) {
    const int metric = column - statusColumn - 1;
    return metric < 0 || metric >= std::ssize(comparedMetrics())
               ? nullptr
               : comparedMetrics()[static_cast<std::size_t>(metric)];
}

void CompareModel::setRuns(PlanRuns runs, int reference, std::vector<int> ids) {
    beginResetModel();
    runs_ = std::move(runs);
    ids_ = std::move(ids);
    reference_ = referencePlan(runs_, reference);
    measuredReference_.reset();
    referenceTitle_.clear();
    if (reference_ >= 0) {
        measuredReference_.emplace(run(reference_).measured());
        referenceTitle_ = run(reference_).title();
    }
    values_.clear();
    slowestS_ = 0;
    for (int row = 0; row < rowCount(); ++row) {
        const MeasuredPlan plan = measured(row);
        auto& values = values_.emplace_back();
        for (const Metric* metric : comparedMetrics()) values.push_back(metric->of(plan));
        if (run(row).ok() && isCompared(run(row))) slowestS_ = std::max(slowestS_, plan.iterationTimeS());
    }
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : statusColumn + 1 + static_cast<int>(comparedMetrics().size());
}

MeasuredPlan CompareModel::measured(int row) const {
    MeasuredPlan plan = run(row).measured();
    if (!measuredReference_ || !isCompared(run(row))) return plan;
    plan.reference = &*measuredReference_;
    plan.referenceTitle = referenceTitle_;
    return plan;
}

std::optional<double> CompareModel::value(int row, int column) const {
    if (column <= statusColumn) return std::nullopt;
    return values_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column - statusColumn - 1)];
}

/// Of the slowest iteration of all plans that are compared.
std::optional<double> CompareModel::share(int row) const {
    if (!run(row).ok() || !isCompared(run(row)) || !(run(row).iterationTimeS() > 0)) return std::nullopt;
    return run(row).iterationTimeS() / slowestS_;
}

QString CompareModel::text(int row, int column) const {
    if (column == planColumn) return qtText(run(row).title());
    if (column == statusColumn) return standingName(standingOf(run(row)));
    const Metric& metric = *metricOf(column);
    return qtText(metric.text(metric.compared, value(row, column), measured(row)));
}

QString CompareModel::statusText(int row) const {
    if (standingOf(run(row)) != Standing::invalid) return qtText(standingSentence(run(row)));
    QStringList lines;
    for (const Violation& violation : run(row).evaluation->violations) lines << qtText(violation.message);
    return QStringList(lines.mid(0, 8)).join('\n') +
           (lines.size() > 8 ? QString("\n%1 more").arg(lines.size() - 8) : QString());
}

QString CompareModel::exactText(int row, int column) const {
    if (column == statusColumn) return statusText(row);
    if (column == planColumn && !isOfProject(row))
        return "Compared only: the project does not have this plan until it is kept";
    if (column == planColumn) {
        const PlanMaker& maker = run(row).maker;
        return maker.isKnown ? qtText(maker.summary) + '\n' + qtText(maker.paper) : text(row, column);
    }
    const Metric& metric = *metricOf(column);
    const std::optional<double> number = value(row, column);
    return qtText(number ? metric.exactText(*number, measured(row)) : whyMissing(metric, run(row)));
}

bool CompareModel::isBest(int row, int column) const {
    const Metric* metric = metricOf(column);
    const int direction = metric ? betterDirection(*metric) : 0;
    const std::optional<double> own = value(row, column);
    const auto takesPart = [this](int plan) { return standingOf(run(plan)) == Standing::fits; };
    if (direction == 0 || !own || !takesPart(row)) return false;
    bool beatsOne = false;
    for (int other = 0; other < rowCount(); ++other) {
        const std::optional<double> theirs = value(other, column);
        if (!theirs || !takesPart(other)) continue;
        const double ahead = (*own - *theirs) * direction;
        const double noise = 1e-9 * std::max({1e-3, std::abs(*own), std::abs(*theirs)});
        if (ahead < -noise) return false;
        beatsOne |= ahead > noise;
    }
    return beatsOne;
}

QVariant CompareModel::foreground(int row, int column) const {
    const Theme& theme = Theme::current();
    if (column == statusColumn) return standingColour(standingOf(run(row)));
    const Metric* metric = metricOf(column);
    if (!metric) return {};
    if (!isCompared(run(row))) return theme.mutedText;
    if (run(row).ok() && metric->alarming && metric->alarming(measured(row))) return theme.error;
    return value(row, column) ? QVariant() : theme.mutedText;
}

QVariant CompareModel::font(int row, int column) const {
    const bool bold = isBest(row, column) || column == planColumn;
    const bool italic = column == planColumn && !isOfProject(row);
    if (!bold && !italic) return {};
    QFont font;
    font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
    font.setItalic(italic);
    return font;
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const int row = index.row(), column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return text(row, column);
        case Qt::ToolTipRole:
            return exactText(row, column);
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (column <= statusColumn ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::FontRole:
            return font(row, column);
        case Qt::ForegroundRole:
            return foreground(row, column);
        case sortRole: {
            if (column <= statusColumn) return text(row, column);
            const std::optional<double> number = value(row, column);
            return number ? QVariant(*number) : QVariant();
        }
        case barRole:
            if (const auto bar = share(row); bar && metricOf(column) == &metricCatalogue().front())
                return *bar;
            return {};
        case rankRole:
            return static_cast<int>(standingOf(run(row)));
        case copyRole:
            return column == statusColumn ? qtText(standingWithReason(run(row))) : text(row, column);
        case bestRole:
            return isBest(row, column);
        default:
            return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Metric* metric = metricOf(section);
    if (role == Qt::DisplayRole) {
        if (!metric) return section == planColumn ? "Plan" : "Status";
        return qtText(metric->compared.title(shortName(referenceTitle_)));
    }
    if (role == Qt::ToolTipRole) {
        if (section == planColumn) return "The plan's name, or its planner's";
        if (section == statusColumn)
            return "ok: the independent validator accepts the plan and every device has room for it; out of "
                   "date: it was planned for another problem and is not compared";
        const QString tip = metric->tip
                                ? QString(metric->tip)
                                : qtText(std::string(metric->title) + ": " + std::string(metric->meaning));
        const bool named = metric->compared.over && reference_ >= 0;
        return named ? "The reference plan is " + qtText(referenceTitle_) + ". " + tip : tip;
    }
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section <= statusColumn ? Qt::AlignLeft : Qt::AlignRight));
    return {};
}

CompareOrder::CompareOrder(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(CompareModel::sortRole);
}

void CompareOrder::setRanked(bool on) {
    if (ranked_ == on) return;
    ranked_ = on;
    invalidate();
}

bool CompareOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const int rank = left.data(CompareModel::rankRole).toInt() - right.data(CompareModel::rankRole).toInt();
    if (ranked_ && rank != 0) return (rank < 0) == (sortOrder() == Qt::AscendingOrder);
    const QVariant a = left.data(CompareModel::sortRole), b = right.data(CompareModel::sortRole);
    if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    if (!a.isValid()) return false;
    if (a.typeId() == QMetaType::Double) return a.toDouble() < b.toDouble();
    return a.toString().localeAwareCompare(b.toString()) < 0;
}

}  // namespace stagecraft::views::compare
