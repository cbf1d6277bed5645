// Texts as other systems save them, and what is said of a file that nobody knows.
#include "core/formats/text_encoding.h"
#include "tests/core/formats/public_case.h"
#include "tests/core/formats/topology_complaint.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>

namespace stagecraft {
namespace {

const std::string listedGpus =
    "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tNV4\t0-11\t0\n"
    "GPU1\tNV4\t X \t12-23\t1\n";

std::string inUtf16(const std::string& ascii, bool isBig, bool hasMark) {
    std::string text = !hasMark ? "" : isBig ? "\xfe\xff" : "\xff\xfe";
    for (const char letter : ascii) {
        if (isBig) text += '\0';
        text += letter;
        if (!isBig) text += '\0';
    }
    return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

TEST(Encodings, MarksUtf16AndLineEndsMakeNoDifferenceToATopology) {
    const Cluster plain = importCluster(listedGpus, "F").cluster;
    ASSERT_NE(linkOf(plain, "s0g0", "s0g1"), nullptr);
    EXPECT_EQ(importCluster("\xef\xbb\xbf" + listedGpus, "F").cluster, plain);
    EXPECT_EQ(importCluster(replaced(listedGpus, "\n", "\r"), "F").cluster, plain);
    EXPECT_EQ(importCluster(replaced(listedGpus, "\n", "\r\n"), "F").cluster, plain);
    for (const bool isBig : {false, true})
        for (const bool hasMark : {false, true})
            EXPECT_EQ(importCluster(inUtf16(listedGpus, isBig, hasMark), "F").cluster, plain)
                << isBig << hasMark;
}

TEST(Encodings, MarksUtf16AndLineEndsMakeNoDifferenceToAProfile) {
    const std::string table = "name,fwd (ms),bwd (ms)\nembed,1,2\nblock,3,4\n";
    const LayerProfile plain = importProfile(table, "F").profile;
    ASSERT_EQ(plain.layerCount(), 2);
    for (const std::string& text : {"\xef\xbb\xbf" + table, replaced(table, "\n", "\r"),
                                    inUtf16(table, false, true), inUtf16(table, true, false)})
        EXPECT_EQ(importProfile(text, "F").profile, plain);
}

TEST(Encodings, LettersBeyondAsciiComeThroughUtf16) {
    using namespace std::string_literals;
    EXPECT_EQ(plainText("\xff\xfe\xe9\x00\xac\x20\x3d\xd8\x00\xde"s), "é€\U0001F600");
    EXPECT_EQ(plainText("\xff\xfe\x3d\xd8"s), "\xef\xbf\xbd") << "half a pair";
    EXPECT_EQ(plainText("\xff\xfe"s), "");
}

TEST(Encodings, BytesThatAreNoTextStayAsTheyAre) {
    EXPECT_TRUE(rc::check([](const std::string& bytes) {
        const bool isMarked = bytes.starts_with("\xef\xbb\xbf") || bytes.starts_with("\xff\xfe") ||
                              bytes.starts_with("\xfe\xff");
        if (!isMarked && bytes.find('\n') != std::string::npos && bytes.find('\0') == std::string::npos)
            RC_ASSERT(plainText(bytes) == bytes);
        plainText("\xff\xfe" + bytes);
    }));
    const std::string model = publicCase("14-weights-as-constants.onnx");
    EXPECT_EQ(plainText(model), model);
    EXPECT_EQ(model.size(), std::filesystem::file_size(STAGECRAFT_SOURCE_DIR
                                                       "/tests/data/public/14-weights-as-constants.onnx"));
}

TEST(Encodings, PublicFilesWithMarksAreRead) {
    const Cluster four = importCluster(publicCase("09-topo-utf8-mark.txt"), "F").cluster;
    EXPECT_EQ(four.deviceCount(), 4);
    EXPECT_EQ(bpsOf(four, "s0g0", "s0g3"), 80e9);
    const Cluster wide = importCluster(publicCase("10-topo-utf16.txt"), "F").cluster;
    EXPECT_GT(wide.deviceCount(), 1);
    const Cluster npus = importCluster(publicCase("11-astra-utf8-mark.yml"), "F").cluster;
    EXPECT_EQ(npus.deviceCount(), 8);
    ASSERT_FALSE(npus.links.empty());
    EXPECT_EQ(npus.links.front().bandwidthBps, 50e9);
}

TEST(Encodings, ALineThatNamesTheSeparatorIsNoRow) {
    const LayerProfile profile = importProfile(publicCase("17-excel-sep-line.csv"), "F").profile;
    ASSERT_EQ(profile.layerCount(), 2);
    EXPECT_DOUBLE_EQ(profile.layers[0].forwardS, 1.25e-3);
    EXPECT_DOUBLE_EQ(profile.layers[1].backwardS, 25.25e-3);
    EXPECT_EQ(importProfile("\"sep=,\"\r\nname,fwd (ms)\r\na,1\r\n", "F").profile.layerCount(), 1);
    EXPECT_EQ(importProfile("SEP=\t\nname\tfwd (ms)\na\t1\n", "F").profile.layerCount(), 1);
    EXPECT_EQ(importCluster("sep=;\n0;5;5\n5;0;5\n5;5;0\n", "F").cluster.deviceCount(), 3);
}

std::string profileComplaint(const std::string& text) {
    try {
        importProfile(text, "F");
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(UnknownFiles, AreAnsweredWithWhatTheyAreAndAllKindsTopologiesIncluded) {
    const std::string complaint = profileComplaint("a log of something\nelse\n");
    EXPECT_TRUE(complaint.starts_with("F: text that begins 'a log of something', which is no known format"));
    for (const char* kind : {"ONNX model", "CSV table of layers", "NCCL topology XML", "bandwidth matrix"})
        EXPECT_NE(complaint.find(kind), std::string::npos) << kind;
    EXPECT_NE(profileComplaint(R"({"model": {"a": 1}, "execution_time": 2})")
                  .find("JSON with the fields 'model', 'execution_time', which"),
              std::string::npos);
    EXPECT_NE(profileComplaint("<graph><a/></graph>").find("XML with the outermost element 'graph'"),
              std::string::npos);
    EXPECT_NE(topologyComplaint(R"({"model": 1})").find("JSON with the fields 'model': not a cluster"),
              std::string::npos);
}

TEST(UnknownFiles, ReadersStillSayWhatIsWrongWithTheirOwn) {
    EXPECT_EQ(profileComplaint("{\"format\": 3").find("known format"), std::string::npos);
    EXPECT_NE(profileComplaint("a,b\nx,1\ny,2\n").find("no column holds forward times"), std::string::npos);
    EXPECT_NE(
        profileComplaint(listedGpus).find("this is a cluster: nvidia-smi text; expected a layer profile"),
        std::string::npos);
}

}  // namespace
}  // namespace stagecraft
