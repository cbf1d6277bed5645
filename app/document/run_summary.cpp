#include "app/document/run_summary.h"

#include "core/analysis/what_bounds.h"
#include "core/base/units.h"
#include "core/planners/planner.h"
#include "core/runs/iteration_text.h"
#include "core/runs/standing.h"

#include <QObject>
#include <QStringList>

namespace stagecraft::app::document {

QString summaryOf(const PlanRun& run, const QString& called) {
    if (!run.ok()) return QString::fromStdString(run.result.reason);
    const Metrics& metrics = run.evaluation->metrics;
    QStringList parts;
    const Planner* planner = findPlanner(run.result.plan.planner);
    const QString title = QString::fromStdString(run.title());
    if (planner && planner->description().choosesSchedule && !called.contains(title)) parts << title;
    if (const Standing standing = standingOf(run); standing != Standing::fits)
        parts << QLatin1String(standingName(standing));
    parts << QObject::tr("iteration %1").arg(QString::fromStdString(iterationText(run)));
    parts << QObject::tr("%1 bubbles").arg(QString::fromStdString(formatPercent(metrics.bubbleFraction)));
    const Metric& peak = catalogueMetric("tightest_peak_bytes");
    const MeasuredPlan measured = run.measured();
    if (const auto bytes = peak.of(measured))
        parts << QObject::tr("peak %1").arg(QString::fromStdString(peak.text(peak.printed, bytes, measured)));
    const WhatBounds bounds =
        whatBounds(*run.costs, run.result.plan, run.evaluation->timeline, metrics, run.microbatchesAsked);
    if (!bounds.subject.empty())
        parts << QObject::tr("bounded by %1").arg(QString::fromStdString(bounds.subject));
    return parts.join(QStringLiteral(" · "));
}

QString excessOver(const Guarantee& guarantee, const PlanRun& run) {
    constexpr double slack = 1 + 1e-9;  // sums of the same times in another order
    const double took = run.ok() ? run.evaluation->metrics.iterationTimeS : 0;
    if (guarantee.boundS <= 0 || took <= guarantee.boundS * slack) return {};
    return QObject::tr("takes %1 where %2 would allow %3")
        .arg(QString::fromStdString(formatSeconds(took)), QString::fromStdString(guarantee.name),
             QString::fromStdString(formatSeconds(guarantee.boundS)));
}

const Guarantee* exceededGuarantee(const PlanRun& run) {
    for (const Guarantee& guarantee : run.result.guarantees)
        if (!excessOver(guarantee, run).isEmpty()) return &guarantee;
    return nullptr;
}

}  // namespace stagecraft::app::document
