#pragma once

#include "core/schedules/schedule_family.h"

#include <string>
#include <vector>

namespace stagecraft::schedules {

/// All families, in the order in which they are offered.
const std::vector<ScheduleFamily>& scheduleFamilies();
/// nullptr if there is none of that id.
const ScheduleFamily* findScheduleFamily(const std::string& id);
/// Whether its passes are of parts of sequences (Schedule::slices).
bool cutsSequences(const ScheduleFamily& family);
/// Whether devices share the layers of the vocabulary out (VocabularyPasses), for which a network must say
/// which those are.
bool sharesVocabulary(const ScheduleFamily& family);
/// "gpipe, 1f1b, … or greedy", for messages.
std::string scheduleFamilyIds();

}  // namespace stagecraft::schedules
