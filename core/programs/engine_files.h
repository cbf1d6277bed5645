#pragma once

#include "core/programs/engine_layout.h"
#include "core/runs/plan_run.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft::programs {

/// One of the files that an engine is given, and its README.
struct EngineFile {
    std::string name;  ///< in the folder that is written
    std::string text;
    bool operator==(const EngineFile&) const = default;
};

/// What an engine is told of.
struct EnginePlan {
    const PlanRun& run;   ///< one that is ok()
    const Plan& ordered;  ///< its plan, with each device's order spelled out

    const Problem& problem() const { return run.costs->problem(); }
    const Plan& plan() const { return run.result.plan; }
    std::string title() const { return run.title(); }
};

/// An engine that plans are written for, described once: formats of export, help and menus follow.
struct EngineFormat {
    const char* id;     ///< "megatron"
    const char* title;  ///< "Megatron-LM"
    /// @throws std::invalid_argument saying what of the plan the engine cannot be told
    std::vector<EngineFile> (*write)(const EnginePlan& plan);
};
const std::vector<EngineFormat>& engineFormats();

/// Writes them into a folder, which is made. @throws InputError
void writeEngineFiles(const std::vector<EngineFile>& files, const std::filesystem::path& folder);

// Each is a source of its own.
EngineFormat megatronEngine();
EngineFormat torchtitanEngine();
EngineFormat deepSpeedEngine();
EngineFormat chakraEngine();

/// Of a setup whose optimizer is none of the engine's.
inline constexpr const char* plainOptimizerText =
    "The plan counts an optimizer with fewer states than this one's: it takes more memory than planned.";

/// README.md: a title and the lines that are not empty, each an entry of a list.
EngineFile readmeOf(const std::string& title, const std::vector<std::string>& lines);
/// "Process 0 is on s0g0, …": which device each process is on, unless it is as the cluster numbers them; of
/// many the first.
std::string processText(const EngineLayout& layout, const Cluster& cluster);
/// "--nproc-per-node 8 --nnodes 2" where each server has equally many of the processes; else the number of
/// all.
std::string launchText(const EngineLayout& layout, const Cluster& cluster);

}  // namespace stagecraft::programs
