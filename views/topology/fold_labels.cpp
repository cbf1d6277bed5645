#include "views/topology/fold_labels.h"

#include <algorithm>
#include <map>

namespace stagecraft::views::topology {

namespace {

/// The middles of the pieces of a line, of the longest first.
void addMiddles(std::vector<std::pair<double, QPointF>>& middles, const QPolygonF& route) {
    for (qsizetype i = 1; i < route.size(); ++i) {
        const QPointF way = route[i] - route[i - 1];
        middles.emplace_back(-way.manhattanLength(), route[i - 1] + way / 2);
    }
}

}  // namespace

std::vector<FoldLabel> foldLabels(const TopologyLinks& links, const TopologyLayout& layout) {
    constexpr std::size_t fewestTogether = 3;
    std::map<std::pair<int, QString>, std::vector<int>> alike;  // by the lower end and what is said
    for (std::size_t i = 0; i < links.bundles.size(); ++i)
        if (const LinkBundle& bundle = links.bundles[i]; bundle.ofMany && bundle.route.size() > 1) {
            const bool aIsLower = bundleEnd(layout, bundle.a).top() > bundleEnd(layout, bundle.b).top();
            alike[{aIsLower ? bundle.a : bundle.b, bundle.text()}].push_back(static_cast<int>(i));
        }
    std::vector<FoldLabel> labels;
    for (const auto& [key, bundles] : alike) {
        const std::size_t together = bundles.size() >= fewestTogether ? bundles.size() : 1;
        for (std::size_t first = 0; first < bundles.size(); first += together) {
            FoldLabel label{together > 1 ? "each " + key.second : key.second, {}, {}};
            std::vector<std::pair<double, QPointF>> middles;
            for (std::size_t i = first; i < first + together; ++i) {
                label.bundles.push_back(bundles[i]);
                addMiddles(middles, links.bundles[static_cast<std::size_t>(bundles[i])].route);
            }
            std::stable_sort(middles.begin(), middles.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            for (const auto& [length, middle] : middles) label.places.push_back(middle);
            labels.push_back(std::move(label));
        }
    }
    return labels;
}

}  // namespace stagecraft::views::topology
