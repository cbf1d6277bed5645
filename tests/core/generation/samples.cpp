#include "samples.h"

#include "core/generation/analytic_profile.h"
#include "core/generation/cluster_templates.h"
#include "core/runs/plan_run.h"
#include "tests/support/every_room.h"

#include <stdexcept>

namespace stagecraft {

namespace {

constexpr int sectionVbMicrobatchSize = 6;
constexpr std::uint64_t seed = 2022;

LayerProfile onV100(const std::string& model, int microbatchSize) {
    return analyticProfile(network(model), *findGpu("V100-SXM2-16GB"), {.microbatchSize = microbatchSize});
}

/// Table II's microbatch sizes; Sec. V-B's for the three sizes of BERT that it simulates.
std::vector<Sample> profiles() {
    struct Row {
        const char* model;
        int microbatchSize;
    };
    constexpr Row rows[] = {{"vgg-19", 32},
                            {"resnet-152", 4},
                            {"inception-v3", 32},
                            {"transformer", 32},
                            {"bert-large", sectionVbMicrobatchSize},
                            {"bert-48", sectionVbMicrobatchSize},
                            {"bert-72", sectionVbMicrobatchSize},
                            {"xlnet-large", 4}};
    std::vector<Sample> samples;
    for (const Row& row : rows)
        samples.push_back(
            {std::string("profiles/") + row.model + ".profile.json", onV100(row.model, row.microbatchSize)});
    return samples;
}

/// The figures that a project keeps were drawn in it by hand and are in its file alone.
void addDrawnFigures(Sample& sample) {
    const std::filesystem::path path = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples" / sample.path;
    if (auto* project = std::get_if<Project>(&sample.content); project && std::filesystem::exists(path))
        project->figures = openProject(path).figures;
}

}  // namespace

void addPlan(Project& project, PlanningResult result, const std::string& name) {
    if (result.status != PlanStatus::ok) throw std::runtime_error("no sample plan: " + result.reason);
    PlanRun run;
    run.result = std::move(result);
    run.result.plan.name = name;
    run.plannedFor = hashOf(project.problem);
    project.plans.push_back(run.result.plan);
    project.origins.push_back(originOf(run));
}

std::string Sample::text() const {
    struct Writer {
        std::string operator()(const Project& project) const { return writeProject(project); }
        std::string operator()(const LayerProfile& profile) const { return writeProfile(profile); }
        std::string operator()(const Cluster& cluster) const { return writeCluster(cluster); }
        std::string operator()(const std::string& table) const { return table; }
    };
    return std::visit(Writer{}, content);
}

Project bertLargeOnEightServers() {
    Project project;
    project.name = "BERT-large on 8 servers of 4 GPUs (SPP, Sec. V-B)";
    project.problem.profile = onV100("bert-large", sectionVbMicrobatchSize);
    project.problem.cluster = randomCluster(sppDefaultCluster(seed));
    project.problem.setup = {
        .microbatches = 32, .optimizer = Optimizer::adam, .channel = ChannelMode::halfDuplex};
    return project;
}

std::vector<Sample> samples() {
    std::vector<Sample> all = {{"fig2-toy.stagecraft.json", fig2Toy()},
                               {"lemma1-fifo-counterexample.stagecraft.json", lemma1Counterexample()},
                               {"bert-large-8x4.stagecraft.json", bertLargeOnEightServers()},
                               {"madpipe-resnet-50.stagecraft.json", madPipeResNet50()},
                               {"madpipe-resnet-50.grid.csv", madPipeGrid()},
                               {"xpipe-fig1.stagecraft.json", xpipeFig1()},
                               {"xpipe-fig1a.stagecraft.json", xpipeFig1a()},
                               {"madpipe-fig2.stagecraft.json", madPipeFig2()},
                               {"madpipe-fig3.stagecraft.json", madPipeFig3()},
                               {"madpipe-fig5.stagecraft.json", madPipeFig5()},
                               {"gpipe-1f1b.stagecraft.json", gpipeAnd1F1B()},
                               {"schedules.stagecraft.json", everySchedule()},
                               {"dualpipe.stagecraft.json", dualPipe()},
                               {"llama-3-8b.stagecraft.json", llama8bOnTwoServers()},
                               {"llama-3-70b.stagecraft.json", llama70bOnEightServers()},
                               {"mixtral-8x7b.stagecraft.json", mixtralOnTwoServers()},
                               {"megatron-175b.stagecraft.json", megatron175bOnEightServers()},
                               {"shared-nic.stagecraft.json", sharedNic()},
                               {"fat-tree.stagecraft.json", fatTree()},
                               {"rail-fabric.stagecraft.json", railFabric()}};
    for (Sample& sample : testbedProjects()) all.push_back(std::move(sample));
    for (Sample& sample : vpipeProjects()) all.push_back(std::move(sample));
    for (Sample& sample : profiles()) all.push_back(std::move(sample));
    all.push_back({"clusters/testbed-1080ti.cluster.json", testbed1080Ti()});
    all.push_back({"clusters/testbed-v100.cluster.json", testbedV100()});
    all.push_back({"clusters/bert-8x4.cluster.json", randomCluster(sppDefaultCluster(seed))});
    all.push_back({"clusters/mixed-servers.cluster.json", randomCluster(sppMixedCluster(seed))});
    all.push_back({"clusters/dgx1.cluster.json", dgx1Cluster()});
    for (Sample& sample : all) addDrawnFigures(sample);
    return all;
}

}  // namespace stagecraft
