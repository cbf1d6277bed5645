#include "views/compare/version_table.h"

#include "core/weights/version_report.h"
#include "views/common/theme.h"

namespace stagecraft::views {
namespace {

QString cell(const QString& text, const QColor& colour = {}) {
    const QString style = colour.isValid() ? QString(" style='color:%1'").arg(colour.name()) : QString();
    return QString("<td align='right'%1>%2</td>").arg(style, text);
}

QString counted(const DifferenceRow& row) {
    QString text = QString::number(row.countedLeast);
    if (row.countedMost != row.countedLeast) text += QChar(0x2013) + QString::number(row.countedMost);
    return cell("<b>" + text + "</b>");
}

QString formula(int value, bool holds) {
    if (holds) return cell(QString::number(value), Theme::current().mutedText);
    return cell(QChar(0x2260) + QString::number(value), Theme::current().warning);
}

QString cellsOf(const DifferenceRow& row) {
    return counted(row) + formula(row.printed, row.printedHolds()) + formula(row.exact, row.exactHolds());
}

QString headings() {
    QString html =
        "<tr><td></td><td colspan='3' align='center'>Forward</td>"
        "<td colspan='3' align='center'>Backward</td></tr><tr><td></td>";
    for (const char* equation : {"Eq. (1)", "Eq. (2)"})
        html += cell("counted") + cell(equation) + cell("closed");
    return html + "</tr>";
}

}  // namespace

QString versionTable(const PlanRun& run) {
    if (!run.ok() || !predictsWeights(*run.costs, run.result.plan)) return {};
    const VersionReport report = versionReport(*run.costs, run.result.plan, run.evaluation->timeline);
    QString html = "<table width='100%' cellspacing='0' cellpadding='2'>" + headings();
    for (const StageDifferences& each : report.stages)
        html += QString("<tr><td>Stage %1</td>").arg(each.stage) + cellsOf(each.forward) +
                cellsOf(each.backward) + "</tr>";
    return html + "</table>";
}

}  // namespace stagecraft::views
