#include "views/topology/scene_folding.h"

#include <algorithm>
#include <set>

namespace stagecraft::views::topology {

namespace {

bool isAllOf(const std::vector<int>& chosen, std::vector<int> all) {
    std::sort(all.begin(), all.end());
    return chosen == all;
}

}  // namespace

/// The stack of network switches that one is folded into, or -1.
int SceneFolding::foldOf(int switchIndex) const {
    const int stack = layout_.stackOf[static_cast<std::size_t>(switchIndex)];
    return stack >= 0 && layout_.isNetworkFold(layout_.stacks[static_cast<std::size_t>(stack)]) ? stack : -1;
}

/// With the first server of a box drawn by itself, or folded again if one is.
FoldChoice SceneFolding::toggledGroup(int group) const {
    const ServerBox& box = layout_.servers[static_cast<std::size_t>(group)];
    FoldChoice choice = scene_.folding();
    for (const int server : box.open) choice.open.erase(nameOf(server));
    if (box.open.empty()) choice.open.insert(nameOf(box.members.front()));
    return choice;
}

/// The same for switches.
FoldChoice SceneFolding::toggledStack(int stack) const {
    const SwitchStack& own = layout_.stacks[static_cast<std::size_t>(stack)];
    const auto id = [&](int index) { return scene_.idOf({ClusterNode::Kind::switchNode, index}); };
    FoldChoice choice = scene_.folding();
    for (const int index : own.open) choice.open.erase(id(index));
    if (own.open.empty()) choice.open.insert(id(own.members.front()));
    return choice;
}

std::optional<FoldChoice> SceneFolding::at(QPointF point) const {
    const TopologyItem item = scene_.itemAt(point, 0);
    if (item.kind == TopologyItem::Kind::server) {
        const ServerBox& box = layout_.servers[static_cast<std::size_t>(item.index)];
        if (box.isGroup()) return toggledGroup(item.index);
        if (box.besideGroup >= 0 && box.close.contains(point)) return toggledGroup(box.besideGroup);
    }
    if (item.kind != TopologyItem::Kind::switchNode) return std::nullopt;
    const int stack = foldOf(item.index);
    return stack < 0 ? std::nullopt : std::optional(toggledStack(stack));
}

std::optional<FoldChoice> SceneFolding::of(const ClusterSelection& part) const {
    if (part.isEmpty() || !part.links.empty()) return std::nullopt;
    for (std::size_t i = 0; i < layout_.servers.size(); ++i) {
        const ServerBox& box = layout_.servers[i];
        const int group = box.isGroup() ? static_cast<int>(i) : box.besideGroup;
        if (group >= 0 && isAllOf(part.devices, box.devices) && isAllOf(part.switches, box.switches))
            return toggledGroup(group);
    }
    if (!part.devices.empty()) return std::nullopt;
    for (std::size_t i = 0; i < layout_.stacks.size(); ++i) {
        const SwitchStack& stack = layout_.stacks[i];
        if (layout_.isNetworkFold(stack) &&
            (isAllOf(part.switches, stack.members) || (!stack.open.empty() && part.switches == stack.open)))
            return toggledStack(static_cast<int>(i));
    }
    return std::nullopt;
}

bool SceneFolding::opens(const ClusterSelection& part) const {
    const std::optional<FoldChoice> choice = of(part);
    return choice && choice->open.size() > scene_.folding().open.size();
}

/// Of those like it no other stays open.
void SceneFolding::open(FoldChoice& choice, ClusterNode node) const {
    const int server = layout_.server(node);
    if (layout_.isHidden(node)) {
        const ServerBox& group = layout_.servers[static_cast<std::size_t>(layout_.drawnServer(server))];
        for (const int other : group.open) choice.open.erase(nameOf(other));
        choice.open.insert(nameOf(server));
    } else if (node.kind == ClusterNode::Kind::switchNode && server < 0 && foldOf(node.index) >= 0) {
        for (const int other : layout_.stacks[static_cast<std::size_t>(foldOf(node.index))].open)
            choice.open.erase(scene_.idOf({ClusterNode::Kind::switchNode, other}));
        choice.open.insert(scene_.idOf(node));
    }
}

FoldChoice SceneFolding::showing(const ClusterSelection& part) const {
    constexpr std::size_t most = 2;       // the ends of a link, or two GPUs between which something is asked
    std::set<std::pair<int, int>> units;  // a server, or -1 and a network switch
    std::vector<ClusterNode> firsts;
    const auto add = [&](ClusterNode node) {
        const int server = layout_.server(node);
        if (units.size() <= most && units.insert({server, server < 0 ? node.index : -1}).second)
            firsts.push_back(node);
    };
    for (const int device : part.devices) add({ClusterNode::Kind::device, device});
    for (const int index : part.switches) add({ClusterNode::Kind::switchNode, index});
    for (const int link : part.links)
        if (const int edge = scene_.links().places[static_cast<std::size_t>(link)].edge; edge >= 0) {
            add(scene_.graph().edges[static_cast<std::size_t>(edge)].a);
            add(scene_.graph().edges[static_cast<std::size_t>(edge)].b);
        }
    FoldChoice choice = scene_.folding();
    if (units.size() <= most)
        for (const ClusterNode node : firsts) open(choice, node);
    return choice;
}

bool SceneFolding::hides(const ClusterSelection& part) const {
    return std::any_of(part.devices.begin(), part.devices.end(),
                       [&](int i) {
                           return layout_.isHidden({ClusterNode::Kind::device, i});
                       }) ||
           std::any_of(part.switches.begin(), part.switches.end(), [&](int i) {
               return layout_.isHidden({ClusterNode::Kind::switchNode, i}) || foldOf(i) >= 0;
           });
}

}  // namespace stagecraft::views::topology
