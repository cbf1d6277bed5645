#include "core/validation/host_links.h"

#include <algorithm>
#include <set>

namespace stagecraft::validation {

HostLinks::HostLinks(const Context& context) : crossing_(context.problem.cluster.devices.size()) {
    const auto swaps = [](const StageFacts& stage) { return stage.swaps; };
    if (std::none_of(context.facts.stages.begin(), context.facts.stages.end(), swaps)) return;
    for (std::uint32_t block = 0; block < context.timeline.blockCount(); ++block) {
        if (!context.index.isPlaced(block)) continue;
        const BlockKind kind = context.timeline.kind[block];
        std::set<int> devices;
        if (isTransfer(kind) || context.isEviction(block)) {
            const Channel& channel = context.channelOf(block);
            devices.insert(channel.from.begin(), channel.from.end());
            devices.insert(channel.to.begin(), channel.to.end());
        } else if (isSync(kind)) {
            const auto group = static_cast<std::size_t>(context.index.subject(block));
            for (const int stage : context.facts.groups[group].stages) {
                const std::vector<int>& own = context.facts.stages[static_cast<std::size_t>(stage)].devices;
                devices.insert(own.begin(), own.end());
            }
        } else if (isOfVocabularyLink(kind) && !context.facts.vocabulary.isInOrders(kind)) {
            const std::vector<int>& all = context.facts.vocabulary.devices;
            devices.insert(all.begin(), all.end());
        }
        std::set<std::string> servers;
        for (const int device : devices)
            servers.insert(context.problem.cluster.devices[static_cast<std::size_t>(device)].server);
        if (servers.size() < 2) continue;
        for (const int device : devices)
            crossing_[static_cast<std::size_t>(device)].push_back({context.start(block), context.end(block)});
    }
    for (std::vector<Span>& spans : crossing_) {
        std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return a.startS < b.startS; });
        std::vector<Span> joined;
        for (const Span span : spans) {
            if (joined.empty() || span.startS > joined.back().endS)
                joined.push_back(span);
            else
                joined.back().endS = std::max(joined.back().endS, span.endS);
        }
        spans = std::move(joined);
    }
}

std::vector<HostLinks::Span> HostLinks::spansOf(const std::vector<int>& devices, double startS,
                                                double endS) const {
    std::vector<Span> spans;
    for (const int device : devices) {
        const std::vector<Span>& own = crossing_[static_cast<std::size_t>(device)];
        auto span = std::lower_bound(own.begin(), own.end(), startS,
                                     [](Span each, double at) { return each.endS < at; });
        for (; span != own.end() && span->startS < endS; ++span)
            spans.push_back({std::max(startS, span->startS), std::min(endS, span->endS)});
    }
    std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return a.startS < b.startS; });
    return spans;
}

double HostLinks::heldUpS(const std::vector<int>& devices, double startS, double endS) const {
    double heldUp = 0, until = startS;
    for (const Span span : spansOf(devices, startS, endS)) {
        heldUp += std::max(0.0, span.endS - std::max(until, span.startS));
        until = std::max(until, span.endS);
    }
    return heldUp;
}

}  // namespace stagecraft::validation
