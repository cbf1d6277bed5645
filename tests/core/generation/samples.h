#pragma once

#include "core/formats/files/project_file.h"
#include "tests/support/every_room.h"
#include "core/planners/planner.h"

#include <string>
#include <variant>
#include <vector>

namespace stagecraft {

inline constexpr double ms = 1e-3;  ///< in seconds

/// One file of the folder samples/ and what is in it.
struct Sample {
    std::string path;                                                   ///< relative to samples/
    std::variant<Project, LayerProfile, Cluster, std::string> content;  ///< text is a table

    std::string text() const;
};

/// Adds a planner's plan for the project's problem, with what the planner said of it.
void addPlan(Project& project, PlanningResult result, const std::string& name = "");

/// Everything that the folder holds. SamplesTest writes and checks it.
std::vector<Sample> samples();

// One file per kind of sample.
Project fig2Toy();                  ///< SPP Fig. 2
Project lemma1Counterexample();     ///< E-SPP-6
Project bertLargeOnEightServers();  ///< SPP Sec. V-B, default setting
Project madPipeResNet50();          ///< MadPipe Sec. 5
std::string madPipeGrid();          ///< that problem on other clusters, with MadPipe's throughput
Project xpipeFig1();                ///< XPipe Fig. 1(b)
Project xpipeFig1a();               ///< XPipe Fig. 1(a)
Project madPipeFig2();              ///< MadPipe Figs. 2, 3 and 5
Project madPipeFig3();
Project madPipeFig5();
Project gpipeAnd1F1B();         ///< as textbooks draw them
Project everySchedule();        ///< one network under all schedule families
Project llama8bOnTwoServers();  ///< training of today that fits, and one way that does not
Project llama70bOnEightServers();
Project mixtralOnTwoServers();
Project megatron175bOnEightServers();  ///< Korthikanti et al., Table 5
Project dualPipe();                    ///< DeepSeek-V3 Fig. 5
Project sharedNic();                   ///< links that are shared, worked out by hand
Project fatTree();
Project railFabric();
std::vector<Sample> testbedProjects();  ///< SPP Sec. V-A: Table II's models on both testbeds
std::vector<Sample> vpipeProjects();    ///< vPipe Sec. 6: its four large networks on 8 GPUs of 11 GB
Cluster testbed1080Ti();
Cluster testbedV100();

}  // namespace stagecraft
