#pragma once

#include "core/simulation/graph_draft.h"

namespace stagecraft::simulation {

/// What stages compute for each microbatch: forwards, backwards, weight gradients where backwards are split,
/// and recomputation.
class ComputeRows {
public:
    explicit ComputeRows(GraphDraft& draft) : draft_(draft) {}
    void add();

private:
    StageRows rowsFor(int stage);
    bool recomputes(int stage) const;

    GraphDraft& draft_;
};

}  // namespace stagecraft::simulation
