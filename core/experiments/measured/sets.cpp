#include "core/experiments/measured/sets.h"

#include "core/experiments/measured/calibrated_shares.h"

#include <algorithm>

namespace stagecraft::experiments {

const std::vector<MeasuredSet>& measuredSets() {
    static const std::vector<MeasuredSet> all = {vocabularySet(),
                                                 vocabularyRunsSet(),
                                                 vocabularyMemorySet(),
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
                                                 torchtitanSet(),
                                                 mptSet(),
                                                 bigscienceSet(),
                                                 bigscienceMemorySet(),
                                                 libaiSet(),
                                                 megatronOnV100Set(),
                                                 nemoSet(),
                                                 dgxcSet(),
                                                 internlmSet()};
    return all;
}

const MeasuredSet* findMeasuredSet(const std::string& id) {
    const auto& all = measuredSets();
    const auto found = std::ranges::find(all, id, &MeasuredSet::id);
    return found == all.end() ? nullptr : &*found;
}

std::vector<RowCalibration> measuredCalibrations() {
    std::vector<RowCalibration> all;
    for (const auto& those :
         {mptCalibrations(), torchtitanCalibrations(), bigscienceCalibrations(), libaiCalibrations(),
          nemoCalibrations(), dgxcCalibrations(), vocabularyCalibrations(), internlmCalibrations()})
        all.insert(all.end(), those.begin(), those.end());
    return all;
}

}  // namespace stagecraft::experiments
