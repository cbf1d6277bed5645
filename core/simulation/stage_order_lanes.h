#pragma once

#include "core/simulation/graph_draft.h"

namespace stagecraft::simulation {

/// The orders of compute lanes where each stage has devices of its own and follows its order
/// (OrderRule::ofStages).
class StageOrderLanes {
public:
    explicit StageOrderLanes(GraphDraft& draft) : draft_(draft) {}
    void add();

private:
    void addStage(int stage);
    void append(TaskKind kind, const StageRows& rows, std::uint32_t entry);

    GraphDraft& draft_;
};

}  // namespace stagecraft::simulation
