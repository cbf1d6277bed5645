#include "views/experiments/results_card.h"

#include "core/base/units.h"
#include "core/experiments/printed.h"
#include "views/experiments/results_figure.h"

#include <QObject>

#include <cmath>

namespace stagecraft::views::experiments {

namespace {

QString row(const QString& name, const QString& value, bool bold = false) {
    const QString cell = bold ? QStringLiteral("<b>%1</b>") : QStringLiteral("%1");
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
        .arg(cell.arg(name.toHtmlEscaped()),
             cell.arg(value.toHtmlEscaped().replace(' ', QStringLiteral("&nbsp;"))));
}

/// "microbatches 8, network 1 GB/s, seed 2"; of several seeds none.
QString coordinatesText(const Grid& grid, const ResultsPoint& point) {
    if (point.cells.size() < 2)
        return QString::fromStdString(grid.describe(grid.pointOf(point.cells.front())));
    QStringList parts;
    const std::vector<Axis>& axes = grid.experiment().axes;
    const std::vector<std::size_t> at = grid.coordinates(grid.pointOf(point.cells.front()));
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        if (!axes[axis].seeds)
            parts << QString::fromStdString(axes[axis].name + " " + axes[axis].values[at[axis]].label);
    return parts.join(QStringLiteral(", "));
}

/// Mean over the cells that have it; NaN if none has.
double meanOf(const ResultsNumbers& numbers, std::size_t metric, const std::vector<std::size_t>& cells) {
    double sum = 0;
    int count = 0;
    for (const std::size_t cell : cells)
        if (const double number = numbers.at(metric, cell); std::isfinite(number)) sum += number, ++count;
    return sum / count;
}

/// What the source prints for the point, and how what is found compares with it.
QString printedRows(const Grid& grid, const ResultsNumbers& numbers, const ResultsPoint& point) {
    QString rows;
    const auto& metrics = metricDescriptions();
    for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
        const std::size_t cell = point.cells.front();
        const PrintedTable* table = printedTable(grid, cell, metrics[metric].name);
        if (!table) continue;
        const auto printed = printedNumber(grid, cell, metrics[metric].name);
        rows +=
            row(QObject::tr("%1, printed in %2")
                    .arg(QString::fromStdString(metrics[metric].title), QString::fromStdString(table->place)),
                printed ? numberText(*printed, metrics[metric].unit) : QObject::tr("out of memory"));
        const double found = meanOf(numbers, metric, point.cells);
        if (printed && *printed != 0 && std::isfinite(found))
            rows += row(QObject::tr("found over printed"), numberText(found / *printed, ""));
    }
    return rows;
}

}  // namespace

QString numberText(double value, const std::string& unit) {
    if (unit == "s") return QString::fromStdString(formatSeconds(value));
    if (unit == "B") return QString::fromStdString(formatBytes(value));
    return QString::fromStdString(formatNumber(value) + (unit.empty() ? "" : " " + unit));
}

QString resultsCard(const Grid& grid, const ResultsNumbers& numbers, const ChartChoice& choice,
                    const ResultsSeries& series, const ResultsPoint& point, const QString& reason) {
    const auto& metrics = metricDescriptions();
    const std::size_t drawn = metricIndex(choice.metric);
    QString text = QStringLiteral("<b>%1</b><br>%2")
                       .arg(series.title.toHtmlEscaped(), coordinatesText(grid, point).toHtmlEscaped());
    if (point.spread.count == 0) {
        const QString why = !reason.isEmpty()                  ? reason
                            : point.status == CellStatus::open ? QObject::tr("not run yet")
                            : point.status == CellStatus::ok   ? QObject::tr("without this metric")
                                                               : QObject::tr("no plan");
        const QString printed = printedRows(grid, numbers, point);
        return text + QStringLiteral("<br>") + why.toHtmlEscaped() +
               (printed.isEmpty() ? printed : QStringLiteral("<table cellspacing=0>%1</table>").arg(printed));
    }
    QString rows;
    if (choice.relativeTo) rows += row(metricText(grid, choice), numberText(point.spread.mean, ""), true);
    const std::string unit = choice.relativeTo ? "" : metrics[drawn].unit;
    if (point.spread.count > 1)
        text += QStringLiteral("<br>") +
                QObject::tr("mean of %1 seeds, from %2 to %3")
                    .arg(point.spread.count)
                    .arg(numberText(point.spread.least, unit), numberText(point.spread.most, unit));
    const auto add = [&](std::size_t metric, bool bold) {
        const double mean = meanOf(numbers, metric, point.cells);
        if (std::isfinite(mean))
            rows += row(QString::fromStdString(metrics[metric].title), numberText(mean, metrics[metric].unit),
                        bold);
    };
    add(drawn, !choice.relativeTo);
    rows += printedRows(grid, numbers, point);
    for (std::size_t metric = 0; metric < metrics.size(); ++metric)
        if (metric != drawn) add(metric, false);
    return text + QStringLiteral("<table cellspacing=0>%1</table>").arg(rows) +
           QObject::tr("Click: its plan as a project; Shift: in a new window");
}

}  // namespace stagecraft::views::experiments
