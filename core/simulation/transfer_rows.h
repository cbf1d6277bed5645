#pragma once

#include "core/simulation/graph_draft.h"

#include <vector>

namespace stagecraft::simulation {

/// What stages of different devices send to each other, and who waits for whose output and gradient.
class TransferRows {
public:
    explicit TransferRows(GraphDraft& draft) : draft_(draft) {}
    void add();
    /// On half duplex some channels follow an order. The rows must be closed.
    void orderChannels();

private:
    /// Between two stages, there and back.
    struct Both {
        int from = 0, to = 0;
        int forward = 0, backward = 0;  ///< rows
    };
    std::vector<TaskVariant> variants(const StageEdge& edge, bool gradient);
    /// What of it goes over links that are shared: LinkFlows' number, or -1.
    int flow(const StageEdge& edge, const std::vector<int>& from, const std::vector<int>& to,
             const TransferCost& cost, bool gradient);
    std::vector<int> sender(int stage, int variant) const;
    void waitForGradient(int earlier, int stage);

    GraphDraft& draft_;
    std::vector<Both> added_;
};

}  // namespace stagecraft::simulation
