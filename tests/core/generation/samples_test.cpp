#include "samples.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace stagecraft {
namespace {

const std::filesystem::path folder = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "samples";

/// STAGECRAFT_WRITE_SAMPLES=1 makes this test write the folder instead of checking it.
TEST(Samples, SamplesAreWhatTheGeneratorMakes) {
    const bool write = std::getenv("STAGECRAFT_WRITE_SAMPLES") != nullptr;
    for (const Sample& sample : samples()) {
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

TEST(Samples, TheFolderHoldsNothingElse) {
    std::set<std::string> expected, found;
    for (const Sample& sample : samples()) expected.insert(sample.path);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) found.insert(entry.path().lexically_relative(folder).generic_string());
    EXPECT_EQ(found, expected);
}

TEST(Samples, ProjectsReadBackAreNamedAndPlannable) {
    int projects = 0;
    for (const Sample& sample : samples()) {
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
    EXPECT_EQ(projects, 3 + 2 * 7);
}

TEST(Samples, ProfilesAndClustersReadBack) {
    for (const Sample& sample : samples()) {
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
    for (const Sample& sample : samples())
        EXPECT_LT(std::filesystem::file_size(folder / sample.path), 100'000u) << sample.path;
}

}  // namespace
}  // namespace stagecraft
