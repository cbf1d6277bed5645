// Parameters of schedule families in files: refused by name and range with their place, as --set refuses
// them.
#include "core/base/text_parts.h"
#include "core/formats/files/project_file.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/schedules/families.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace stagecraft;

namespace {

/// Four layers on four devices under that schedule.
std::string projectUnder(const nlohmann::json& schedule) {
    nlohmann::json project = nlohmann::json::parse(
        readTextFile(STAGECRAFT_SOURCE_DIR "/tests/data/schedules/parameters-in-files.stagecraft.json"));
    nlohmann::json plan = project["plans"][0];
    plan["schedule"] = schedule;
    project["plans"] = {plan};
    return project.dump();
}

Plan planUnder(const nlohmann::json& schedule) {
    return readProject(projectUnder(schedule), "f.json", {}).plans.front();
}

std::string complaintAbout(const nlohmann::json& schedule) {
    try {
        planUnder(schedule);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

nlohmann::json policy(const char* family, const nlohmann::json& parameters) {
    return {{"policy", family}, {"parameters", parameters}};
}

const FamilySchedule& policyOf(const Plan& plan) { return std::get<FamilySchedule>(plan.schedule.order); }

}  // namespace

TEST(ScheduleParameters, ThatAFamilyDoesNotHaveOrThatAreOutOfRangeAreRefusedWithTheirPlace) {
    const std::string at = "f.json: /plans/0/schedule/parameters/";
    EXPECT_EQ(complaintAbout(policy("seq1f1b", {{"slice", 4}})),
              at + "slice: no parameter 'slice' (did you mean 'slices'?); expected one of slices");
    EXPECT_EQ(complaintAbout(policy("seq1f1b", {{"slices", -3}})),
              at + "slices: parameter 'slices' cannot be '-3'; expected a whole number between 1 and 1024");
    EXPECT_EQ(complaintAbout(policy("zb-search", {{"limit", -3}})),
              at + "limit: parameter 'limit' cannot be '-3'; expected a whole number between 0 and 1048576");
    EXPECT_EQ(complaintAbout(policy("interleaved", {{"group", 2.5}})),
              at + "group: parameter 'group' cannot be '2.5'; expected a whole number between 0 and 1048576");
    EXPECT_EQ(complaintAbout(policy("zb-v", {{"deviate", 7}})),
              at + "deviate: parameter 'deviate' cannot be '7'; expected a whole number between 0 and 1");
    EXPECT_EQ(complaintAbout(policy("zb-h1", {{"limit", 3}})),
              at + "limit: no parameter 'limit'; expected none at all");
    EXPECT_EQ(complaintAbout(policy("zb-h2", {{"limit", 3}})),
              at + "limit: no parameter 'limit'; expected one of warm_up");
    EXPECT_EQ(complaintAbout(policy("dualpipe", {{"overlap", 2}})),
              at + "overlap: parameter 'overlap' cannot be '2'; expected a number between 0.5 and 1");
    EXPECT_EQ(complaintAbout(policy("1f1b", {{"extra_in_flight", 3}})), "");
    // A family that is not known says so when the plan is run.
    EXPECT_EQ(complaintAbout(policy("mine", {{"limit", -3}})), "");
}

TEST(ScheduleParameters, AllOfThemAreTakenAtTheEndsOfTheirRanges) {
    for (const ScheduleFamily& family : scheduleFamilies())
        for (const Parameter& parameter : family.parameters)
            for (const double value : {parameter.minimum, parameter.maximum})
                EXPECT_EQ(complaintAbout(policy(family.id.c_str(), {{parameter.name, value}})), "")
                    << family.id << ", " << parameter.name << " " << value;
}

TEST(ScheduleParameters, SlicesThatAFileDoesNotSayAreAsManyAsHelpSays) {
    EXPECT_EQ(planUnder({{"policy", "seq1f1b"}}).schedule.slices(), 4);
    EXPECT_EQ(planUnder(policy("seq1f1b", {{"slices", 1}})).schedule.slices(), 1);
}

TEST(ScheduleParameters, ZbH2OfAnOldFileIsTheSearchThatItWas) {
    const Plan old = planUnder({{"policy", "zb-h2"}, {"split_backward", true}});
    EXPECT_EQ(policyOf(old), (FamilySchedule{"zb-search", {{"limit", 7}}})) << "2p - 1 on four devices";
    const Plan now =
        planUnder({{"policy", "zb-h2"}, {"parameters", {{"warm_up", 2}}}, {"split_backward", true}});
    EXPECT_EQ(policyOf(now), (FamilySchedule{"zb-h2", {{"warm_up", 2}}}));
}
