#include "views/compare/compare_model.h"

#include "core/analysis/memory_lack.h"
#include "core/base/units.h"
#include "views/common/qt_text.h"
#include "views/common/standing_look.h"
#include "views/common/theme.h"

#include <QFont>

#include <cmath>

namespace stagecraft {
namespace {

struct ColumnText {
    const char* title;
    const char* meaning;
};
constexpr ColumnText columnTexts[CompareModel::columnTotal] = {
    {"Plan", "The plan's name, or its planner's"},
    {"Status",
     "ok: the independent validator accepts the plan and every device has room for it; out of date: it was "
     "planned for another problem and is not compared"},
    {"Iteration",
     "Iteration time: from the first start to the last end, AllReduce included; asynchronous: the "
     "steady-state time per mini-batch"},
    {"Speed-up", "Another plan's iteration time over this one's; right-click for which"},
    {"Against",
     "How much longer or shorter an iteration takes than with another plan; right-click for which"},
    {"Samples/s", "Throughput: samples of a mini-batch over the iteration time"},
    {"Bubbles", "Share of the devices' time in which they do no forward, backward or weight gradient"},
    {"Peak memory", "Of the device closest to its limit; > where it exceeds the limit"},
    {"Bound", "Lower bound: what no schedule of this plan can beat"},
    {"Gap", "How far the iteration time is above that lower bound"},
    {"Stages", "Number of stages, of all pipelines together"},
    {"Planning", "Planning time: wall clock time of the planner alone"},
};

/// Which end of a column is the better one; 0: none is.
int betterDirection(int column) {
    switch (column) {
        case CompareModel::timeColumn:
        case CompareModel::bubbleColumn:
        case CompareModel::memoryColumn:
        case CompareModel::gapColumn:
            return -1;
        case CompareModel::speedUpColumn:
        case CompareModel::throughputColumn:
            return 1;
        default:
            return 0;
    }
}

constexpr qsizetype longestName = 8;  // of a plan in a title

/// "9.40 of 16.0 GiB", or "18.0 > 16.0 GiB": the unit once where both have the same.
QString amountOf(double bytes, double limit) {
    const QString all = qtText(formatBytes(limit));
    QString part = qtText(formatBytes(bytes));
    if (!(limit > 0)) return part;
    if (part.section(' ', 1) == all.section(' ', 1)) part = part.section(' ', 0, 0);
    return part + (bytes > limit ? " > " : " of ") + all;
}

QString longerOrShorter(double fraction) {
    if (std::abs(fraction) < 5e-4) return "same";
    return qtText(formatPercent(std::abs(fraction))) + (fraction > 0 ? " longer" : " shorter");
}

QString exact(double value, const char* unit) { return QString::number(value, 'g', 10) + unit; }

}  // namespace

CompareModel::CompareModel(QObject* parent) : QAbstractTableModel(parent) {}

void CompareModel::setRuns(PlanRuns runs, int reference) {
    beginResetModel();
    runs_ = std::move(runs);
    baselines_ = baselinesOf(runs_, reference);
    numbers_ = compareNumbers(runs_, baselines_);
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

std::optional<double> CompareModel::value(int row, int column) const {
    const CompareNumbers& numbers = numbers_[static_cast<std::size_t>(row)];
    switch (column) {
        case timeColumn:
            return numbers.iterationTimeS;
        case speedUpColumn:
            return numbers.speedUp;
        case againstColumn:
            return numbers.against;
        case throughputColumn:
            return numbers.throughputSamplesPerS;
        case bubbleColumn:
            return numbers.bubbleFraction;
        case memoryColumn:
            return numbers.peakMemoryBytes;
        case boundColumn:
            return numbers.lowerBoundS;
        case gapColumn:
            return numbers.gap;
        case stagesColumn:
            return numbers.stages;
        case planningColumn:
            return numbers.planningTimeS;
        default:
            return std::nullopt;
    }
}

QString CompareModel::text(int row, int column) const {
    const CompareNumbers& numbers = numbers_[static_cast<std::size_t>(row)];
    if (column == planColumn) return qtText(runs_[static_cast<std::size_t>(row)]->title());
    if (column == statusColumn) return standingName(standingOf(*runs_[static_cast<std::size_t>(row)]));
    const std::optional<double> number = value(row, column);
    if (!number) return QChar(0x2013);
    switch (column) {
        case speedUpColumn:
            return qtText(formatNumber(*number)) + QChar(0x00D7);
        case againstColumn:
            return row == baselines_.against ? "reference" : longerOrShorter(*number);
        case throughputColumn:
            return qtText(formatNumber(*number));
        case bubbleColumn:
            return qtText(formatPercent(*number));
        case memoryColumn:
            return amountOf(*number, numbers.limitBytes);
        case gapColumn:
            return *number < 5e-4 ? "0 %" : "+" + qtText(formatPercent(*number));
        case stagesColumn:
            return QString::number(*number);
        default:
            return qtText(formatSeconds(*number));
    }
}

QString CompareModel::exactText(int row, int column) const {
    const PlanRun& run = *runs_[static_cast<std::size_t>(row)];
    if (column == planColumn) {
        const Planner* planner = findPlanner(run.result.plan.planner);
        return planner ? qtText(planner->description().summary) + '\n' + qtText(planner->description().paper)
                       : text(row, column);
    }
    if (column == statusColumn) {
        if (standingOf(run) != Standing::invalid) return qtText(standingSentence(run));
        QStringList lines;
        for (const Violation& violation : run.evaluation->violations) lines << qtText(violation.message);
        return QStringList(lines.mid(0, 8)).join('\n') +
               (lines.size() > 8 ? QString("\n%1 more").arg(lines.size() - 8) : QString());
    }
    const std::optional<double> number = value(row, column);
    if (!number) return "This plan has no timeline, or there is nothing to compare it with.";
    const auto titleOf = [this](int plan) { return qtText(runs_[static_cast<std::size_t>(plan)]->title()); };
    switch (column) {
        case speedUpColumn:
            return exact(*number, " times as fast as ") + titleOf(baselines_.speedUp);
        case againstColumn:
            return exact(100 * *number, " % of the iteration time of ") + titleOf(baselines_.against);
        case throughputColumn:
            return exact(*number, " samples per second");
        case bubbleColumn:
            return exact(100 * *number, " % of the iteration, mean over all devices\n") +
                   exact(100 * run.evaluation->metrics.spanBubbleFraction,
                         " % of the devices' own spans, from their first start to their last end");
        case memoryColumn: {
            const int device = numbers_[static_cast<std::size_t>(row)].peakDevice;
            QString text = qtText(run.costs->problem().cluster.devices[static_cast<std::size_t>(device)].id) +
                           ": " + QString::number(*number, 'f', 0) + " bytes";
            for (const std::string& lack : describeExcesses(run.evaluation->metrics.excesses,
                                                            run.costs->problem().cluster.devices))
                text += "\n" + qtText(lack);
            return text;
        }
        case boundColumn:
            return exact(*number, " s\n") + qtText(run.evaluation->metrics.planBound.because);
        case gapColumn:
            return exact(100 * *number, " % above the lower bound on this plan");
        case stagesColumn:
            return exact(*number, " stages");
        default:
            return exact(*number, " s");
    }
}

bool CompareModel::isBest(int row, int column) const {
    const int direction = betterDirection(column);
    const std::optional<double> own = value(row, column);
    const auto takesPart = [this](int plan) {
        return standingOf(*runs_[static_cast<std::size_t>(plan)]) == Standing::fits;
    };
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

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const int row = index.row(), column = index.column();
    const CompareNumbers& numbers = numbers_[static_cast<std::size_t>(row)];
    switch (role) {
        case Qt::DisplayRole:
            return text(row, column);
        case Qt::ToolTipRole:
            return exactText(row, column);
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (column <= statusColumn ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::FontRole:
            if (isBest(row, column) || column == planColumn) {
                QFont font;
                font.setWeight(QFont::DemiBold);
                return font;
            }
            return {};
        case Qt::ForegroundRole:
            if (column == statusColumn)
                return standingColour(standingOf(*runs_[static_cast<std::size_t>(row)]));
            if (column > statusColumn && !isCompared(*runs_[static_cast<std::size_t>(row)]))
                return Theme::current().mutedText;
            if (column == memoryColumn && !numbers.fitsMemory) return Theme::current().error;
            if (column > statusColumn && !value(row, column)) return Theme::current().mutedText;
            return {};
        case sortRole: {
            if (column <= statusColumn) return text(row, column);
            const std::optional<double> number = value(row, column);
            return number ? QVariant(*number) : QVariant();
        }
        case barRole:
            return column == timeColumn && numbers.share ? QVariant(*numbers.share) : QVariant();
        case rankRole:
            return static_cast<int>(standingOf(*runs_[static_cast<std::size_t>(row)]));
        case bestRole:
            return isBest(row, column);
        default:
            return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnTotal) return {};
    if (role == Qt::DisplayRole) {
        const int other = section == speedUpColumn   ? baselines_.speedUp
                          : section == againstColumn ? baselines_.against
                                                     : -1;
        const QString title = columnTexts[section].title;
        if (other < 0) return title;
        QString name = qtText(runs_[static_cast<std::size_t>(other)]->title());
        if (name.size() > longestName)
            name = name.left(longestName / 2) + QChar(0x2026) + name.right(longestName / 2 - 1);
        return (section == speedUpColumn ? QString("Over ") : title + ' ') + name;
    }
    if (role == Qt::ToolTipRole) {
        const QString meaning = columnTexts[section].meaning;
        if (section == speedUpColumn && baselines_.speedUp >= 0)
            return "Speed-up over " + qtText(runs_[static_cast<std::size_t>(baselines_.speedUp)]->title()) +
                   ". " + meaning;
        return meaning;
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

}  // namespace stagecraft
