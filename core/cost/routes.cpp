#include "core/cost/routes.h"

#include <cstddef>

namespace stagecraft::cost {

const std::vector<LinkStep>& Routes::between(int from, int to) {
    const auto [found, isNew] =
        routes_.try_emplace(std::uint64_t(std::uint32_t(from)) << 32 | std::uint32_t(to));
    if (!isNew) return found->second;
    if (interconnect_.isPairwise())
        found->second = interconnect_.route(from, to, pairwise_);
    else if (interconnect_.areJoined(from, to))
        found->second = interconnect_.route(from, to, waysOf(interconnect_.searchFor(from, to)));
    return found->second;
}

const std::vector<LinkStep>& Routes::onceBetween(int from, int to, int way) {
    if (way >= 0) {
        once_.assign(1, {way / 2, way % 2 == 1});
        return once_;
    }
    if (!interconnect_.isPairwise()) return between(from, to);
    once_ = interconnect_.route(from, to, pairwise_);
    return once_;
}

const Interconnect::Ways& Routes::waysOf(const Interconnect::Search& search) {
    constexpr std::size_t mostNodesOfWays = 8'000'000;
    if (!ways_.empty() && ways_.size() * ways_.begin()->second.via.size() > mostNodesOfWays) ways_.clear();
    const auto [found, isNew] = ways_.try_emplace(search);
    if (isNew) found->second = interconnect_.find(search);
    return found->second;
}

}  // namespace stagecraft::cost
