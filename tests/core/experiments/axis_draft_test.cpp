#include "core/experiments/axis_draft.h"
#include "tests/support/every_room.h"
#include "core/experiments/grid.h"
#include "tests/core/experiments/experiment_fixtures.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stagecraft {
namespace {

Experiment withBase(const std::string& base) {
    return readExperiment(R"({"format": "stagecraft/experiment", "version": 1, "name": "e", "base": )" +
                              base + R"(, "planners": ["spp", "gpipe"]})",
                          "e.json", {});
}

Experiment recipe() {
    return withBase(R"({"profile": {"generate": "bert-large"},
        "cluster": {"random": {"groups": [{"servers": 2, "gpus_per_server": 2, "inside_Gbps": [96, 128], "kind": "pcie"},
                                          {"servers": 1, "gpus_per_server": 4, "inside_Gbps": [160, 200], "kind": "nvlink"}],
                               "network_Gbps": [32, 40], "gpu": "V100-SXM2-16GB", "seed": 1}},
        "setup": {"microbatches": 32}})");
}

const VariableField& fieldCalled(const std::vector<VariableField>& fields, const std::string& label) {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const VariableField& field) { return field.value.label == label; });
    if (found == fields.end()) throw std::runtime_error("no field " + label);
    return *found;
}

std::vector<std::string> labelsOf(const Axis& axis) {
    std::vector<std::string> labels;
    for (const AxisValue& value : axis.values) labels.push_back(value.label);
    return labels;
}

AxisMistake::Part mistakeOf(const AxisDraft& draft) {
    try {
        axisOf(draft);
    } catch (const AxisMistake& mistake) {
        EXPECT_FALSE(std::string(mistake.what()).empty());
        return mistake.part();
    }
    throw std::runtime_error("the axis is well");
}

using Labels = std::vector<std::string>;

TEST(AxisDrafts, MicrobatchesFrom4To256DoublingAreSevenValues) {
    AxisDraft draft = axisOver(fieldCalled(variableFields(recipe()), "Microbatches"));
    EXPECT_EQ(draft.form, AxisDraft::Form::doubling);
    draft.from = "4";
    draft.to = "256";
    const Axis axis = axisOf(draft);
    EXPECT_EQ(labelsOf(axis), (Labels{"4", "8", "16", "32", "64", "128", "256"}));
    EXPECT_EQ(axis.values.back().changes, (std::vector<Change>{{"/setup/microbatches", "256"}}));
    EXPECT_EQ(axis.values.back().number, 256);
}

TEST(AxisDrafts, ARangeKeepsTheUnitInWhichItIsWritten) {
    AxisDraft draft = axisOver(fieldCalled(variableFields(recipe()), "Memory limit"));
    draft.form = AxisDraft::Form::range;
    draft.from = "8 GiB";
    draft.to = "16 GiB";
    draft.by = "4";
    const Axis axis = axisOf(draft);
    EXPECT_EQ(labelsOf(axis), (Labels{"8 GiB", "12 GiB", "16 GiB"}));
    EXPECT_EQ(axis.values[1].number, 12.0 * 1024 * 1024 * 1024);
    EXPECT_EQ(axis.unit, "B");
}

TEST(AxisDrafts, EachMistakeIsToldAtTheTextThatHasIt) {
    AxisDraft draft = axisOver(fieldCalled(variableFields(recipe()), "Microbatches"));
    draft.from = "x";
    EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::from);
    draft.from = "8";
    draft.to = "4";
    EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::to);
    draft.to = "16";
    draft.by = "1";
    EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::by);
    draft.by = "2";
    draft.name = " ";
    EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::name);
    draft.name = "M";
    draft.form = AxisDraft::Form::list;
    for (const char* list : {"", "4, four", "4, 4", "0", "1.5"}) {
        draft.list = list;
        EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::list) << list;
    }
}

TEST(AxisDrafts, LinksOfAKindGetABandwidthAtEachPoint) {
    Experiment experiment = recipe();
    const auto fields = variableFields(experiment);
    const VariableField& field = fieldCalled(fields, "rdma bandwidth");
    AxisDraft draft = axisOver(field);
    draft.list = "10 Gbit/s, 40 Gbit/s, 100 Gbit/s";
    AxisDraft factor = axisOver(fieldCalled(fields, "pcie scaled"));
    factor.list = "1, 2";
    experiment.axes = {axisOf(draft), axisOf(factor)};
    experiment.base = baseWithTargets(experiment);
    const Grid grid(experiment);
    const auto first = grid.problem(0).cluster.links, last = grid.problem(5).cluster.links;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i].kind == "rdma") {
            EXPECT_EQ(first[i].bandwidthBps, 1.25e9);
            EXPECT_EQ(last[i].bandwidthBps, 12.5e9);
        } else {
            EXPECT_EQ(last[i].bandwidthBps, first[i].bandwidthBps * (first[i].kind == "pcie" ? 2 : 1));
        }
    }
}

TEST(AxisDrafts, FewerGpusLeaveNoSwitchThatJoinsNothing) {
    Experiment experiment = withBase(R"({"profile": {"generate": "vgg-19"}, "setup": {"microbatches": 4},
        "cluster": {"template": "switched", "parameters": {"servers": 4, "gpus_per_server": 2}}})");
    const VariableField field = fieldCalled(variableFields(experiment), "Number of GPUs");
    EXPECT_EQ(field.present, "8");
    AxisDraft draft = axisOver(field);
    draft.form = AxisDraft::Form::list;
    draft.list = "1, 2, 3, 8";
    experiment.axes = {axisOf(draft)};
    const Grid grid(experiment);
    for (std::size_t point = 0; point < 4; ++point) {
        const Problem problem = grid.problem(point);
        EXPECT_EQ(std::to_string(problem.cluster.deviceCount()), experiment.axes[0].values[point].label);
        EXPECT_FALSE(whyUnplannable(problem)) << *whyUnplannable(problem);
        EXPECT_EQ(problem.cluster.switches.empty(), point == 0);
    }
    draft.list = "9";
    EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::list);
}

TEST(AxisDrafts, LayersRepeatedAreThoseThatAreAlikeUnlessOthersAreSaid) {
    Experiment experiment = recipe();
    AxisDraft draft = axisOver(fieldCalled(variableFields(experiment), "Layers repeated"));
    draft.form = AxisDraft::Form::list;
    draft.list = "1, 2";
    experiment.axes = {axisOf(draft)};
    experiment.base = baseWithTargets(experiment);
    const Grid grid(experiment);
    EXPECT_EQ(grid.problem(1).profile.layerCount(), grid.problem(0).profile.layerCount() + 24);
    experiment.base = withValue(experiment, fieldCalled(variableFields(experiment), "Last of them"), "1");
    EXPECT_EQ(Grid(experiment).problem(1).profile.layerCount(), grid.problem(0).profile.layerCount() + 1);
}

TEST(AxisDrafts, AMixOfServersTakesItsRangesFromTheBase) {
    const auto fields = variableFields(recipe());
    const VariableField& field = fieldCalled(fields, "Servers");
    EXPECT_EQ(field.present, "2x2 pcie + 1x4 nvlink");
    AxisDraft draft = axisOver(field);
    draft.list = "4x2, 1x4 nvlink + 2x2";
    Experiment experiment = recipe();
    experiment.axes = {axisOf(draft)};
    const Grid grid(experiment);
    EXPECT_EQ(grid.problem(0).cluster.deviceCount(), 8);
    EXPECT_EQ(grid.problem(1).cluster.servers().size(), 3u);
    for (const char* list : {"4", "4x", "x2", "0x2", "2x2 token ring"}) {
        draft.list = list;
        EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::list) << list;
    }
}

TEST(AxisDrafts, EveryFieldIsReadAsItIsWritten) {
    for (const Experiment& experiment :
         {recipe(), readExperiment(smallExperiment(), "e.json", {}),
          withBase(R"({"profile": {"generate": "vgg-19"}, "cluster": {"template": "switched"},
                       "setup": {"microbatches": 4}})")}) {
        for (const VariableField& field : variableFields(experiment)) {
            if (field.present.empty() || field.present.find(" to ") != std::string::npos) continue;
            const AxisValue value = readValue(field, field.present);
            EXPECT_EQ(valueText(field, value), field.present) << field.pointers.front();
            EXPECT_EQ(value.changes.front().pointer, field.pointers.front());
        }
    }
}

TEST(AxisDrafts, AnAxisThatWasReadIsWrittenAsAPersonWould) {
    Experiment experiment = recipe();
    const auto fields = variableFields(experiment);
    AxisDraft draft = axisOver(fieldCalled(fields, "Microbatches"));
    draft.from = "4";
    draft.to = "256";
    AxisDraft again = draftOf(axisOf(draft), fields);
    EXPECT_EQ(again.form, AxisDraft::Form::doubling);
    EXPECT_EQ(again.from + " " + again.to + " " + again.by, "4 256 2");
    draft.form = AxisDraft::Form::range;
    draft.by = "63";
    again = draftOf(axisOf(draft), fields);
    EXPECT_EQ(again.form, AxisDraft::Form::range);
    EXPECT_EQ(again.by, "63");
    draft = axisOver(fieldCalled(fields, "Seed"));
    again = draftOf(axisOf(draft), fields);
    EXPECT_EQ(again.form, AxisDraft::Form::seeds);
    EXPECT_EQ(again.list, "5");
    EXPECT_TRUE(axisOf(again).seeds);
}

TEST(AxisDrafts, CasesThatSetSeveralThingsAreKeptAndMayBeLeftOut) {
    Axis axis;
    axis.name = "what";
    axis.values = {{"a, b", 1, {{"/setup/microbatches", "2"}, {"/setup/mode", "\"asynchronous\""}}},
                   {"c", 2, {{"/setup/microbatches", "4"}}}};
    AxisDraft draft = draftOf(axis, variableFields(recipe()));
    EXPECT_TRUE(draft.ofCases());
    EXPECT_EQ(labelsOf(axisOf(draft)), (Labels{"a, b", "c"}));
    draft.list = "c";
    EXPECT_EQ(axisOf(draft).values.front().changes, axis.values.back().changes);
    draft.list = "d";
    EXPECT_EQ(mistakeOf(draft), AxisMistake::Part::list);
}

}  // namespace
}  // namespace stagecraft
