#pragma once

#include "core/simulation/graph_draft.h"

namespace stagecraft::simulation {

/// What stages move to the host's memory between a microbatch's forward and its backward.
class SwapRows {
public:
    explicit SwapRows(GraphDraft& draft) : draft_(draft) {}
    void add();
    /// When swapped activations are fetched. The lanes must have their orders.
    void prefetch();

private:
    void addSwap(int stage);
    std::vector<TaskVariant> onHostLinks(int stage);

    GraphDraft& draft_;
};

}  // namespace stagecraft::simulation
