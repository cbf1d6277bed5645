#include "core/formats/topology/nccl_paths.h"

#include "core/base/counted.h"
#include "core/base/units.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace stagecraft::formats {

NcclPaths::NcclPaths(const Machine& machine)
    : machine_(machine), gpus_(machine.gpusInOrder()), linksOf_(machine.nodes.size()) {
    for (std::size_t link = 0; link < machine.links.size(); ++link) {
        linksOf_[static_cast<std::size_t>(machine.links[link].a)].push_back(link);
        linksOf_[static_cast<std::size_t>(machine.links[link].b)].push_back(link);
    }
    paths_.resize(gpus_.size() * gpus_.size());
    fillDirect();
    fillRelayed();
}

std::vector<double> NcclPaths::widestFrom(int source, PathType worst) const {
    std::vector<double> width(machine_.nodes.size(), 0);
    std::priority_queue<std::pair<double, int>> open;
    width[static_cast<std::size_t>(source)] = std::numeric_limits<double>::infinity();
    open.emplace(width[static_cast<std::size_t>(source)], source);
    while (!open.empty()) {
        const auto [reached, node] = open.top();
        open.pop();
        if (reached < width[static_cast<std::size_t>(node)]) continue;
        if (node != source && machine_.nodes[static_cast<std::size_t>(node)].kind == MachineNode::Kind::gpu)
            continue;
        for (const std::size_t index : linksOf_[static_cast<std::size_t>(node)]) {
            const MachineLink& link = machine_.links[index];
            if (link.type > worst) continue;
            const int next = link.a == node ? link.b : link.a;
            const double through = std::min(reached, link.rate.bps);
            if (through <= width[static_cast<std::size_t>(next)]) continue;
            width[static_cast<std::size_t>(next)] = through;
            open.emplace(through, next);
        }
    }
    return width;
}

void NcclPaths::fillDirect() {
    constexpr PathType tiers[] = {PathType::nvlink, PathType::c2c, PathType::pix,
                                  PathType::pxb,    PathType::phb, PathType::sys};
    for (std::size_t a = 0; a < gpus_.size(); ++a)
        for (const PathType tier : tiers) {
            const std::vector<double> width = widestFrom(gpus_[a], tier);
            for (std::size_t b = 0; b < gpus_.size(); ++b) {
                const double found = width[static_cast<std::size_t>(gpus_[b])];
                NcclPath& known = path(a, b);
                if (known.bps == 0 && found > 0) known = {tier, found, 0};
                known.widestBps = found;
            }
        }
}

void NcclPaths::fillRelayed() {
    const std::vector<NcclPath> direct = paths_;
    const auto nvlink = [&](std::size_t a, std::size_t b) {
        const NcclPath& found = direct[a * gpus_.size() + b];
        return a != b && found.type == PathType::nvlink ? found.bps : 0;
    };
    for (std::size_t a = 0; a < gpus_.size(); ++a)
        for (std::size_t b = 0; b < gpus_.size(); ++b) {
            if (a == b || nvlink(a, b) > 0) continue;
            double best = 0;
            for (std::size_t relay = 0; relay < gpus_.size(); ++relay)
                best = std::max(best, std::min(nvlink(a, relay), nvlink(relay, b)));
            if (best > 0) path(a, b) = {PathType::relayed, best, path(a, b).widestBps};
        }
}

namespace {

/// "g0–g5, g0–g6, … (12 pairs)"
std::string namesOf(const std::vector<std::string>& pairs) {
    constexpr std::size_t named = 16;
    std::string text;
    for (std::size_t pair = 0; pair < std::min(pairs.size(), named); ++pair)
        text += (pair ? ", " : "") + pairs[pair];
    return pairs.size() > named ? text + ", … (" + counted(pairs.size(), "pair") + ")" : text;
}

}  // namespace

void notePairsWhereNcclDiffers(Machine& machine) {
    constexpr int mostGpus = 64;  // of one server; beyond, nobody reads a list of pairs
    if (machine.count(MachineNode::Kind::gpu) > mostGpus ||
        !(machine.hasLinkOfKind("nvlink") || machine.hasLinkOfKind("xgmi")))
        return;
    const NcclPaths paths(machine);
    std::vector<std::string> relayed, narrower;
    for (int a = 0; a < paths.gpuCount(); ++a)
        for (int b = a + 1; b < paths.gpuCount(); ++b) {
            const NcclPath& found = paths.between(a, b);
            const std::string pair = "g" + std::to_string(a) + "–g" + std::to_string(b) + " (" +
                                     formatBandwidth(found.bps) + " instead of " +
                                     formatBandwidth(found.widestBps) + ")";
            if (found.type == PathType::relayed)
                relayed.push_back(pair);
            else if (found.bps < found.widestBps)
                narrower.push_back(pair);
        }
    if (!relayed.empty())
        machine.note(ImportNote::Kind::derived,
                     "NCCL has a GPU relay (NVB) between " + namesOf(relayed) +
                         "; here no device forwards, and these pairs take their widest other path");
    if (!narrower.empty())
        machine.note(ImportNote::Kind::derived, "NCCL prefers the direct link of " + namesOf(narrower) +
                                                    "; here the widest path counts");
}

}  // namespace stagecraft::formats
