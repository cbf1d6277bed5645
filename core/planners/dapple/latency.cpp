#include "core/planners/dapple/latency.h"

#include "core/cost/stage_layout.h"
#include "core/runs/device_list.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::planners {

namespace {

std::size_t pivotOf(std::span<const DappleStep> chain, int microbatches) {
    std::size_t pivot = chain.size() - 1;
    double betweenS = 0;
    for (std::size_t step = pivot; step-- > 0;) {
        if ((microbatches - 1) * chain[step].bothS() > (microbatches - 1) * chain[pivot].bothS() + betweenS) {
            pivot = step;
            betweenS = 0;
        } else {
            betweenS += chain[step].bothS();
        }
    }
    return pivot;
}

}  // namespace

DappleLatency dappleLatency(std::span<const DappleStep> chain, int microbatches) {
    const std::size_t pivot = pivotOf(chain, microbatches);
    DappleLatency latency;
    latency.pivot = static_cast<int>(pivot);
    latency.steadyS = (microbatches - 1) * chain[pivot].bothS();
    double backwardS = 0;
    for (std::size_t step = pivot + 1; step-- > 0;) {
        latency.warmUpS += chain[step].forwardS;
        backwardS += chain[step].backwardS;
        latency.endingS = std::max(latency.endingS, backwardS + chain[step].allReduceS);
    }
    double earlierS = 0;
    for (std::size_t step = pivot + 1; step < chain.size(); ++step) {
        latency.endingS = std::max(latency.endingS, chain[step].allReduceS - earlierS);
        earlierS += chain[step].backwardS;
    }
    return latency;
}

double releasedDappleLatencyS(std::span<const DappleStep> chain, int microbatches, double networkS) {
    double blockS = 0, transfersS = 0, leftS = 0;
    for (std::size_t step = 0; step < chain.size(); ++step) {
        blockS = std::max(blockS, chain[step].bothS());
        if (step % 2 == 1) transfersS += chain[step].forwardS;
    }
    for (std::size_t step = 0; step < chain.size(); step += 2)
        leftS = std::max(leftS, chain[step].allReduceS - static_cast<double>(step / 2) * blockS);
    return (microbatches - 1) * blockS + networkS + transfersS + leftS;
}

double dappleNetworkS(const CostModel& costs, int pipelines) {
    const int last = costs.layerCount() - 1;
    return (costs.forwardS(0, last, pipelines) + costs.backwardS(0, last, pipelines)) /
           (pipelines * costs.slowestSpeed(devicesAsNumbered(costs.deviceCount())));
}

int dapplePipelines(const std::vector<Stage>& stages) {
    int divisor = 0;
    for (const Stage& stage : stages) divisor = std::gcd(divisor, StageLayout(stage).rankCount());
    return divisor;
}

std::vector<DappleStep> dappleChain(const CostModel& costs, const std::vector<Stage>& stages) {
    std::vector<DappleStep> chain;
    const Stage* before = nullptr;
    for (const Stage& stage : stages) {
        if (before) {
            const TransferCost transfer =
                costs.transfer(costs.cutForwardBytes(before->lastLayer),
                               costs.cutBackwardBytes(before->lastLayer), before->devices, stage.devices);
            chain.push_back({transfer.forwardS, transfer.backwardS, 0});
        }
        const int replicas = StageLayout(stage).rankCount();
        const double rate = replicas * costs.slowestSpeed(stage.devices);
        chain.push_back(
            {costs.forwardS(stage.firstLayer, stage.lastLayer, replicas) / rate,
             costs.backwardS(stage.firstLayer, stage.lastLayer, replicas) / rate,
             costs.allReduceS(costs.synchronisedBytes(stage.firstLayer, stage.lastLayer), stage.devices)});
        before = &stage;
    }
    return chain;
}

}  // namespace stagecraft::planners
