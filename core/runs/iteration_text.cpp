#include "core/runs/iteration_text.h"

#include "core/base/counted.h"
#include "core/base/units.h"

#include <algorithm>

namespace stagecraft::runs {

namespace {

int ownMicrobatches(const PlanRun& run) { return run.costs->problem().setup.microbatches; }

/// A run that was put together by hand asked for its own.
int askedMicrobatches(const PlanRun& run) {
    return run.microbatchesAsked == 0 ? ownMicrobatches(run) : run.microbatchesAsked;
}

/// Why the iteration is longer or shorter than a mini-batch of the plan; empty where it is one.
std::string inMiniBatches(const PlanRun& run) {
    const int own = ownMicrobatches(run), asked = askedMicrobatches(run);
    if (own == asked) return {};
    const std::string each = formatSeconds(run.evaluation->metrics.iterationTimeS);
    if (asked % own == 0) return " = " + counted(asked / own, "mini-batch", "mini-batches") + " of " + each;
    return " for " + counted(asked, "microbatch", "microbatches") + ", where a mini-batch of " +
           std::to_string(own) + " takes " + each;
}

}  // namespace

std::string iterationText(const PlanRun& run) {
    const Timeline& timeline = run.evaluation->timeline;
    std::string text = formatSeconds(run.iterationTimeS()) + inMiniBatches(run);
    if (const int size = run.result.plan.miniBatch.microbatchSize; size > 0)
        text += " in " + counted(ownMicrobatches(run), "microbatch", "microbatches") + " of " +
                counted(size, "sample");
    const auto last = std::max_element(timeline.iteration.begin(), timeline.iteration.end());
    if (last == timeline.iteration.end() || *last == 0) return text;
    const std::string drawn = inMiniBatches(run).empty() ? counted(*last + 1, "mini-batch", "mini-batches")
                                                         : std::to_string(*last + 1);
    return text + "; the chart shows " + drawn + ", to " + formatSeconds(timeline.lastEndS());
}

std::string miniBatchesText(const PlanRun& run, int count) {
    const int own = ownMicrobatches(run);
    const bool same = own == askedMicrobatches(run);
    const std::string size = counted(own, "microbatch", "microbatches");
    if (count == 1) return "1 mini-batch (" + (same ? "the iteration" : size) + ")";
    return std::to_string(count) + " mini-batches (" + (same ? "one iteration" : size) + " each)";
}

}  // namespace stagecraft::runs
