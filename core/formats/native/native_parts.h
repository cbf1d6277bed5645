#pragma once

#include "core/formats/json_reader.h"
#include "core/formats/native/formats.h"
#include "core/model/plan.h"
#include "core/model/plan_origin.h"

#include <nlohmann/json.hpp>

namespace stagecraft::formats {

// The parts of which the native files are made, so that a profile reads and writes the same in a file of its
// own, in a project and in a plan. Readers throw InputError; the header of a part is the caller's to check or
// to write.

inline constexpr char profileFormat[] = "stagecraft/profile";
inline constexpr char clusterFormat[] = "stagecraft/cluster";
inline constexpr char projectFormat[] = "stagecraft/project";
inline constexpr char planFormat[] = "stagecraft/plan";

/// Seconds or bytes, from 0 to largestAmount.
double amountFromJson(const JsonValue& value);
LayerProfile profileFromJson(const JsonValue& value);
Cluster clusterFromJson(const JsonValue& value, DrawingMistakes mistakes = DrawingMistakes::refuse);
TrainingSetup setupFromJson(const JsonValue& value);
/// `beside`: a field that may be in it as well; it is not looked at here, nor is where the plan comes
/// from.
Plan planFromJson(const JsonValue& value, const Problem& problem, const char* beside);
/// The fields "planned_for" and "said" of a plan.
PlanOrigin originFromJson(const JsonValue& plan);
PlanlessAnswer planlessFromJson(const JsonValue& value);
/// "layers" of a memory policy: what is done with layers that are not kept.
std::map<int, LayerMemory> layerMemoryFromJson(const JsonValue& value, int layerCount);
/// What refers to a plan's stages and devices is checked against them.
Schedule scheduleFromJson(const JsonValue& value, const Plan& plan, const Cluster& cluster);

/// The order of a device that holds those stages: "F3", or "2:F3" where it holds several; "(2:F7&1:B3)" is a
/// pair.
std::vector<Task> orderFromJson(const JsonValue& value, const std::vector<int>& held);

nlohmann::ordered_json header(const char* format);
// Each adds its fields to `out`.
void addProfile(nlohmann::ordered_json& out, const LayerProfile& profile);
void addCluster(nlohmann::ordered_json& out, const Cluster& cluster);
void addSetup(nlohmann::ordered_json& out, const TrainingSetup& setup);
void addPlan(nlohmann::ordered_json& out, const Plan& plan, const Cluster& cluster);
void addOrigin(nlohmann::ordered_json& out, const PlanOrigin& origin);
nlohmann::ordered_json toJson(const PlanlessAnswer& answer);
void addSchedule(nlohmann::ordered_json& out, const Plan& plan, const Cluster& cluster);

}  // namespace stagecraft::formats
