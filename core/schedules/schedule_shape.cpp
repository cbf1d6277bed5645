#include "core/schedules/schedule_shape.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/cost/stage_layout.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::schedules {

std::string placementName(Placement placement) {
    switch (placement) {
        case Placement::onePerRank:
            return "one stage a device";
        case Placement::ring:
            return "stages round the ring of devices";
        case Placement::vee:
            return "stages in a V: down the devices and back";
        case Placement::opposite:
            return "two copies in opposite directions";
    }
    return {};
}

ScheduleShape shapeOf(const std::vector<Stage>& stages, int microbatches) {
    ScheduleShape shape;
    shape.microbatches = microbatches;
    std::vector<std::vector<int>> sets;  // by rank
    for (const Stage& stage : stages) {
        const std::string name = "stage " + std::to_string(shape.stages());
        if (StageLayout(stage).turns() > 1)
            throw std::invalid_argument("the replicas of " + name + " take microbatches in turn");
        std::vector<int> devices = stage.devices;
        std::sort(devices.begin(), devices.end());
        std::size_t rank = 0;
        while (rank < sets.size() && sets[rank] != devices) {
            if (std::find_first_of(sets[rank].begin(), sets[rank].end(), devices.begin(), devices.end()) !=
                sets[rank].end())
                throw std::invalid_argument(name +
                                            " shares some of its devices, but not all, with another stage");
            ++rank;
        }
        if (rank == sets.size()) sets.push_back(std::move(devices));
        shape.rankOf.push_back(static_cast<int>(rank));
        shape.pipelineOf.push_back(stage.pipeline);
    }
    shape.ranks = static_cast<int>(sets.size());
    return shape;
}

int expectedRank(int stage, int ranks, Placement placement) {
    switch (placement) {
        case Placement::onePerRank:
            return stage;
        case Placement::ring:
            return stage % ranks;
        case Placement::vee:
        case Placement::opposite:
            return std::min(stage, 2 * ranks - 1 - stage);
    }
    return stage;
}

std::string whyNotPlaced(const ScheduleShape& shape, Placement placement) {
    const int stages = shape.stages(), ranks = shape.ranks;
    const bool copies = placement == Placement::opposite;
    const int wanted = placement == Placement::onePerRank ? ranks
                       : placement == Placement::ring     ? stages
                                                          : 2 * ranks;
    const std::string expected = "; expected " + placementName(placement);
    if (stages != wanted || (placement == Placement::ring && stages % ranks != 0))
        return counted(stages, "stage") + " on " + counted(ranks, "device") + expected;
    for (int s = 0; s < stages; ++s) {
        if (shape.pipelineOf[at(s)] != (copies && s >= ranks ? 1 : 0))
            return "stage " + std::to_string(s) + " is of copy " + std::to_string(shape.pipelineOf[at(s)]) +
                   " of the network" + expected;
        if (shape.rankOf[at(s)] != expectedRank(s, ranks, placement))
            return "stage " + std::to_string(s) + " is on the devices of stage " +
                   std::to_string(shape.rankOf[at(s)]) + expected;
    }
    return {};
}

}  // namespace stagecraft::schedules
