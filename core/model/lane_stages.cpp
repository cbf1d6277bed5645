#include "core/model/lane_stages.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace stagecraft::model {

namespace {

bool contains(const std::vector<int>& all, int one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

bool overlap(const std::vector<int>& a, const std::vector<int>& b) {
    return std::any_of(a.begin(), a.end(), [&b](int device) { return contains(b, device); });
}

bool someDeviceHoldsSeveral(const Plan& plan) {
    std::vector<int> seen;
    for (const Stage& stage : plan.stages)
        for (const int device : stage.devices) seen.push_back(device);
    std::sort(seen.begin(), seen.end());
    return std::adjacent_find(seen.begin(), seen.end()) != seen.end();
}

/// The stage at the other end of what `sender` sends.
int receiverOf(const Plan& plan, const Lane& channel, const ChannelSender& sender) {
    const int end = sender.gradient ? channel.toStage : channel.fromStage;
    const int other = sender.gradient ? channel.fromStage : channel.toStage;
    if (sender.stage == end) return other;
    const int step = sender.gradient ? -1 : 1;
    const auto stage = [&plan](int index) -> const Stage& {
        return plan.stages[static_cast<std::size_t>(index)];
    };
    for (int next = sender.stage + step; next >= 0 && next < plan.stageCount(); next += step)
        if (stage(next).pipeline == stage(sender.stage).pipeline &&
            overlap(stage(next).devices, channel.devices) &&
            !overlap(stage(next).devices, stage(sender.stage).devices))
            return next;
    return other;
}

}  // namespace

std::vector<StagePair> stagePairs(const Plan& plan, const Lane& channel,
                                  const std::vector<ChannelSender>& senders) {
    std::vector<StagePair> pairs;
    for (const ChannelSender& sender : senders) {
        const int receiver = receiverOf(plan, channel, sender);
        const StagePair pair = sender.gradient ? StagePair{receiver, sender.stage, Direction::backward}
                                               : StagePair{sender.stage, receiver, Direction::forward};
        const auto place =
            std::lower_bound(pairs.begin(), pairs.end(), pair, [](const StagePair& a, const StagePair& b) {
                return std::pair(a.from, a.to) < std::pair(b.from, b.to);
            });
        if (place == pairs.end() || place->from != pair.from || place->to != pair.to)
            pairs.insert(place, pair);
        else if (place->direction != pair.direction)
            place->direction = Direction::both;
    }
    if (pairs.empty()) pairs.push_back({channel.fromStage, channel.toStage, channel.direction});
    return pairs;
}

std::vector<StagePair> stagePairs(const Plan& plan, const Timeline& timeline, const Lane& channel) {
    std::vector<ChannelSender> senders;
    if (someDeviceHoldsSeveral(plan))
        for (std::uint32_t block = channel.firstBlock; block < channel.endBlock; ++block) {
            const ChannelSender sender{timeline.stage[block],
                                       timeline.kind[block] == BlockKind::transferBackward};
            if (std::find(senders.begin(), senders.end(), sender) == senders.end()) senders.push_back(sender);
        }
    return stagePairs(plan, channel, senders);
}

std::vector<std::vector<int>> stagesSharingLayers(const Plan& plan) {
    std::vector<int> root(plan.stages.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int stage) {
        while (root[static_cast<std::size_t>(stage)] != stage) stage = root[static_cast<std::size_t>(stage)];
        return stage;
    };
    for (int a = 0; a < plan.stageCount(); ++a)
        for (int b = a + 1; b < plan.stageCount(); ++b) {
            const Stage& one = plan.stages[static_cast<std::size_t>(a)];
            const Stage& other = plan.stages[static_cast<std::size_t>(b)];
            const bool share = one.firstLayer <= other.lastLayer && other.firstLayer <= one.lastLayer;
            if (!share) continue;
            const int low = std::min(find(a), find(b)), high = std::max(find(a), find(b));
            root[static_cast<std::size_t>(high)] = low;
        }
    std::map<int, std::vector<int>> groups;
    for (int stage = 0; stage < plan.stageCount(); ++stage) groups[find(stage)].push_back(stage);
    std::vector<std::vector<int>> sorted;
    for (auto& [lowest, stages] : groups) sorted.push_back(std::move(stages));
    return sorted;
}

std::vector<int> devicesHolding(const Plan& plan, const std::vector<int>& stages) {
    std::set<int> devices;
    for (const int stage : stages) {
        const std::vector<int>& own = plan.stages[static_cast<std::size_t>(stage)].devices;
        devices.insert(own.begin(), own.end());
    }
    return {devices.begin(), devices.end()};
}

std::vector<int> stagesServed(const Plan& plan, const Lane& allReduce) {
    std::vector<int> ends = allReduce.devices, served;
    std::sort(ends.begin(), ends.end());
    if (plan.schedule.sharesVocabulary()) {
        for (int stage = 0; stage < plan.stageCount(); ++stage) served.push_back(stage);
        if (devicesHolding(plan, served) == ends) return served;
        served.clear();
    }
    for (const std::vector<int>& stages : stagesSharingLayers(plan))
        if (devicesHolding(plan, stages) == ends) served.insert(served.end(), stages.begin(), stages.end());
    std::sort(served.begin(), served.end());
    return served.empty() ? std::vector<int>{allReduce.fromStage} : served;
}

std::string stagePairsText(const std::vector<StagePair>& pairs, const char* bothWays, const char* oneWay) {
    std::string text;
    for (const StagePair& pair : pairs) {
        const bool back = pair.direction == Direction::backward;
        text += (text.empty() ? "" : ", ") + std::to_string(back ? pair.to : pair.from) +
                (pair.direction == Direction::both ? bothWays : oneWay) +
                std::to_string(back ? pair.from : pair.to);
    }
    return text;
}

std::string betweenStages(const std::vector<StagePair>& pairs) {
    std::string text;
    for (const StagePair& pair : pairs) {
        const std::string lower = std::to_string(pair.from), upper = std::to_string(pair.to);
        if (!text.empty()) text += " and ";
        if (pairs.size() == 1 || pair.direction == Direction::both)
            text += "between stages " + lower + " and " + upper;
        else if (pair.direction == Direction::forward)
            text += "from stage " + lower + " to stage " + upper;
        else
            text += "from stage " + upper + " to stage " + lower;
    }
    if (pairs.size() != 1 || pairs.front().direction == Direction::both) return text;
    return text + (pairs.front().direction == Direction::forward ? ", forward" : ", backward");
}

std::string namedStages(const std::vector<int>& stages) {
    std::string text = stages.size() == 1 ? "stage " : "stages ";
    for (std::size_t i = 0; i < stages.size(); ++i)
        text += (i == 0 ? "" : i + 1 == stages.size() ? " and " : ", ") + std::to_string(stages[i]);
    return text;
}

}  // namespace stagecraft::model
