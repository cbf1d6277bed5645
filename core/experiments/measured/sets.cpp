#include "core/experiments/measured/sets.h"

#include <algorithm>

namespace stagecraft::experiments {

const std::vector<MeasuredSet>& measuredSets() {
    static const std::vector<MeasuredSet> all = {vocabularySet(),
                                                 zeroBubbleSet(),
                                                 primusSet(),
                                                 twoStagesSet(),
                                                 b200Set(),
                                                 b200MemorySet(),
                                                 korthikantiSet(),
                                                 korthikantiStatesSet(),
                                                 korthikantiActivationsSet(),
                                                 vtrainSet(),
                                                 publishedSet(),
                                                 torchtitanSet()};
    return all;
}

const MeasuredSet* findMeasuredSet(const std::string& id) {
    const auto& all = measuredSets();
    const auto found = std::ranges::find(all, id, &MeasuredSet::id);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace stagecraft::experiments
