#pragma once

#include "app/rooms.h"
#include "core/experiments/results.h"

#include <string>
#include <vector>

namespace stagecraft::app::experiments {

/// An experiment that comes with the program: a figure or table of one of the five papers.
struct PaperExperiment {
    std::string id;      ///< "spp-fig-5"
    Experiment content;  ///< of the experiment's file, which is read once

    const Experiment& experiment() const { return content; }
    /// What a run gave when it was shipped, as JSON; empty: none yet.
    std::string results() const;
};

/// All of them, by paper in the order of the mission, then by place.
const std::vector<PaperExperiment>& paperExperiments();
/// nullptr if there is none of that id.
const PaperExperiment* findPaperExperiment(const std::string& id);

/// Those that came with the program; without any, nothing is known of any cell. @throws InputError
ExperimentResults shippedResults(const PaperExperiment& paper);

/// "SPP" for "spp": what a paper's system is called.
std::string paperTitle(const std::string& paper);

}  // namespace stagecraft::app::experiments
