#include "core/base/indices.h"
#include "core/validation/checks.h"
#include "core/validation/flow_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace stagecraft::validation {

namespace {

constexpr double rateRounding = 1e-8;  // of a rate or a width

/// A time in which a block's flows were equally fast.
struct Stretch {
    std::uint32_t block = noBlock;
    const FlowFacts* flow = nullptr;
    double fromS = 0, toS = 0, rateBps = 0;

    bool isSlowed() const { return rateBps < flow->fullBps * (1 - rateRounding); }
};

/// That the rates which a timeline recorded are the max-min fair ones is not worked out anew: a certificate
/// is looked at. Rates are so if, and only if, no way carries more than it is wide, and whoever is slower
/// than alone crosses a full way on which nobody is faster (Bertsekas and Gallager, Data Networks, Sec.
/// 6.5.2).
class SharedLinksCheck {
public:
    explicit SharedLinksCheck(const Context& context) : context_(context), flows_(context) {}

    void run() {
        if (!areRunsWellFormed()) return;
        for (std::uint32_t block = 0; block < context_.timeline.blockCount(); ++block)
            if (context_.index.isPlaced(block)) addBlock(block);
        keepWantedWays();
        sweep();
    }

private:
    struct Way {
        double widthBps = 0;
        std::vector<std::size_t> stretches;  // under way
        double carriedBps = 0, fastestBps = 0;
        bool isChanged = false;
    };

    void refuse(std::uint32_t block, const std::string& what) {
        context_.report.add(Rule::sharedLinks, block,
                            [&] { return "The " + context_.name(block) + " " + what + "."; });
    }
    bool areRunsWellFormed();
    void addBlock(std::uint32_t block);
    void addRun(std::uint32_t block, const FlowFacts& flow, const SharedRun& run);
    void addPass(std::uint32_t block, const std::vector<PassStep>& steps);
    bool addPaces(std::uint32_t block, const FlowFacts& flow, std::span<const Pace>& left, double& atS);
    void addStretch(const Stretch& stretch);
    /// Of a block on several lanes one counts.
    bool isOnLaneOf(std::uint32_t block, int device) const;
    double allowedS(std::uint32_t block) const {
        return 1e-12 + 8 * context_.roundingAt(context_.end(block));
    }
    void keepWantedWays();
    void sweep();
    void change(std::size_t stretch, bool begins);
    void checkInstant(double atS);
    bool hasBottleneck(const Stretch& stretch) const;
    std::string nameOf(int way) const {
        const Link& link = context_.problem.cluster.links[at(way / 2)];
        return "The link from " + (way % 2 ? link.b + " to " + link.a : link.a + " to " + link.b);
    }

    const Context& context_;
    BlockFlows flows_;
    std::vector<Stretch> stretches_;
    std::map<std::pair<const FlowFacts*, int>, bool> lanes_;  // of flows
    std::map<int, Way> ways_;                                 // that can be too narrow
    std::vector<int> changed_;
};

bool SharedLinksCheck::areRunsWellFormed() {
    const Timeline& timeline = context_.timeline;
    std::uint32_t next = 0;
    for (const SharedRun& run : timeline.sharedRuns) {
        if (run.block >= timeline.blockCount() || run.block < next || run.paceCount == 0 ||
            std::size_t{run.firstPace} + run.paceCount > timeline.paces.size()) {
            context_.report.add(Rule::sharedLinks, noBlock, [&] {
                return "The rates of block " + std::to_string(run.block) +
                       " cannot be read; expected those of a block of the timeline, in their order.";
            });
            return false;
        }
        next = run.block + 1;
    }
    return true;
}

void SharedLinksCheck::addBlock(std::uint32_t block) {
    if (const std::vector<PassStep>& steps = flows_.stepsOf(block); !steps.empty())
        return addPass(block, steps);
    const FlowFacts* flow = flows_.of(block);
    const SharedRun* run = context_.timeline.sharedRunOf(block);
    if (!flow) {
        if (run) refuse(block, "has rates; expected those of what sends over links alone");
        return;
    }
    const std::size_t before = stretches_.size();
    if (run)
        addRun(block, *flow, *run);
    else
        addStretch({block, flow, context_.start(block) + flow->delayS, context_.end(block), flow->fullBps});
    const BlockKind kind = context_.timeline.kind[block];
    if (isOfVocabularyLink(kind) && context_.facts.vocabulary.isInOrders(kind) &&
        !isOnLaneOf(block, context_.facts.vocabulary.devices.front()))
        stretches_.resize(before);
}

bool SharedLinksCheck::isOnLaneOf(std::uint32_t block, int device) const {
    const std::vector<int>& lane = context_.timeline.lanes[at(context_.timeline.laneOf(block))].devices;
    return std::ranges::find(lane, device) != lane.end();
}

void SharedLinksCheck::addStretch(const Stretch& stretch) {
    lanes_[{stretch.flow, context_.timeline.laneOf(stretch.block)}] = true;
    stretches_.push_back(stretch);
}

/// From its delay's end to its own; all of its bytes.
void SharedLinksCheck::addRun(std::uint32_t block, const FlowFacts& flow, const SharedRun& run) {
    std::span<const Pace> left = context_.timeline.pacesOf(run);
    double atS = context_.start(block) + flow.delayS;
    if (!addPaces(block, flow, left, atS)) return;
    // The last of it may go for longer than times are rounded, and carry nothing that counts.
    const auto bytesOf = [](const Pace& pace) { return pace.rateBps * (pace.toS - pace.fromS); };
    for (; !left.empty() && bytesOf(left.front()) <= 1e-9 * flow.bytes; left = left.subspan(1))
        atS = left.front().toS;
    if (!left.empty() || std::fabs(atS - context_.end(block)) > allowedS(block))
        refuse(block, "has rates until " + seconds(left.empty() ? atS : left.back().toS) +
                          "; expected them until " + seconds(context_.end(block)) +
                          ", where it ends, and all of " + bytes(flow.bytes) + " sent by then");
}

/// From then on, without a gap, until all bytes of the flow are sent. @returns false if they are not
bool SharedLinksCheck::addPaces(std::uint32_t block, const FlowFacts& flow, std::span<const Pace>& left,
                                double& atS) {
    double sent = 0;
    const double enough = flow.bytes * (1 - 1e-9) - allowedS(block) * flow.fullBps;
    for (; sent < enough; left = left.subspan(1)) {
        if (left.empty()) {
            refuse(block, "sends " + bytes(sent) + " at its rates; expected " + bytes(flow.bytes));
            return false;
        }
        const Pace& pace = left.front();
        if (!(std::fabs(pace.fromS - atS) <= allowedS(block)) || !(pace.toS >= pace.fromS)) {
            refuse(block, "has a rate from " + seconds(pace.fromS) + " to " + seconds(pace.toS) +
                              "; expected one from " + seconds(atS) + " on");
            return false;
        }
        if (!(pace.rateBps > 0) || pace.rateBps > flow.fullBps * (1 + rateRounding)) {
            refuse(block, "goes at " + bytes(pace.rateBps) + " a second; expected at most " +
                              bytes(flow.fullBps) + ", as fast as it goes alone");
            return false;
        }
        addStretch({block, &flow, pace.fromS, pace.toS, pace.rateBps});
        sent += pace.rateBps * (pace.toS - pace.fromS);
        atS = pace.toS;
    }
    // As short as rounding, it sends nothing that counts.
    while (!left.empty() && left.front().toS - left.front().fromS <= allowedS(block)) left = left.subspan(1);
    if (sent <= flow.bytes * (1 + 1e-9) + allowedS(block) * flow.fullBps) return true;
    refuse(block, "sends " + bytes(sent) + " at its rates; expected " + bytes(flow.bytes));
    return false;
}

/// What it computes between takes as long as ever; what it sends has rates, or goes as fast as alone.
void SharedLinksCheck::addPass(std::uint32_t block, const std::vector<PassStep>& steps) {
    const SharedRun* run = context_.timeline.sharedRunOf(block);
    std::span<const Pace> left = run ? context_.timeline.pacesOf(*run) : std::span<const Pace>();
    double aloneS = 0;
    for (const PassStep& step : steps) aloneS += step.seconds;
    double atS = context_.start(block) + context_.timeline.aloneS(block) - aloneS;
    const std::size_t before = stretches_.size();
    for (const PassStep& step : steps) {
        const bool sends = !step.flow.ways.empty();
        if (sends && !left.empty() && std::fabs(left.front().fromS - atS) <= allowedS(block)) {
            if (!addPaces(block, step.flow, left, atS)) return;
            continue;
        }
        if (sends) addStretch({block, &step.flow, atS, atS + step.seconds, step.flow.fullBps});
        atS += step.seconds;
    }
    if (!left.empty())
        return refuse(block, "has a rate from " + seconds(left.front().fromS) +
                                 " on; expected none but while its group sends");
    if (std::fabs(atS - context_.end(block)) > allowedS(block))
        return refuse(block, "ends at " + seconds(context_.end(block)) + "; expected " + seconds(atS) +
                                 ", by what it computes and the rates at which it sends");
    const std::vector<int>& own = context_.plan.stages[at(context_.timeline.stage[block])].devices;
    if (!isOnLaneOf(block, std::ranges::min(own))) stretches_.resize(before);
}

/// Where the most that each lane sends at one time fits, nobody is ever in another's way.
void SharedLinksCheck::keepWantedWays() {
    std::map<int, std::map<int, double>> wanted;  // by way and lane
    for (const auto& [use, carries] : lanes_)
        for (const auto& [way, count] : use.first->ways) {
            double& most = wanted[way][use.second];
            most = std::max(most, count * use.first->fullBps);
        }
    for (const auto& [way, byLane] : wanted) {
        double all = 0;
        for (const auto& [lane, most] : byLane) all += most;
        const double widthBps = context_.problem.cluster.links[at(way / 2)].bandwidthBps;
        if (all > widthBps) ways_[way].widthBps = widthBps;
    }
    std::erase_if(stretches_, [this](const Stretch& each) {
        return !each.isSlowed() && std::ranges::none_of(each.flow->ways, [this](const auto& crossing) {
            return ways_.contains(crossing.first);
        });
    });
}

void SharedLinksCheck::change(std::size_t index, bool begins) {
    for (const auto& [number, count] : stretches_[index].flow->ways) {
        const auto found = ways_.find(number);
        if (found == ways_.end()) continue;
        Way& way = found->second;
        if (begins)
            way.stretches.push_back(index);
        else
            std::erase(way.stretches, index);
        if (std::exchange(way.isChanged, true)) continue;
        changed_.push_back(number);
    }
}

/// What begins and ends at one instant, but for rounding, does so at once.
void SharedLinksCheck::sweep() {
    std::vector<std::size_t> starting(stretches_.size());
    for (std::size_t i = 0; i < starting.size(); ++i) starting[i] = i;
    std::vector<std::size_t> ending = starting;
    std::ranges::sort(starting, {}, [this](std::size_t i) { return stretches_[i].fromS; });
    std::ranges::sort(ending, {}, [this](std::size_t i) { return stretches_[i].toS; });
    std::size_t begun = 0;
    for (std::size_t ended = 0; ended < ending.size();) {
        const auto nextStartS = [&] {
            return begun < starting.size() ? stretches_[starting[begun]].fromS : infinity;
        };
        double atS = std::min(nextStartS(), stretches_[ending[ended]].toS);
        const auto isNow = [&](double otherS) {
            if (otherS > atS + 1e-12 + 8 * context_.roundingAt(atS)) return false;
            atS = std::max(atS, otherS);
            return true;
        };
        while (true) {
            if (begun < starting.size() && isNow(nextStartS()))
                change(starting[begun++], true);
            else if (ended < begun && isNow(stretches_[ending[ended]].toS))
                change(ending[ended++], false);
            else
                break;
        }
        checkInstant(atS);
        // An instant looks at all that is under way on the ways that changed.
        if (ended % 64 == 0) context_.throwIfStopped();
    }
}

void SharedLinksCheck::checkInstant(double atS) {
    std::set<std::size_t> slowed;
    for (const int number : changed_) {
        Way& way = ways_.at(number);
        way.isChanged = false;
        way.carriedBps = way.fastestBps = 0;
        for (const std::size_t index : way.stretches) {
            const Stretch& each = stretches_[index];
            way.carriedBps += each.flow->ways.at(number) * each.rateBps;
            way.fastestBps = std::max(way.fastestBps, each.rateBps);
            if (each.isSlowed()) slowed.insert(index);
        }
        if (way.carriedBps > way.widthBps * (1 + rateRounding))
            context_.report.add(Rule::sharedLinks, stretches_[way.stretches.front()].block, [&] {
                return nameOf(number) + " carries " + bytes(way.carriedBps) + " a second from " +
                       seconds(atS) + " on; expected at most " + bytes(way.widthBps) + ".";
            });
    }
    changed_.clear();
    for (const std::size_t index : slowed)
        if (const Stretch& each = stretches_[index]; !hasBottleneck(each))
            refuse(each.block, "goes at " + bytes(each.rateBps) + " a second from " + seconds(atS) +
                                   " on; expected " + bytes(each.flow->fullBps) +
                                   ", or a full link on its way on which nobody is faster");
}

bool SharedLinksCheck::hasBottleneck(const Stretch& stretch) const {
    return std::ranges::any_of(stretch.flow->ways, [&](const auto& crossing) {
        const auto found = ways_.find(crossing.first);
        if (found == ways_.end()) return false;
        const Way& way = found->second;
        return way.carriedBps >= way.widthBps * (1 - rateRounding) &&
               way.fastestBps <= stretch.rateBps * (1 + rateRounding);
    });
}

}  // namespace

void checkSharedLinks(const Context& context) {
    if (context.sharesLinks()) SharedLinksCheck(context).run();
}

}  // namespace stagecraft::validation
