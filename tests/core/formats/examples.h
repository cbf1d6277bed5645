#pragma once

#include "core/formats/files/project_file.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace stagecraft::examples {

using nlohmann::json;

inline json profile() {
    const auto layer = [](const char* name) {
        return json{{"name", name},
                    {"forward_s", 0.5},
                    {"backward_s", 1.5},
                    {"parameter_bytes", 100},
                    {"output_bytes", 8.0}};
    };
    return {{"format", "stagecraft/profile"},
            {"version", 1},
            {"name", "toy"},
            {"microbatch_size", 2},
            {"layers", {layer("a"), layer("b"), layer("c")}}};
}

inline json cluster() {
    const auto device = [](const char* id) {
        return json{{"id", id}, {"server", "s0"}, {"gpu", "X"}, {"memory_bytes", 1000}, {"speed", 1.0}};
    };
    return {{"format", "stagecraft/cluster"},
            {"version", 1},
            {"name", "pair"},
            {"devices", {device("g0"), device("g1")}},
            {"switches", {{{"id", "sw"}, {"server", "s0"}}}},
            {"links",
             {{{"a", "g0"}, {"b", "sw"}, {"bandwidth_Bps", 10}},
              {{"a", "g1"}, {"b", "sw"}, {"bandwidth_Bps", 10}}}}};
}

inline json setup() { return {{"microbatches", 4}, {"mode", "synchronous"}, {"optimizer", "sgd"}}; }

/// Two stages, without a header and without a problem: as in a project.
inline json barePlan() {
    return {
        {"planner", "spp"},
        {"stages", {{{"layers", {0, 1}}, {"devices", {"g0"}}}, {{"layers", {2, 2}}, {"devices", {"g1"}}}}},
        {"schedule", {{"policy", "pe"}}}};
}

inline json plan() {
    json file = barePlan();
    file["format"] = "stagecraft/plan";
    file["version"] = 1;
    file["problem"] = {{"profile", profile()}, {"cluster", cluster()}, {"setup", setup()}};
    return file;
}

inline json project() {
    return {{"format", "stagecraft/project"}, {"version", 1},     {"profile", profile()},
            {"cluster", cluster()},           {"setup", setup()}, {"plans", {barePlan()}}};
}

inline LayerProfile read(const json& file, const LayerProfile*) { return readProfile(file.dump(), "FILE"); }
inline Cluster read(const json& file, const Cluster*) { return readCluster(file.dump(), "FILE"); }
inline PlanFile read(const json& file, const PlanFile*) { return readPlan(file.dump(), "FILE", "."); }
inline Project read(const json& file, const Project*) { return readProject(file.dump(), "FILE", "."); }

template <class Object>
Object read(const json& file) {
    return read(file, static_cast<const Object*>(nullptr));
}

/// The complaint that `action` makes, or "no error".
inline std::string complaint(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

/// The sample after a JSON merge or patch operation, read as an Object.
template <class Object>
std::string complaintAfter(json file, const std::function<void(json&)>& edit) {
    edit(file);
    return complaint([&] { read<Object>(file); });
}

}  // namespace stagecraft::examples
