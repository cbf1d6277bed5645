#include "views/compare/plan_details.h"

#include "core/base/units.h"
#include "core/runs/cautions.h"
#include "core/runs/reference_plan.h"
#include "core/schedules/periodic_pattern.h"
#include "core/weights/version_report.h"
#include "views/common/standing_look.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QStringList>

namespace stagecraft::views::compare {

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

namespace {

constexpr std::size_t listedViolations = 10;
constexpr double leastShare = 0.0005;  // that is worth a row

QString seconds(double value) { return htmlText(formatSeconds(value)); }

QString valueText(const PlanRun& run, std::string_view id) {
    const Metric& metric = catalogueMetric(id);
    const MeasuredPlan measured = run.measured();
    return htmlText(metric.text({}, metric.of(measured), measured));
}

class Page {
public:
    void heading(const QString& text) { html_ += "<h4 style='margin:14px 0 4px 0'>" + text + "</h4>"; }

    /// A name, its number, and in a muted line below what gives it.
    void row(const QString& name, const QString& number, const QString& because, const QColor& colour = {}) {
        const QString style = colour.isValid() ? QString(" style='color:%1'").arg(colour.name()) : QString();
        html_ += QString(
                     "<table width='100%' cellspacing='0' cellpadding='1'><tr><td%1>%2</td>"
                     "<td align='right'%1><b>%3</b></td></tr></table>")
                     .arg(style, name, number);
        if (!because.isEmpty()) muted(because);
    }

    void muted(const QString& text) {
        html_ += QString("<div style='color:%1; margin:0 0 6px 1px'>%2</div>")
                     .arg(Theme::current().mutedText.name(), text);
    }

    void paragraph(const QString& text) { html_ += "<div style='margin:2px 0 4px 1px'>" + text + "</div>"; }

    void table(const QString& html) { html_ += html; }

    const QString& html() const { return html_; }

private:
    QString html_;
};

void addGuarantees(Page& page, const PlanningResult& result, double iterationTimeS) {
    if (result.guarantees.empty()) return;
    page.heading("Guarantees");
    for (const Guarantee& guarantee : result.guarantees) {
        const QChar relation(iterationTimeS <= guarantee.boundS * (1 + 1e-9) ? 0x2264 : '>');
        QString number;
        if (guarantee.boundS > 0)
            number = seconds(iterationTimeS) + ' ' + relation + ' ' + seconds(guarantee.boundS);
        if (guarantee.factor > 0)
            number += (number.isEmpty() ? QString() : QString(" %1 ").arg(QChar(0x00B7))) + "at most " +
                      htmlText(formatNumber(guarantee.factor)) + QChar(0x00D7) + " the optimum";
        page.row(htmlText(guarantee.name) + (guarantee.holds ? "" : " (not proven here)"),
                 number.toHtmlEscaped(), htmlText(guarantee.because),
                 guarantee.holds ? QColor() : Theme::current().warning);
    }
}

/// Of a plan that repeats a pattern: what its planner hoped for and what came of it, a microbatch.
void addPattern(Page& page, const PlanRun& run) {
    const auto& pattern = std::get<PeriodicSchedule>(run.result.plan.schedule.order);
    const TrainingSetup& setup = run.costs->problem().setup;
    page.heading("Pattern");
    if (run.result.predictedS) {
        const double expectedS = *run.result.predictedS / setup.microbatches;
        const double longer = pattern.periodS / expectedS - 1;
        page.row("Period expected by the first phase", seconds(expectedS), {});
        page.row("Period that was possible", seconds(pattern.periodS),
                 longer > leastShare ? htmlText(formatPercent(longer)) + " longer" : QString());
    } else {
        page.row("Period", seconds(pattern.periodS), {});
    }
    QStringList batches;
    for (const int active : activeBatches(*run.costs, run.result.plan.stages, pattern))
        batches << QString::number(active);
    page.row("Batches that each stage stores", batches.join(", "), {});
}

void addBounds(Page& page, const PlanRun& run) {
    const Metrics& metrics = run.evaluation->metrics;
    page.heading("Lower bounds");
    page.row("On any schedule of this plan", valueText(run, "plan_bound_s"),
             htmlText(metrics.planBound.because));
    page.row("On any plan at all", valueText(run, "problem_bound_s"), htmlText(metrics.problemBound.because));
}

void addVersions(Page& page, const PlanRun& run) {
    const QString table = versionTable(run);
    if (table.isEmpty()) return;
    page.heading("Version differences");
    page.table(table);
    page.muted(QString("Updates by other mini-batches from a mini-batch's first pass on a stage until it has "
                       "left the pipeline, in steady state; closed: the closed form for passes that take "
                       "equally long; %1: not what is counted.")
                   .arg(QChar(0x2260)));
}

void addCriticalPath(Page& page, const CriticalPath& path) {
    const double total = path.computeS + path.communicationS + path.waitingS;
    if (!(total > 0)) return;
    page.heading(
        QString("Critical path (%1)").arg(countedText(static_cast<long long>(path.blocks.size()), "block")));
    const auto share = [&](const char* name, double value) {
        page.row(name,
                 seconds(value) + QString(" %1 ").arg(QChar(0x00B7)) + htmlText(formatPercent(value / total)),
                 {});
    };
    share("Compute", path.computeS);
    share("Communication", path.communicationS);
    if (path.insideS > 0) share("of it within stages", path.insideS);
    share("Waiting", path.waitingS);
}

void addExcesses(Page& page, const PlanRun& run) {
    const std::vector<MemoryExcess>& excesses = run.evaluation->metrics.excesses;
    if (excesses.empty()) return;
    page.heading("Does not fit in memory");
    const auto id = [&](const MemoryExcess& excess) {
        return htmlText(run.costs->problem().cluster.devices[static_cast<std::size_t>(excess.device)].id);
    };
    // Devices that share a stage exceed by the same: one row for them all.
    const auto alike = [](const MemoryExcess& a, const MemoryExcess& b) {
        return a.excessBytes == b.excessBytes && a.timeS == b.timeS && a.largest == b.largest;
    };
    for (std::size_t i = 0, next = 0; i < excesses.size(); i = next) {
        const MemoryExcess& excess = excesses[i];
        while (next < excesses.size() && alike(excess, excesses[next])) ++next;
        QString who = id(excess);
        if (next - i > 1)
            who += QString(" %1 %2 (%3%4)")
                       .arg(QChar(0x2026))
                       .arg(id(excesses[next - 1]))
                       .arg(QChar(0x00D7))
                       .arg(next - i);
        page.row(who, "+" + htmlText(formatBytes(excess.excessBytes)),
                 QString("from %1 on; at the peak most of it is %2")
                     .arg(seconds(excess.timeS), htmlText(memoryKindName(excess.largest))),
                 Theme::current().error);
    }
}

void addViolations(Page& page, const std::vector<Violation>& violations) {
    if (violations.empty()) return;
    page.heading(QString("Violations (%1)").arg(violations.size()));
    for (std::size_t i = 0; i < std::min(violations.size(), listedViolations); ++i)
        page.row(htmlText(ruleName(violations[i].rule)), {}, htmlText(violations[i].message),
                 Theme::current().error);
    if (violations.size() > listedViolations)
        page.muted(QString("%1 more in the problems panel").arg(violations.size() - listedViolations));
}

}  // namespace

QString planDetails(const PlanRun& run, const PlanRun* reference) {
    Page page;
    page.paragraph("<b>" + htmlText(run.title()) + "</b>");
    if (run.maker.isKnown) page.muted(htmlText(run.maker.summary));
    if (!isCompared(run))
        page.row("<b>" + htmlText(standingName(standingOf(run))) + "</b>", {},
                 htmlText(standingSentence(run)), standingColour(standingOf(run)));
    if (run.reportMissing)
        page.muted("What its planner said of it is not in the file; run the planner again to have it.");
    if (!run.ok()) {
        page.heading(run.result.status == PlanStatus::infeasible ? "No plan fits" : "Planning failed");
        page.paragraph(htmlText(run.result.reason));
    } else {
        if (const std::string words = reference ? differenceInWords(run, *reference) : ""; !words.empty())
            page.paragraph(htmlText(words));
        addViolations(page, run.evaluation->violations);
        addExcesses(page, run);
        addGuarantees(page, run.result, run.iterationTimeS());
        const bool periodic = std::holds_alternative<PeriodicSchedule>(run.result.plan.schedule.order);
        if (run.result.predictedS && !periodic) {
            page.heading("Prediction");
            page.row("What the planner itself expected", valueText(run, "predicted_s"),
                     "simulated: " + seconds(run.iterationTimeS()));
        }
        if (periodic) addPattern(page, run);
        addBounds(page, run);
        addVersions(page, run);
        addCriticalPath(page, run.evaluation->metrics.criticalPath);
    }
    if (const std::vector<std::string> notes = remarksOn(run); !notes.empty()) {
        page.heading("Notes");
        for (const std::string& note : notes) page.paragraph(htmlText(note));
    }
    return page.html();
}

}  // namespace stagecraft::views::compare
