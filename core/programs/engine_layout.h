#pragma once

#include "core/base/rooms.h"
#include "core/formats/configurations/configuration.h"
#include "core/model/plan.h"
#include "core/model/problem.h"

#include <string>
#include <vector>

namespace stagecraft::programs {

/// A plan as engines count it: ranks of one pipeline, copies of it, and what each stage holds.
struct EngineLayout {
    int ranks = 1;   ///< of the pipeline
    int copies = 1;  ///< of each stage
    Group group;
    std::vector<StageContent> contents;  ///< by stage
    std::vector<int> bounds;             ///< of the stages among the layers: stages() + 1, from 0
    std::vector<int> rankOf;             ///< by stage
    std::vector<int> devices;  ///< by process: tensor parallelism fastest, then context, copies and stages
    int samples = 1;           ///< of a microbatch on one copy
    int microbatches = 1;
    int blocks = 0, predictions = 0;  ///< of the model
    BlockMemory memory;
    std::string family;  ///< of its schedule; empty: an order of its own
    FamilySchedule schedule;

    int stages() const { return static_cast<int>(contents.size()); }
    int batch() const { return samples * copies * microbatches; }
};

/// @param engine its name, for complaints
/// @throws std::invalid_argument saying why an engine that runs one pipeline without old weights, with stages
/// of a transformer's blocks that are copied and divided alike, cannot have it
EngineLayout engineLayout(const Problem& problem, const Plan& plan, const std::string& engine);

/// @throws std::invalid_argument where a stage holds nothing
void requireLayers(const EngineLayout& layout, const std::string& engine);

/// What its stages hold, for people: "stage 0 on rank 0: embedding, 3 blocks".
std::string contentText(const StageContent& content);

}  // namespace stagecraft::programs
