#include "core/cost/routes.h"

namespace stagecraft::cost {

const std::vector<LinkStep>& Routes::between(int from, int to) {
    const auto [found, isNew] = routes_.try_emplace({from, to});
    if (isNew) found->second = interconnect_.route(from, to);
    return found->second;
}

}  // namespace stagecraft::cost
