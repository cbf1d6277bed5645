#include "core/experiments/experiment_draft.h"
#include "tests/support/every_room.h"
#include "core/experiments/grid.h"
#include "tests/core/experiments/experiment_fixtures.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {
namespace {

AxisDraft axisCalled(const ExperimentDraft& draft, const std::string& label) {
    for (const VariableField& field : variableFields(draft.experiment))
        if (field.value.label == label) return axisOver(field);
    throw std::runtime_error("no field " + label);
}

TEST(ExperimentDrafts, AFreshOneCanBeRun) {
    const CheckedDraft checked = check(draftOf(freshExperiment()));
    ASSERT_TRUE(checked.experiment) << checked.mistakes.front().text;
    EXPECT_EQ(Grid(*checked.experiment).problem(0).cluster.deviceCount(), 32);
}

TEST(ExperimentDrafts, WhatIsTakenApartGoesTogetherToTheSameBytes) {
    const std::string claims = R"([{"text": "c", "kind": "change", "planner": "SPP", "along": "microbatches",
                                    "from": "2", "to": "8", "within": 0.5}])";
    const Experiment experiment = readExperiment(
        smallExperiment(R"([{"name": "microbatches", "pointer": "/setup/microbatches", "values": [2, 4, 8]},
            {"name": "both", "cases": [{"label": "a", "set": {"/setup/mode": "synchronous", "/setup/optimizer": "sgd"}}]},
            {"name": "wire", "unit": "B/s", "pointer": "/cluster/links/0/bandwidth_Bps", "values": [1e9, 4e9]}])",
                        claims),
        "e.json", {});
    const CheckedDraft checked = check(draftOf(experiment));
    ASSERT_TRUE(checked.experiment) << checked.mistakes.front().place << checked.mistakes.front().text;
    // Numbers of bandwidths are written for people from then on; their values are the same.
    Experiment again = *checked.experiment;
    for (std::size_t i = 0; i < 2; ++i) again.axes[2].values[i].label = experiment.axes[2].values[i].label;
    const auto parsed = [](const Experiment& one) { return nlohmann::json::parse(writeExperiment(one)); };
    EXPECT_EQ(parsed(again), parsed(experiment));
}

TEST(ExperimentDrafts, MistakesAreToldWhereTheyAre) {
    const auto placesOf = [](const ExperimentDraft& draft) {
        std::vector<std::string> places;
        for (const DraftMistake& mistake : check(draft).mistakes) places.push_back(mistake.place);
        return places;
    };
    using Places = std::vector<std::string>;
    const ExperimentDraft well = draftOf(freshExperiment());
    ExperimentDraft draft = well;
    draft.experiment.name = " ";
    draft.experiment.planners.clear();
    EXPECT_EQ(placesOf(draft), (Places{"/name", "/planners"}));
    draft = well;
    draft.axes = {axisCalled(draft, "Microbatches"), axisCalled(draft, "Microbatches")};
    EXPECT_EQ(placesOf(draft), (Places{"/axes/1"}));
    draft = well;
    draft.experiment.claims.emplace_back();
    draft.experiment.claims.back().planner = "nobody";
    draft.experiment.claims.back().atMost = 1;
    ASSERT_EQ(placesOf(draft).size(), 1u);
    EXPECT_TRUE(placesOf(draft).front().starts_with("/claims/0")) << placesOf(draft).front();
    draft = well;
    draft.experiment.base = R"({"profile": {"generate": "bert-largo"}, "cluster": {"template": "switched"},
                                "setup": {"microbatches": 4}})";
    ASSERT_EQ(placesOf(draft).size(), 1u);
    EXPECT_TRUE(placesOf(draft).front().starts_with("/base/profile")) << placesOf(draft).front();
}

TEST(ExperimentDrafts, RenamingTakesClaimsAlong) {
    ExperimentDraft draft = draftOf(freshExperiment());
    draft.axes = {axisCalled(draft, "Microbatches")};
    Claim claim;
    claim.kind = ClaimKind::spread;
    claim.planner = "SPP";
    claim.along = "microbatches";
    claim.atMost = 2;
    draft.experiment.claims = {claim};
    renameAxis(draft, 0, "M");
    renamePlanner(draft, 0, "ours");
    const CheckedDraft checked = check(draft);
    ASSERT_TRUE(checked.experiment) << checked.mistakes.front().text;
    EXPECT_EQ(checked.experiment->claims.front().along, "M");
    EXPECT_EQ(checked.experiment->claims.front().planner, "ours");
}

TEST(ExperimentDrafts, AnAxisOverLinksStaysOverThemOnAnotherBase) {
    ExperimentDraft draft = draftOf(freshExperiment());
    AxisDraft axis = axisCalled(draft, "rdma bandwidth");
    axis.list = "1 GB/s, 2 GB/s";
    draft.axes = {axis};
    setBase(draft, R"({"profile": {"generate": "vgg-19"}, "setup": {"microbatches": 4},
                       "cluster": {"template": "switched", "parameters": {"network_kind": "rdma"}}})");
    const CheckedDraft checked = check(draft);
    ASSERT_TRUE(checked.experiment) << checked.mistakes.front().text;
    const Cluster cluster = Grid(*checked.experiment).problem(1).cluster;
    for (const Link& link : cluster.links) EXPECT_EQ(link.bandwidthBps == 2e9, link.kind == "rdma");
}

TEST(ExperimentDrafts, FilesAreFoundFromAnotherFolder) {
    Experiment experiment = freshExperiment();
    experiment.directory = "/there";
    experiment.base =
        R"({"profile": {"file": "p.json"}, "cluster": {"template": "dgx1"}, "setup": {"microbatches": 1}})";
    Axis axis{"cluster", "", false, {{"c", 0, {{"/cluster", R"({"file": "c.json"})"}}}}};
    experiment.axes = {axis};
    EXPECT_EQ(writeExperiment(movedTo(experiment, "/there")), writeExperiment(experiment));
    const std::string text = writeExperiment(movedTo(experiment, "/here"));
    EXPECT_NE(text.find("/there/p.json"), std::string::npos) << text;
    EXPECT_NE(text.find("/there/c.json"), std::string::npos) << text;
}

}  // namespace
}  // namespace stagecraft
