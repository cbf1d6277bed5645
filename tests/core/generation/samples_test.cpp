#include "samples.h"

#include "core/formats/files/project_file.h"
#include "core/generation/network.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace stagecraft {
namespace {

const std::filesystem::path folder = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples";

bool isMeasured(const std::filesystem::path& path) {
    return path.filename().string().starts_with("measured-");
}

/// Made once for all tests, which ctest runs in one process: it plans.
const std::vector<Sample>& madeSamples() {
    static const std::vector<Sample> made = samples();
    return made;
}

/// STAGECRAFT_WRITE_SAMPLES=1 makes this test write the folder instead of checking it.
TEST(Samples, SamplesAreWhatTheGeneratorMakes) {
    const bool write = std::getenv("STAGECRAFT_WRITE_SAMPLES") != nullptr;
    for (const Sample& sample : madeSamples()) {
        const std::filesystem::path path = folder / sample.path;
        if (write) {
            std::filesystem::create_directories(path.parent_path());
            writeFileAtomically(path, sample.text());
        } else {
            ASSERT_TRUE(std::filesystem::exists(path)) << path;
            EXPECT_TRUE(readTextFile(path) == sample.text())
                << path << " differs; STAGECRAFT_WRITE_SAMPLES=1 writes it anew";
        }
    }
}

TEST(Samples, TheFoldersHoldNothingElse) {
    std::set<std::string> expected, found;
    for (const Sample& sample : madeSamples()) expected.insert(sample.path);
    for (const char* made : {"", "clusters", "profiles"})
        for (const auto& entry : std::filesystem::directory_iterator(folder / made))
            if (entry.is_regular_file() && !isMeasured(entry.path()))
                found.insert(entry.path().lexically_relative(folder).generic_string());
    EXPECT_EQ(found, expected);
}

// They are not made anew: another machine measures other times.
TEST(Samples, MeasuredProfilesSayWhatWasMeasuredAndFitTheArchitectures) {
    std::map<std::string, double> parameters;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "profiles")) {
        if (!isMeasured(entry.path())) continue;
        const LayerProfile profile = openProfile(entry.path()).profile;
        for (const Layer& layer : profile.layers)
            parameters[profile.name] += layer.parameterBytes / profile.elementBytes.value_or(4);
        for (const char* told : {"Measured: ", "PyTorch ", "Python ", "median of", "quartiles"})
            EXPECT_NE(profile.source.find(told), std::string::npos) << entry.path() << " " << told;
        EXPECT_EQ(profile.source.find("/home"), std::string::npos) << entry.path();
        EXPECT_TRUE(readTextFile(entry.path()) == writeProfile(profile))
            << entry.path() << " is not in the form that the program writes";
    }
    EXPECT_EQ(parameters, (std::map<std::string, double>{
                              {"ResNet-50 (measured)", network("resnet-50").parameters()},
                              {"VGG-19 (measured)", network("vgg-19").parameters()},
                              {"Small transformer (measured)", 10553856},
                              // The output has weights of its own, unlike the published one.
                              {"GPT-2 medium (measured on an H100)", 354823168 + 50257 * 1024},
                              {"Llama 3 8B (measured on an H100)", 8030261248},
                              {"Llama 3.2 1B (measured on an H100)", 1235814400 + 128256 * 2048}}));
}

TEST(Samples, ProjectsReadBackAreNamedAndPlannable) {
    int projects = 0;
    for (const Sample& sample : madeSamples()) {
        const auto* written = std::get_if<Project>(&sample.content);
        if (!written) continue;
        ++projects;
        const Project project = openProject(folder / sample.path);
        EXPECT_EQ(project, *written) << sample.path;
        EXPECT_EQ(whyUnplannable(project.problem), std::nullopt) << sample.path;
        EXPECT_FALSE(project.name.empty()) << sample.path;
        EXPECT_FALSE(project.problem.profile.source.empty()) << sample.path;
        EXPECT_FALSE(project.problem.cluster.name.empty()) << sample.path;
    }
    EXPECT_GE(projects, 3 + 2 * 7 + 4);
}

TEST(Samples, ProfilesAndClustersReadBack) {
    for (const Sample& sample : madeSamples()) {
        if (const auto* profile = std::get_if<LayerProfile>(&sample.content)) {
            EXPECT_EQ(openProfile(folder / sample.path).profile, *profile) << sample.path;
            EXPECT_FALSE(profile->source.empty()) << sample.path;
        }
        if (const auto* cluster = std::get_if<Cluster>(&sample.content)) {
            EXPECT_EQ(openCluster(folder / sample.path), *cluster) << sample.path;
        }
    }
}

TEST(Samples, EveryFileIsSmall) {
    for (const Sample& sample : madeSamples())
        EXPECT_LT(std::filesystem::file_size(folder / sample.path), 220'000u) << sample.path;
}

}  // namespace
}  // namespace stagecraft
