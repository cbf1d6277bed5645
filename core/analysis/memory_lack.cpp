#include "core/analysis/memory_lack.h"

#include "core/base/units.h"

#include <algorithm>

namespace stagecraft::analysis {

namespace {

std::string sentence(const std::vector<MemoryExcess>& group, const DeviceList& devices) {
    constexpr std::size_t mostNamed = 3;
    const auto id = [&](std::size_t i) { return devices[static_cast<std::size_t>(group[i].device)].id; };
    double least = group.front().excessBytes, most = least, firstS = group.front().timeS;
    for (const MemoryExcess& excess : group) {
        least = std::min(least, excess.excessBytes);
        most = std::max(most, excess.excessBytes);
        firstS = std::min(firstS, excess.timeS);
    }
    std::string who = id(0);
    if (group.size() > mostNamed) {
        who = formatCount(group.size()) + " GPUs";
    } else {
        for (std::size_t i = 1; i < group.size(); ++i)
            who += (i + 1 == group.size() ? " and " : ", ") + id(i);
    }
    const std::string from = formatBytes(least), to = formatBytes(most);
    const bool isOne = group.size() == 1;
    return who + (isOne ? " lacks " : " lack ") +
           (isOne        ? to
            : from == to ? to + " each"
                         : from + " to " + to) +
           " (first at " + formatSeconds(firstS) + ", mostly " + memoryKindName(group.front().largest) + ")";
}

}  // namespace

std::vector<std::string> describeExcesses(const std::vector<MemoryExcess>& excesses,
                                          const DeviceList& devices) {
    std::vector<std::vector<MemoryExcess>> groups;
    for (const MemoryExcess& excess : excesses) {
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
            return group.front().largest == excess.largest;
        });
        if (known == groups.end())
            groups.push_back({excess});
        else
            known->push_back(excess);
    }
    std::vector<std::string> sentences;
    for (const std::vector<MemoryExcess>& group : groups) sentences.push_back(sentence(group, devices));
    return sentences;
}

std::string formatCount(std::size_t count) {
    std::string digits = std::to_string(count);
    for (auto place = std::ssize(digits) - 3; place > 0; place -= 3)
        digits.insert(static_cast<std::size_t>(place), 1, ',');
    return digits;
}

bool saysMemory(const LayerProfile& profile) {
    return std::ranges::any_of(profile.layers, [](const Layer& layer) {
        return layer.parameterBytes > 0 || layer.storedActivationBytes > 0;
    });
}

}  // namespace stagecraft::analysis
