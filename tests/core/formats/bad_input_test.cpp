#include "examples.h"
#include "core/formats/json_reader.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

using namespace examples;

struct Fault {
    const char* pointer;  ///< what is replaced (or added); a value of null removes it
    json value;
    const char* message;  ///< the beginning of the complaint
};

template <class Object>
void expectComplaints(const json& good, const std::vector<Fault>& faults) {
    ASSERT_NO_THROW(read<Object>(good)) << "the example itself must be good";
    for (const Fault& fault : faults) {
        const std::string found = complaintAfter<Object>(good, [&](json& file) {
            const json::json_pointer pointer(fault.pointer);
            if (fault.value.is_null())
                file[pointer.parent_pointer()].erase(pointer.back());
            else
                file[pointer] = fault.value;
        });
        EXPECT_EQ(found.substr(0, std::string(fault.message).size()), fault.message) << found;
        EXPECT_NE(found.find("; expected "), std::string::npos) << found;
    }
}

TEST(BadInput, EachFaultOfAProfileIsNamedWithItsPlace) {
    expectComplaints<LayerProfile>(
        profile(),
        {{"/format", "stagecraft/cluster", "FILE: /format: the format is \"stagecraft/cluster\"; expected"},
         {"/format", nullptr, "FILE: the field 'format' is missing"},
         {"/version", 2, "FILE: /version: version 2 is newer than this program reads"},
         {"/version", 0, "FILE: /version: the number is 0"},
         {"/layers", nullptr, "FILE: the field 'layers' is missing"},
         {"/layers", 3, "FILE: /layers: found the number 3; expected an array"},
         {"/layers/1/forward_s", nullptr, "FILE: /layers/1: the field 'forward_s' is missing"},
         {"/layers/1/forward_s", -1, "FILE: /layers/1/forward_s: the number is negative: -1"},
         {"/layers/1/forward_s", 1e308,
          "FILE: /layers/1/forward_s: the number is too large; expected 0 to 1e+30"},
         {"/layers/1/forward_s", "1", "FILE: /layers/1/forward_s: found the text \"1\"; expected a number"},
         {"/layers/1/forwrd_s", 1,
          "FILE: /layers/1/forwrd_s: the field 'forwrd_s' is not known (did you mean 'forward_s'?)"},
         {"/layers/0/weight_gradient_s", 2,
          "FILE: /layers/0/weight_gradient_s: the weight gradient takes longer"},
         {"/layers/0/stored_parts", json::parse(R"({"sores": 1})"),
          "FILE: /layers/0/stored_parts/sores: no cause of stored activations is called 'sores'; expected "
          "one of "
          "input, attention"},
         {"/layers/0/stored_parts", json::parse(R"({"scores": -1})"),
          "FILE: /layers/0/stored_parts/scores: the number is negative: -1"},
         {"/layers/0/stored_parts", 3,
          "FILE: /layers/0/stored_parts: found the number 3; expected an object"},
         {"/layers/0/scores_recompute_s", 1e9,
          "FILE: /layers/0/scores_recompute_s: the part is more than the whole; expected at most forward_s"},
         {"/layers/0/expert_parameter_bytes", 1e29,
          "FILE: /layers/0/expert_parameter_bytes: the part is more than the whole; expected at most "
          "parameter_bytes"},
         {"/layers/0/flops", -1, "FILE: /layers/0/flops: the number is negative: -1"},
         {"/peak_flops_per_s", 0, "FILE: /peak_flops_per_s: the number is 0"},
         {"/microbatch_size", 0, "FILE: /microbatch_size: the number is 0"},
         {"/microbatch_size", 1.5, "FILE: /microbatch_size: the number is 1.5"},
         {"/edges", json::parse("[[0, 3]]"), "FILE: /edges/0/1: the number is 3"},
         {"/edges", json::parse("[[1, 0]]"), "FILE: /edges/0: the edge runs from layer 1 to layer 0"},
         {"/edges", json::parse("[[0, 1], [0, 1]]"), "FILE: /edges/1: the edge is given twice"},
         {"/edges", json::parse("[[0]]"), "FILE: /edges/0: the edge has 1 entry"},
         {"/other_sizes", json::parse(R"([{"microbatch_size": 1, "forward_s": [1], "backward_s": [1]}])"),
          "FILE: /other_sizes/0/forward_s: there is 1 number; expected one for each of the 3 layers"},
         {"/other_sizes",
          json::parse(R"([{"microbatch_size": 9, "forward_s": [1, 1, 1], "backward_s": [1, 1, 1]},
                          {"microbatch_size": 9, "forward_s": [1, 1, 1], "backward_s": [1, 1, 1]}])"),
          "FILE: /other_sizes/1/microbatch_size: there are times for microbatches of 9 samples already"},
         {"/other_sizes",
          json::parse(R"([{"microbatch_size": 9, "forward_s": [1, 1, 1], "backward_s": [1, 1, 1],
                           "weight_gradient_s": [1, 2, 1]}])"),
          "FILE: /other_sizes/0/weight_gradient_s/1: the weight gradient takes longer"},
         {"/operators", json::parse(R"({"nodes": [], "edges": []})"),
          "FILE: /operators/nodes: layer 0 has no node"},
         {"/operators", json::parse(R"({"nodes": [{"name": "n", "forward_s": 1, "backward_s": 1,
                                        "parameter_bytes": 0, "output_bytes": 0, "layer": 1}], "edges": []})"),
          "FILE: /operators/nodes/0/layer: layer 1 comes first"}});
}

TEST(BadInput, EachFaultOfAClusterIsNamedWithItsPlace) {
    expectComplaints<Cluster>(
        cluster(),
        {{"/format", "stagecraft/profile", "FILE: /format: the format is"},
         {"/devices/1/id", "g0", "FILE: /devices/1/id: the id 'g0' is taken already"},
         {"/devices/1/id", "", "FILE: /devices/1/id: the id is empty"},
         {"/switches/0/id", "g1", "FILE: /switches/0/id: the id 'g1' is taken already"},
         {"/devices/0/speed", 0, "FILE: /devices/0/speed: the number is 0; expected more than 0"},
         {"/devices/0/memory", 7, "FILE: /devices/0/memory: the field 'memory' is not known"},
         {"/devices/0/memory_bytes", -5, "FILE: /devices/0/memory_bytes: the number is negative"},
         {"/links/0/b", "ws", "FILE: /links/0/b: no device or switch 'ws'"},
         {"/links/0/b", "g0", "FILE: /links/0: the link joins 'g0' to itself"},
         {"/links/1/bandwidth_Bps", 0, "FILE: /links/1/bandwidth_Bps: the number is 0"},
         {"/links/1/bandwidth_Bps", 1e-300,
          "FILE: /links/1/bandwidth_Bps: the number is 1e-300; expected from 1e-12 to 1e+30"},
         {"/links/1/bandwidth_Bps", 1e300, "FILE: /links/1/bandwidth_Bps: the number is 1e+300"},
         {"/links/1/latency_s", 1e200, "FILE: /links/1/latency_s: the number is too large"},
         {"/devices/0/speed", 1e-200, "FILE: /devices/0/speed: the number is 1e-200"},
         {"/devices/0/host_bandwidth_Bps", 1e-40, "FILE: /devices/0/host_bandwidth_Bps: the number is 1e-40"},
         {"/devices/0/memory_bytes", 1e99, "FILE: /devices/0/memory_bytes: the number is too large"},
         {"/links/1/bandwidth_bps", 3,
          "FILE: /links/1/bandwidth_bps: the field 'bandwidth_bps' is not known (did you mean "
          "'bandwidth_Bps'?)"},
         {"/layout", json::parse(R"({"g9": [0, 0]})"), "FILE: /layout/g9: no device or switch 'g9'"},
         {"/layout", json::parse(R"({"g0": [0]})"), "FILE: /layout/g0: the position has 1 entry"}});
}

TEST(BadInput, EachFaultOfAPlanIsNamedWithItsPlace) {
    expectComplaints<PlanFile>(
        plan(),
        {{"/problem", nullptr, "FILE: the field 'problem' is missing"},
         {"/problem/setup/microbatches", 0, "FILE: /problem/setup/microbatches: the number is 0"},
         {"/problem/setup/mode", "sync", "FILE: /problem/setup/mode: 'sync' is not known"},
         {"/problem/profile/layers/0/forward_s", -2,
          "FILE: /problem/profile/layers/0/forward_s: the number is"},
         {"/stages", json::array(), "FILE: /stages: the plan has no stage"},
         {"/stages/1/devices/0", "g7", "FILE: /stages/1/devices/0: no device 'g7' (did you mean 'g0'?)"},
         {"/stages/1/devices", json::array(), "FILE: /stages/1/devices: the stage has no device"},
         {"/stages/1/devices", {"g1", "g1"}, "FILE: /stages/1/devices/1: the device is given twice"},
         {"/stages/1/layers", {2, 3}, "FILE: /stages/1/layers/1: the number is 3"},
         {"/stages/1/layers", {2, 1}, "FILE: /stages/1/layers: the range ends before it starts"},
         {"/stages/1/replication", "both", "FILE: /stages/1/replication: 'both' is not known"},
         {"/schedule", json::object(), "FILE: /schedule: the schedule has 0 of policy, orders and pattern"},
         {"/schedule/orders", json::object(),
          "FILE: /schedule: the schedule has 2 of policy, orders and pattern"},
         {"/schedule", json::parse(R"({"orders": {"g0": ["X1"]}})"),
          "FILE: /schedule/orders/g0/0: 'X1' names no task"},
         {"/schedule", json::parse(R"({"orders": {"g0": ["F-1"]}})"),
          "FILE: /schedule/orders/g0/0: 'F-1' names no task"},
         {"/schedule", json::parse(R"({"orders": {"g0": ["1:F0"]}})"),
          "FILE: /schedule/orders/g0/0: the device does not hold stage '1'"},
         {"/schedule", json::parse(R"({"orders": {"g5": ["F0"]}})"),
          "FILE: /schedule/orders/g5: no device 'g5'"},
         {"/schedule", json::parse(R"({"pattern": {"period_s": 0, "operations": []}})"),
          "FILE: /schedule/pattern/period_s: the number is 0"},
         {"/memory", json::parse(R"({"layers": {"3": "swap"}})"),
          "FILE: /memory/layers/3: '3' is not a layer"},
         {"/memory", json::parse(R"({"layers": {"01": "swap"}})"),
          "FILE: /memory/layers/01: '01' is not a layer"},
         {"/weights", json::parse(R"({"policy": "single", "versions": [1]})"),
          "FILE: /weights/versions: 1 number of versions for 2 stages"}});
}

TEST(BadInput, AnOrderOnADeviceWithSeveralStagesMustNameTheStage) {
    const std::string found = complaintAfter<PlanFile>(plan(), [](json& file) {
        file["/stages/1/devices/0"_json_pointer] = "g0";
        file["schedule"] = json::parse(R"({"orders": {"g0": ["0:F0", "F0"]}})");
    });
    EXPECT_EQ(found.substr(0, 63), "FILE: /schedule/orders/g0/1: the device holds 2 stages, and 'F0");
}

TEST(BadInput, APlanInAProjectThatDoesNotFitIsNamedWithItsPlace) {
    expectComplaints<Project>(
        project(), {{"/plans/0/stages/0/devices/0", "x", "FILE: /plans/0/stages/0/devices/0: no device 'x'"},
                    {"/plans/0/stages/1/layers", {2, 9}, "FILE: /plans/0/stages/1/layers/1: the number is 9"},
                    {"/plans/0/problem", 1, "FILE: /plans/0/problem: the field 'problem' is not known"},
                    {"/plans/0/notes", 1, "FILE: /plans/0/notes: found the number 1; expected an array"},
                    {"/plans/0/notes", json::parse(R"([{"text": "a"}])"),
                     "FILE: /plans/0/notes/0: the field 'at_s' is missing"},
                    {"/plans/0/notes", json::parse(R"([{"at_s": -1}])"),
                     "FILE: /plans/0/notes/0/at_s: the number is negative: -1"},
                    {"/plans/0/notes", json::parse(R"([{"at_s": 1}, {"at_s": 2, "until_s": 2}])"),
                     "FILE: /plans/0/notes/1/until_s: the stretch ends before it begins"},
                    {"/plans/0/notes", json::parse(R"([{"at_s": 1, "view": {"from_s": 2, "to_s": 2}}])"),
                     "FILE: /plans/0/notes/0/view/to_s: the view ends before it begins"},
                    {"/plans/0/notes", json::parse(R"([{"at_s": 1, "note": "a"}])"),
                     "FILE: /plans/0/notes/0/note: the field 'note' is not known"},
                    {"/profile", json::parse(R"({"file": "none.profile.json"})"),
                     "FILE: /profile/file: no file './none.profile.json'"}});
}

TEST(BadInput, AFieldGivenTwiceIsRefused) {
    EXPECT_EQ(complaint([] { readProfile(R"({"layers": [{"name": "a", "name": "b"}]})", "FILE"); }),
              "FILE: /layers/0/name: the field is given twice; expected each field once");
}

TEST(BadInput, TheirPlaceIsFoundBehindWhatIsNestedDeeperThanCallsCanBe) {
    constexpr int depth = 300000;
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    EXPECT_EQ(complaint([&] {
                  readCluster(R"({"format": "stagecraft/cluster", "version": 1, "assumptions": [)" + deep +
                                  R"(], "devices": [{"id": "a"}, {"id": 3}], "links": []})",
                              "FILE");
              }).substr(0, 24),
              "FILE: /assumptions/0: fo");
    EXPECT_EQ(complaint([&] {
                  readCluster(R"({"format": "stagecraft/cluster", "version": 1, "a": )" + deep +
                                  R"(, "devices": [], "links": []})",
                              "FILE");
              }).substr(0, 32),
              "FILE: /a: the field 'a' is not k");
    EXPECT_EQ(complaint([&] {
                  const nlohmann::json document =
                      parseJson("{\"a\": " + deep + ", \"b/~\": [0, {\"c\": 1}]}", "FILE");
                  JsonValue(document, "FILE", "/part").member("b/~").elements()[1].member("c").text();
              }),
              "FILE: /part/b~1~0/1/c: found the number 1; expected a text");
}

TEST(BadInput, WhatIsNotJsonIsNamedWithLineAndColumn) {
    EXPECT_EQ(complaint([] { readCluster("", "FILE"); }),
              "FILE: line 1, column 1: the file is empty; expected a JSON object");
    EXPECT_EQ(complaint([] { readCluster("{\n  \"a\": nan\n}", "FILE"); }).substr(0, 24),
              "FILE: line 2, column 9: ");
    EXPECT_EQ(complaint([] { readCluster("hello", "FILE"); }).substr(0, 22), "FILE: line 1, column 1");
    EXPECT_EQ(complaint([] { readCluster("{\"version\": 1e999}", "FILE"); }),
              "FILE: /version: the number is too large to be represented; expected a finite number");
    EXPECT_EQ(complaint([] { readCluster("[1]", "FILE"); }), "FILE: found an array; expected an object");
}

TEST(BadInput, AFileCutShortAtAnyByteIsRefusedAndNeverCrashes) {
    const std::string text = project().dump(1);
    for (std::size_t length = 0; length < text.size(); ++length)
        EXPECT_THROW(readProject(text.substr(0, length), "FILE", "."), InputError) << length;
    const std::string planText = plan().dump();
    for (std::size_t length = 0; length < planText.size(); ++length)
        EXPECT_THROW(readPlan(planText.substr(0, length), "FILE", "."), InputError) << length;
}

TEST(BadInput, AByteChangedAnywhereIsReadOrRefusedButNeverCrashes) {
    const std::string good = plan().dump();
    for (std::size_t i = 0; i < good.size(); ++i)
        for (const char letter : {'\0', '"', '{', '9', '-', '\xff'}) {
            std::string bad = good;
            bad[i] = letter;
            try {
                readPlan(bad, "FILE", ".");
            } catch (const InputError&) {
                // refused: as good as read
            }
        }
}

TEST(BadInput, DeepNestingIsRefused) {
    EXPECT_THROW(readProfile(std::string(200000, '['), "FILE"), InputError);
    EXPECT_THROW(readProfile(std::string(100000, '[') + std::string(100000, ']'), "FILE"), InputError);
}

}  // namespace
}  // namespace stagecraft
