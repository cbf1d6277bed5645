#pragma once

#include "core/base/parameters.h"
#include "core/formats/files/project_file.h"
#include "core/planners/automatic/planners_at_degrees.h"

#include <map>
#include <string>

namespace stagecraft::programs {

/// "No plan of those that are searched is more than 7.62 % faster". There must be a best plan.
std::string gapText(const AutoAnswer& answer);
/// "95.8 s", "3.1 GPU seconds", or "$12.30": what none of them takes less than.
std::string provenText(const AutoAnswer& answer);
/// "$12.30 an iteration of 5.12 s on 8 of 16 GPUs (8 V100-SXM2-16GB), 41 GPU seconds, $40.10 for a billion
/// tokens"; without prices "41 GPU seconds an iteration of …". There must be a best plan.
std::string costText(const AutoAnswer& answer);
/// How many GPUs of each type a plan uses, by what the type is called.
std::map<std::string, int> usedTypes(const AutoPlan& plan);
/// "4,667 layouts: 2,238 proven not to fit into memory, 2,404 proven to be no faster (work 40, …), 25 tried;
/// SPP's and PipeDream's stages, which may differ in size, at 8 of 32 degrees"
std::string searchedText(const AutoAnswer& answer);
/// Kinds of plans that AutoSearch leaves out, and that nothing is proven of.
std::string notSearchedText(const AutoAnswer& answer);
/// "All work over all GPUs takes 62.2 ms: plans whose stages differ in size take no less", or "no less than
/// 61 ms".
std::string workText(const AutoAnswer& answer, double workOverAllS);

/// "tensor parallel by 2 with sequence parallelism, ZeRO-1, 64 microbatches of 16 samples": of all copies.
std::string degreeText(const Problem& problem);
/// "at all 4,224 degrees: 4,100 proven to be no faster by all work over all GPUs, each planner run at 124";
/// "at 4,120 of 4,224 degrees: …; nothing is known of the 104 that are left"
std::string plannersText(const PlannersAnswer& planners);

/// The problem that is searched on behalf of this one: how much is computed again is part of the search.
Problem searchedProblem(Problem problem);
/// Asks a generator of profiles (generation::generateProfile) for times at the samples that copies have of a
/// microbatch, beside those of all of it.
void setSampleSizes(ParameterValues& values, int samples, const std::vector<int>& shares);

/// As others are to see it: no planner's own, named after the search.
Plan automaticPlan(const AutoPlan& best);
/// A project with the best plan, and what is proven in its notes. There must be a best plan.
Project automaticProject(const AutoAnswer& answer);
/// The same where planners were run: with the plan that one of them has, if it is faster or there is no
/// other, and the problem of its degree. There must be one plan or the other.
Project automaticProject(const AutoAnswer& answer, const PlannersAnswer& planners);

}  // namespace stagecraft::programs
