#include "core/simulation/swap_rows.h"

#include "core/simulation/execution_graph.h"

namespace stagecraft::simulation {

void SwapRows::add() {
    for (int s = 0; s < draft_.plan().stageCount(); ++s)
        if (draft_.costs().stage(draft_.plan(), s).swapBytes > 0) addSwap(s);
}

void SwapRows::addSwap(int s) {
    StageRows& rows = draft_.rowsOf(s);
    rows.swapOut = draft_.addRow(BlockKind::swapOut, s, onHostLinks(s), RowTrigger::pass);
    rows.swapIn = draft_.addRow(BlockKind::swapIn, s, onHostLinks(s), RowTrigger::pass);
    draft_.follow(rows.forward, rows.swapOut);
    draft_.follow(rows.swapOut, rows.swapIn);
    draft_.follow(rows.swapIn, rows.backward);
}

std::vector<TaskVariant> SwapRows::onHostLinks(int s) {
    std::vector<TaskVariant> variants = draft_.onStage(s, [](const StageCost& cost) { return cost.swapS; });
    for (TaskVariant& variant : variants) {
        if (variant.lanes.size() > 1)
            throw SimulationError("stage " + std::to_string(s) +
                                  " swaps, but its devices do not all hold the same stages");
        variant.lanes = {draft_.lanes().hostLink(variant.lanes.front())};
    }
    return variants;
}

void SwapRows::prefetch() {
    std::vector<FetchedStage> stages;
    for (int s = 0; s < draft_.plan().stageCount(); ++s) {
        const StageRows& rows = draft_.rowsOf(s);
        // When a load begins its device's order says.
        const bool fetches = rows.swapIn >= 0 && draft_.row(rows.swapIn).microbatches.empty();
        stages.push_back({rows.recompute, rows.backward, fetches ? rows.swapIn : -1});
    }
    prefetchSwaps(draft_.graph(), stages);
}

}  // namespace stagecraft::simulation
