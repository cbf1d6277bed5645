#pragma once

#include "core/experiments/measured/measured_data.h"
#include "core/experiments/measured/measured_set.h"

namespace stagecraft::experiments {

/// Every public measurement that comes with the program, read once.
const std::vector<MeasuredSet>& measuredSets();
/// nullptr if there is none of that id.
const MeasuredSet* findMeasuredSet(const std::string& id);

// Each is a source of its own, and a line of measuredSets().
MeasuredSet vocabularySet();
MeasuredSet vocabularyRunsSet();
MeasuredSet vocabularyMemorySet();
MeasuredSet zeroBubbleSet();
MeasuredSet primusSet();
MeasuredSet twoStagesSet();
MeasuredSet b200Set();
MeasuredSet b200MemorySet();
MeasuredSet korthikantiSet();
MeasuredSet korthikantiStatesSet();
MeasuredSet korthikantiActivationsSet();
MeasuredSet vtrainSet();
MeasuredSet publishedSet();
MeasuredSet torchtitanSet();
MeasuredSet mptSet();
MeasuredSet bigscienceSet();
MeasuredSet bigscienceMemorySet();
MeasuredSet libaiSet();
MeasuredSet megatronOnV100Set();
MeasuredSet nemoSet();
MeasuredSet dgxcSet();
MeasuredSet internlmSet();

/// A row of korthikantiSet()'s table with any recomputation.
/// @param recomputation further arguments of Megatron-LM: " --sequence-parallel …"
MeasuredProject korthikantiProject(const MeasuredCells& row, const std::string& recomputation);

}  // namespace stagecraft::experiments
