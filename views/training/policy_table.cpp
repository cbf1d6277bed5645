#include "views/training/policy_table.h"

#include "views/common/theme.h"
#include "views/training/policy_style.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::training {

using stagecraft::training::Policy;
using stagecraft::training::PolicyDescription;
using stagecraft::training::PolicyRuns;
using stagecraft::training::SeedSpread;
using stagecraft::training::StageStaleness;
using stagecraft::training::TrainingRun;

namespace {

struct ColumnText {
    const char* title;
    const char* meaning;
};
constexpr ColumnText columnTexts[PolicyTable::columnTotal] = {
    {"Policy", "Which weights a pass uses while other mini-batches update them"},
    {"Least loss",
     "Of the validation, in nats: the least over the epochs; mean ± standard deviation over the seeds"},
    {"Best acc. %",
     "Accuracy of the validation: the best over the epochs; mean ± standard deviation over the seeds"},
    {"Last loss", "Of the validation, in nats, after the last epoch; mean over the seeds"},
    {"Last acc. %", "Accuracy of the validation after the last epoch; mean over the seeds"},
    {"Δ loss",
     "Least loss less that of the synchronous run of the same seed: mean ± standard deviation of the "
     "differences; below 0 is better"},
    {"Δ acc.",
     "Best accuracy less that of the synchronous run of the same seed, in percentage points; above 0 is "
     "better"},
    {"Runs",
     "Seeds that have come furthest, over which the means are taken; those whose last loss is no number have "
     "diverged"},
};

QString dash() { return QChar(0x2013); }

QString number(double value, int decimals, bool sign) {
    QString text = QString::number(std::abs(value), 'f', decimals);
    if (value < 0)
        text.prepend(QChar(0x2212));
    else if (sign)
        text.prepend('+');
    return text;
}

QString spreadCell(const SeedSpread& spread, double scale, int decimals, bool sign = false) {
    if (spread.count == 0) return dash();
    const QString mean = number(scale * spread.mean, decimals, sign);
    return spread.count < 2 ? mean : mean + " ± " + number(scale * spread.deviation, decimals, false);
}

SeedSpread meanAlone(const SeedSpread& spread) { return {spread.mean, 0, std::min(spread.count, 1)}; }

QString exactSpread(const SeedSpread& spread, double scale, const char* unit) {
    if (spread.count == 0) return QStringLiteral("No finite number yet.");
    QString text = QString::number(scale * spread.mean, 'g', 10) + unit;
    if (spread.count > 1)
        text += QStringLiteral(" ± %1%2, %3 seeds; standard error %4")
                    .arg(QString::number(scale * spread.deviation, 'g', 6), unit)
                    .arg(spread.count)
                    .arg(QString::number(scale * spread.deviation / std::sqrt(spread.count), 'g', 4));
    return text;
}

/// Without what is known of runs that have not come as far as the furthest of their policy: half a run says
/// nothing beside a whole one.
std::vector<PolicyRuns> furthest(std::vector<PolicyRuns> runs) {
    for (PolicyRuns& policy : runs) {
        std::size_t most = 0;
        for (const TrainingRun& run : policy.runs) most = std::max(most, run.epochs.size());
        for (TrainingRun& run : policy.runs)
            if (run.epochs.size() < most) run.epochs.clear();
    }
    return runs;
}

QString titleOf(Policy policy) { return QString::fromStdString(describe(policy).title); }

QString aboutPolicy(Policy policy) {
    const PolicyDescription& about = describe(policy);
    return QString::fromStdString(about.summary + "\n" + about.source);
}

}  // namespace

PolicyTable::PolicyTable(QObject* parent) : QAbstractTableModel(parent) {}

void PolicyTable::setRuns(const std::vector<PolicyRuns>& all, int seeds) {
    const std::vector<PolicyRuns> runs = furthest(all);
    const auto baseline = std::find_if(runs.begin(), runs.end(), [](const PolicyRuns& each) {
        return each.policy == Policy::synchronous && !each.runs.empty();
    });
    std::vector<Row> rows;
    for (const PolicyRuns& each : runs) {
        Row& row = rows.emplace_back();
        row.summary = summaryOf(each);
        row.refusal = each.refusal;
        row.runs = row.summary.lastAccuracy.count;
        row.compares = baseline != runs.end() && &each != &*baseline;
        if (row.compares) row.difference = differenceOf(each, *baseline);
    }
    // The selection stays where the rows are the same.
    if (rows.size() == rows_.size()) {
        rows_ = std::move(rows);
        seeds_ = seeds;
        if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
        return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    seeds_ = seeds;
    endResetModel();
}

int PolicyTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PolicyTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QString PolicyTable::cell(const Row& row, int column) const {
    constexpr int percentDecimals = 2;
    // A spread takes room, and says how many digits are worth reading.
    const int lossDecimals = row.summary.leastLoss.count > 1 ? 3 : 4;
    switch (column) {
        case policyColumn:
            return titleOf(row.summary.policy);
        case leastLossColumn:
            return spreadCell(row.summary.leastLoss, 1, lossDecimals);
        case bestAccuracyColumn:
            return spreadCell(row.summary.bestAccuracy, 100, percentDecimals);
        case lastLossColumn:
            return spreadCell(meanAlone(row.summary.lastLoss), 1, lossDecimals);
        case lastAccuracyColumn:
            return spreadCell(meanAlone(row.summary.lastAccuracy), 100, percentDecimals);
        case lossDifferenceColumn:
            return row.compares ? spreadCell(row.difference.leastLoss, 1, lossDecimals, true) : dash();
        case accuracyDifferenceColumn:
            return row.compares ? spreadCell(row.difference.bestAccuracy, 100, percentDecimals, true)
                                : dash();
        default:
            break;
    }
    if (!row.refusal.empty()) return QStringLiteral("left out");
    if (row.summary.diverged > 0)
        return QStringLiteral("%1 of %2 diverged").arg(row.summary.diverged).arg(row.runs);
    return row.runs < seeds_ ? QStringLiteral("%1 of %2").arg(row.runs).arg(seeds_)
                             : QString::number(row.runs);
}

QString PolicyTable::exact(const Row& row, int column) const {
    switch (column) {
        case leastLossColumn:
            return exactSpread(row.summary.leastLoss, 1, " nats");
        case bestAccuracyColumn:
            return exactSpread(row.summary.bestAccuracy, 100, " %");
        case lastLossColumn:
            return exactSpread(row.summary.lastLoss, 1, " nats");
        case lastAccuracyColumn:
            return exactSpread(row.summary.lastAccuracy, 100, " %");
        case lossDifferenceColumn:
            return row.compares ? exactSpread(row.difference.leastLoss, 1, " nats; below 0 is better")
                                : QString();
        case accuracyDifferenceColumn:
            return row.compares ? exactSpread(row.difference.bestAccuracy, 100, " points; above 0 is better")
                                : QString();
        case policyColumn:
            return aboutPolicy(row.summary.policy);
        default:
            return QString::fromStdString(row.refusal);
    }
}

QVariant PolicyTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
        case Qt::DisplayRole:
            return cell(row, column);
        case Qt::ToolTipRole:
            return exact(row, column);
        case Qt::DecorationRole:
            return column == policyColumn ? QVariant(policySample(row.summary.policy)) : QVariant();
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (column == policyColumn ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ForegroundRole:
            if (!row.refusal.empty()) return Theme::current().mutedText;
            if (column == runsColumn && row.summary.diverged > 0) return Theme::current().error;
            return {};
        default:
            return {};
    }
}

QVariant PolicyTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnTotal) return {};
    if (role == Qt::DisplayRole) return QString::fromUtf8(columnTexts[section].title);
    if (role == Qt::ToolTipRole) return QString::fromUtf8(columnTexts[section].meaning);
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (section == policyColumn ? Qt::AlignLeft : Qt::AlignRight));
    return {};
}

QString PolicyTable::text() const {
    QStringList lines;
    for (int row = -1; row < rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < columnTotal; ++column)
            cells << (row < 0 ? QString::fromUtf8(columnTexts[column].title)
                              : cell(rows_[static_cast<std::size_t>(row)], column));
        lines << cells.join('\t');
    }
    return lines.join('\n') + '\n';
}

StalenessTable::StalenessTable(QObject* parent) : QAbstractTableModel(parent) {}

void StalenessTable::setRuns(const std::vector<PolicyRuns>& runs) {
    std::vector<Row> rows;
    for (const PolicyRuns& each : runs)
        if (!each.staleness.empty()) rows.push_back({each.policy, each.staleness});
    // It is set again and again while curves grow; the selection should stay.
    if (rows == rows_) return;
    beginResetModel();
    rows_ = std::move(rows);
    stages_ = 0;
    oldest_ = 0;
    for (const Row& row : rows_) {
        stages_ = std::max(stages_, static_cast<int>(row.stages.size()));
        for (const StageStaleness& stage : row.stages)
            oldest_ = std::max({oldest_, stage.forward, stage.backward});
    }
    endResetModel();
}

int StalenessTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int StalenessTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || rows_.empty() ? 0 : stages_ + 1;
}

QVariant StalenessTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (index.column() == 0) {
        if (role == Qt::DisplayRole) return titleOf(row.policy);
        if (role == Qt::ToolTipRole) return aboutPolicy(row.policy);
        if (role == Qt::DecorationRole) return policySample(row.policy);
        return {};
    }
    const StageStaleness& stage = row.stages[static_cast<std::size_t>(index.column() - 1)];
    const auto short1 = [](double value) {
        return QString::number(value, 'f', value == std::floor(value) ? 0 : 2);
    };
    switch (role) {
        case Qt::DisplayRole: {
            QString text = short1(stage.forward) + " / " + short1(stage.backward);
            if (predicts(row.policy))
                text += QStringLiteral(", predicted %1 / %2 ahead")
                            .arg(short1(stage.forwardAhead), short1(stage.backwardAhead));
            return text;
        }
        case Qt::ToolTipRole:
            return QStringLiteral("Forward: weights %1 updates old%2\nBackward: %3%4")
                .arg(stage.forward)
                .arg(predicts(row.policy) ? QStringLiteral(", predicted %1 ahead").arg(stage.forwardAhead)
                                          : QString())
                .arg(stage.backward)
                .arg(predicts(row.policy) ? QStringLiteral(", predicted %1 ahead").arg(stage.backwardAhead)
                                          : QString());
        case Qt::TextAlignmentRole:
            return int(Qt::AlignCenter);
        case Qt::BackgroundRole: {
            if (!(oldest_ > 0)) return {};
            QColor heat = Theme::current().warning;
            heat.setAlphaF(float(0.4 * std::max(stage.forward, stage.backward) / oldest_));
            return heat;
        }
        default:
            return {};
    }
}

QVariant StalenessTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::DisplayRole)
        return section == 0 ? QStringLiteral("Policy") : QStringLiteral("Stage %1").arg(section - 1);
    if (role == Qt::TextAlignmentRole)
        return int(section == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter);
    if (role == Qt::ToolTipRole && section > 0)
        return QStringLiteral(
            "Updates of the stage between the weights of a forward / backward and the update that its "
            "gradient enters");
    return {};
}

}  // namespace stagecraft::views::training
