#include "core/formats/files/import.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/topology/topology_format.h"
#include "examples.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace stagecraft {
namespace {

namespace fs = std::filesystem;
using examples::complaint;

class Files : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ =
            fs::path(testing::TempDir()) /
            ("stagecraft-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path file(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
    }

    fs::path folder_;
};

TEST_F(Files, AReplacedFileKeepsItsModeAndLeavesNothingBeside) {
    const fs::path path = file("a.json", "old");
    ::chmod(path.c_str(), 0640);
    writeFileAtomically(path, "new");
    EXPECT_EQ(readTextFile(path), "new");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
    EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, ASymbolicLinkStaysALink) {
    const fs::path path = file("a.json", "old");
    fs::create_symlink(path, folder_ / "link");
    writeFileAtomically(folder_ / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(readTextFile(path), "new");
}

TEST_F(Files, ADeviceIsWrittenToAndNotReplaced) {
    writeFileAtomically("/dev/null", "x");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, AFailedWriteNamesTheFileAndLeavesTheOldOne) {
    const fs::path path = folder_ / "none" / "a.json";
    EXPECT_EQ(complaint([&] { writeFileAtomically(path, "x"); }),
              path.string() + ": cannot be written: No such file or directory");
    EXPECT_EQ(complaint([&] { writeFileAtomically(folder_, "x"); }),
              folder_.string() + ": this is a directory; expected a file to write");
    EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, AFileThatCannotBeReadIsNamed) {
    EXPECT_EQ(complaint([&] { readTextFile(folder_ / "none"); }),
              (folder_ / "none").string() + ": cannot be read: No such file or directory");
    EXPECT_EQ(complaint([&] { readTextFile(folder_); }),
              folder_.string() + ": cannot be read: Is a directory");
}

TEST_F(Files, KindsAreToldByContent) {
    EXPECT_EQ(detectKind(examples::profile().dump()), FileKind::profile);
    EXPECT_EQ(detectKind(examples::cluster().dump()), FileKind::cluster);
    EXPECT_EQ(detectKind(examples::plan().dump()), FileKind::plan);
    EXPECT_EQ(detectKind(examples::project().dump()), FileKind::project);
    EXPECT_EQ(detectKind(R"({"format": "stagecraft/experiment"})"), FileKind::experiment);
    EXPECT_EQ(detectKind(R"({"format": "stagecraft/results"})"), FileKind::results);
    EXPECT_EQ(detectKind("node1 -- Input -- forward_compute_time=1"), FileKind::pipeDreamGraph);
    EXPECT_EQ(detectKind(R"({"nodes": [{"id": 1, "fpgaLatency": 1}]})"), FileKind::dnnPartitioningGraph);
    EXPECT_EQ(detectKind(R"({"maxFPGAs": 1, "nodes": []})"), FileKind::dnnPartitioningGraph);
    EXPECT_EQ(detectKind(R"({"fpgas": []})"), FileKind::dnnPartitioningSplit);
    EXPECT_EQ(detectKind(R"({"nodes": [{"TMPCs": {}}]})"), FileKind::piperProfile);
    EXPECT_EQ(detectKind(R"({"stage_to_rank_map": {}})"), FileKind::pipeDreamConf);
    EXPECT_EQ(detectKind("# by hand\nlayer;fwd (ms)\na;1\n"), FileKind::profileCsv);
    EXPECT_EQ(detectKind("\x08\x08\x12\x07pytorch"), FileKind::onnxModel);
    EXPECT_EQ(detectKind(""), FileKind::unknown);
    EXPECT_EQ(detectKind("[]"), FileKind::unknown);
    EXPECT_EQ(detectKind(R"({"a": {"format": "stagecraft/plan"}})"), FileKind::unknown);
    EXPECT_EQ(detectKind(R"({"a": {"format": "stagecraft/plan"}, "format": "stagecraft/cluster"})"),
              FileKind::cluster);
}

TEST_F(Files, AProjectFollowsItsReferencesFromItsOwnDirectory) {
    file("p.json", examples::profile().dump());
    examples::json project = examples::project();
    project["profile"] = {{"file", "p.json"}};
    const Project read = openProject(file("toy.json", project.dump()));
    EXPECT_EQ(read.problem.profile.name, "toy");
    EXPECT_EQ(read.profileFile, "p.json");
    EXPECT_NE(writeProject(read).find("\"profile\": { \"file\": \"p.json\" }"), std::string::npos);
    EXPECT_EQ(readProject(writeProject(read), "FILE", folder_), read);
}

TEST_F(Files, AFaultInAReferencedFileNamesThatFile) {
    const fs::path bad = file("p.json", "{");
    examples::json project = examples::project();
    project["profile"] = {{"file", "p.json"}};
    const fs::path path = file("toy.json", project.dump());
    EXPECT_EQ(complaint([&] { openProject(path); }).substr(0, bad.string().size() + 1), bad.string() + ":");
}

TEST_F(Files, AProfileOfNoKnownFormatIsRefused) {
    const fs::path path = file("a.txt", "hello\n");
    EXPECT_EQ(
        complaint([&] { openProfile(path); }),
        path.string() +
            ": text that begins 'hello', which is no known format; expected a file of Stagecraft, an order "
            "of passes, measurements of nccl-tests or OSU, or one of these: " +
            namesOfAllFormats());
}

TEST_F(Files, EachForeignKindHasOneFormatThatReadsItOrSaysWhyNot) {
    std::set<std::string> ids = {"profile", "cluster"};
    for (const FileKind kind : foreignKinds) {
        const ProfileFormat* profile = profileFormatOf(kind);
        const TopologyFormat* topology = topologyFormatOf(kind);
        ASSERT_NE(profile == nullptr, topology == nullptr);
        if (profile) {
            SCOPED_TRACE(profile->name);
            for (const std::string& id : profile->ids) EXPECT_TRUE(ids.insert(id).second) << id;
            EXPECT_EQ(profile->read == nullptr, !profile->refusal.empty());
            EXPECT_TRUE(profile->recognises || !profile->fields.empty() || !profile->outermostFields.empty());
        } else {
            SCOPED_TRACE(topology->name);
            EXPECT_TRUE(ids.insert(topology->id).second) << topology->id;
            EXPECT_NE(topology->readServer == nullptr, topology->readWhole == nullptr);
            EXPECT_TRUE(topology->recognises || !topology->xmlRoot.empty() || !topology->jsonField.empty());
        }
    }
    EXPECT_EQ(profileFormatOf(FileKind::profile), nullptr);
    EXPECT_EQ(topologyFormatOf(FileKind::cluster), nullptr);
}

TEST_F(Files, TheSuffixesOfAllFormatsAreOffered) {
    EXPECT_EQ(profileSuffixes(), (std::vector<std::string>{"json", "onnx", "txt", "csv", "tsv"}));
    EXPECT_EQ(topologySuffixes(),
              (std::vector<std::string>{"json", "xml", "txt", "yml", "topo", "conf", "yaml", "csv"}));
}

TEST_F(Files, ANamePromisesAKindWhereTheContentDoesNot) {
    EXPECT_EQ(kindOfFileName("a/b.profile.json"), FileKind::profile);
    EXPECT_EQ(kindOfFileName("b.cluster.json"), FileKind::cluster);
    EXPECT_EQ(kindOfFileName("b.plan.json"), FileKind::plan);
    EXPECT_EQ(kindOfFileName("b.results.json"), FileKind::results);
    EXPECT_EQ(kindOfFileName("graph.txt"), FileKind::pipeDreamGraph);
    EXPECT_EQ(kindOfFileName("b.json"), FileKind::project);
}

}  // namespace
}  // namespace stagecraft
