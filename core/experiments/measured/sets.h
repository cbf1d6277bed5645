#pragma once

#include "core/experiments/measured/measured_set.h"

namespace stagecraft::experiments {

/// Every public measurement that comes with the program, read once.
const std::vector<MeasuredSet>& measuredSets();
/// nullptr if there is none of that id.
const MeasuredSet* findMeasuredSet(const std::string& id);

// Each is a source of its own, and a line of measuredSets().
MeasuredSet vocabularySet();
MeasuredSet zeroBubbleSet();
MeasuredSet primusSet();
MeasuredSet twoStagesSet();
MeasuredSet b200Set();
MeasuredSet b200MemorySet();
MeasuredSet korthikantiSet();
MeasuredSet vtrainSet();
MeasuredSet publishedSet();
MeasuredSet torchtitanSet();

}  // namespace stagecraft::experiments
