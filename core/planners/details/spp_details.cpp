#include "core/cost/stage_layout.h"
#include "core/planners/details/detail_makers.h"
#include "core/planners/spp/device_order.h"
#include "core/planners/spp/partition_table.h"
#include "core/runs/device_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace stagecraft::planners {

namespace {

constexpr double emptyCell = std::numeric_limits<double>::quiet_NaN();

using PartitionState = std::tuple<int, int, int, int>;  // l, xi, r, i

/// The states that a partition goes through.
std::set<PartitionState> partitionStatesOf(const std::vector<Stage>& stages) {
    std::set<PartitionState> states;
    int devices = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const int replicas = StageLayout(stages[s]).rankCount();
        devices += replicas;
        states.insert({stages[s].lastLayer + 1, static_cast<int>(s) + 1, replicas, devices});
    }
    return states;
}

std::vector<int> deviceOrderOf(const PlanRun& run, const ParameterValues& values,
                               const WorkContext& context) {
    if (!run.result.deviceOrder.empty()) return run.result.deviceOrder;
    if (std::get<std::string>(values.at("device_order")) == "rdo")
        return recursiveDeviceOrder(bandwidthGraph(run.costs->interconnect()), context);
    return devicesAsNumbered(run.costs->deviceCount());
}

}  // namespace

DetailTable sppValues(const PlanRun& run, std::size_t most, const WorkContext& context) {
    const ParameterValues values = parametersOf(run);
    const CostModel& costs = *run.costs;
    const int asked = std::get<int>(values.at("max_stages"));
    const int possible = std::min(costs.layerCount(), costs.deviceCount());
    const WorkContext part{context.stop, [&](double share) { context.report(share / 2); }};
    const PartitionTable table(costs, deviceOrderOf(run, values, context), asked == 0 ? possible : asked,
                               part);
    const std::set<PartitionState> own = partitionStatesOf(run.result.plan.stages);
    DetailTable result;
    result.columns = {{"xi", "ξ stages", DetailUnit::count},
                      {"i", "i devices", DetailUnit::count},
                      {"r", "r replicas", DetailUnit::count},
                      {"l", "l layers", DetailUnit::count},
                      {"w_s", "W", DetailUnit::seconds},
                      {"before_l", "l′ before", DetailUnit::count},
                      {"before_r", "r′ before", DetailUnit::count},
                      {"before_w_s", "W before", DetailUnit::seconds},
                      {"transfer_and_before_s", "with its transfer", DetailUnit::seconds},
                      {"in_plan", "in the plan", DetailUnit::text}};
    for (int stages = 1; stages <= table.maxStages() && !result.cut; ++stages) {
        // Of as many stages as there may be, all devices alone are asked about.
        const int fewest = stages == table.maxStages() ? costs.deviceCount() : stages;
        for (int devices = fewest; devices <= costs.deviceCount() && !result.cut; ++devices) {
            context.throwIfStopped();
            for (int replicas = 1; replicas <= devices - stages + 1; ++replicas)
                for (int layers = stages; layers <= costs.layerCount(); ++layers) {
                    const double value = table.value(layers, stages, replicas, devices);
                    if (!std::isfinite(value)) continue;
                    if (result.rows.size() == most) {
                        result.cut = true;
                        break;
                    }
                    const bool first = stages == 1;
                    const PartitionTable::Prefix before =
                        first ? PartitionTable::Prefix{}
                              : table.predecessor(layers, stages, replicas, devices);
                    const double beforeS =
                        first ? emptyCell
                              : table.value(before.layers, stages - 1, before.replicas, devices - replicas);
                    result.rows.push_back(
                        {double(stages), double(devices), double(replicas), double(layers), value,
                         first ? emptyCell : double(before.layers),
                         first ? emptyCell : double(before.replicas), beforeS,
                         first ? emptyCell : before.seconds,
                         std::string(own.contains({layers, stages, replicas, devices}) ? "yes" : "")});
                }
        }
        context.report(0.5 + 0.5 * stages / table.maxStages());
    }
    result.notes.emplace_back(
        "W is the time of an iteration's microbatches; devices count by their place in SPP's order.");
    return result;
}

DetailTable pePasses(const PlanRun& run, std::size_t most, const WorkContext& context) {
    const int stages = run.result.plan.stageCount(), blocks = 4 * stages - 3;
    const int microbatches = run.costs->problem().setup.microbatches;
    DetailTable result;
    result.columns = {{"pass", "Pass", DetailUnit::count},
                      {"block", "Block", DetailUnit::count},
                      {"task", "Task", DetailUnit::text},
                      {"stage", "Stage", DetailUnit::count},
                      {"microbatch", "Microbatch", DetailUnit::count},
                      {"queued", "In its queue", DetailUnit::count}};
    for (int pass = 0; pass < microbatches + blocks - 1 && !result.cut; ++pass) {
        context.throwIfStopped();
        for (int block = 0; block < blocks; ++block) {
            // Microbatch m is in the queue of block j at pass m + j; all of them begin in the first.
            const int microbatch = pass - block;
            if (microbatch < 0 || microbatch >= microbatches) continue;
            if (result.rows.size() == most) {
                result.cut = true;
                break;
            }
            const int position = block / 2, turn = stages - 1;
            const bool transfer = block % 2 == 1, back = position >= turn;
            const int stage = position <= turn ? position : 2 * turn - position;
            const std::string task = transfer           ? (back ? "transfer of the gradient" : "transfer")
                                     : position == turn ? "forward and backward"
                                     : back             ? "backward"
                                                        : "forward";
            result.rows.push_back({double(pass), double(block + 1), task, double(stage), double(microbatch),
                                   double(block == 0 ? microbatches - pass : 1)});
        }
    }
    result.notes.emplace_back(
        "Block 1 is the first stage's forward; a transfer is named by the stage that sends. The last stage's "
        "forward and backward are one block, numbered 2S - 1.");
    return result;
}

}  // namespace stagecraft::planners
