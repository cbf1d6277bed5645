#include "views/topology/switch_rows.h"

#include <algorithm>
#include <map>

namespace stagecraft::views::topology {

std::vector<int> switchLevels(const ClusterGraph& graph, const std::vector<int>& switches,
                              const std::function<bool(ClusterNode)>& isBase) {
    std::map<int, int> level;  // 0: not reached yet
    for (const int index : switches) level[index] = 0;
    const auto reached = [&](ClusterNode node, int below) {
        if (below == 0) return isBase(node);
        const auto entry = level.find(node.index);
        return node.kind == ClusterNode::Kind::switchNode && entry != level.end() && entry->second == below;
    };
    for (int next = 1, found = 1; found > 0; ++next) {
        found = 0;
        for (auto& [index, own] : level) {
            if (own != 0) continue;
            const ClusterNode self{ClusterNode::Kind::switchNode, index};
            const std::vector<int>& edges = graph.edgesOf(self);
            if (std::none_of(edges.begin(), edges.end(),
                             [&](int edge) { return reached(graph.other(edge, self), next - 1); }))
                continue;
            own = next;
            ++found;
        }
    }
    std::vector<int> result;
    for (const int index : switches) result.push_back(std::max(1, level[index]));
    return result;
}

std::vector<double> spreadRow(const std::vector<double>& centres, double width, double gap, double left,
                              double available) {
    std::vector<double> lefts;
    for (const double centre : centres) {
        const double wanted = std::max(left, centre - width / 2);
        lefts.push_back(lefts.empty() ? wanted : std::max(wanted, lefts.back() + width + gap));
    }
    const double needed = static_cast<double>(centres.size()) * (width + gap) - gap;
    double limit = left + std::max(available, needed) - width;
    for (auto edge = lefts.rbegin(); edge != lefts.rend(); ++edge) {
        *edge = std::min(*edge, limit);
        limit = *edge - width - gap;
    }
    return lefts;
}

}  // namespace stagecraft::views::topology
