#include "core/formats/profiles/csv_profile.h"
#include "examples.h"

namespace stagecraft {
namespace {

using examples::complaint;

LayerProfile read(const std::string& text) { return readProfileCsv(text, "F.csv").profile; }

TEST(ProfileCsv, ColumnsAndUnitsAreGuessedFromTheHeaders) {
    const LayerProfile profile = read(
        "Layer;Fwd (ms);bwd [µs];params;output_KiB;stored MB;wgrad ns\n"
        "\"conv \"\"1\"\"\";1.5;3000;1000;2;0.5;1e6\n\n# a remark\nfc;0.5;1000;10;0;0;0\n");
    ASSERT_EQ(profile.layerCount(), 2);
    const Layer& layer = profile.layers[0];
    EXPECT_EQ(layer.name, "conv \"1\"");
    EXPECT_DOUBLE_EQ(layer.forwardS, 1.5e-3);
    EXPECT_DOUBLE_EQ(layer.backwardS, 3e-3);
    EXPECT_DOUBLE_EQ(layer.parameterBytes, 4000) << "a bare 'params' counts values of 4 bytes";
    EXPECT_DOUBLE_EQ(layer.outputBytes, 2048);
    EXPECT_DOUBLE_EQ(layer.outputGradientBytes, 2048);
    EXPECT_DOUBLE_EQ(layer.storedActivationBytes, 5e5);
    EXPECT_DOUBLE_EQ(layer.weightGradientS, 1e-3);
    EXPECT_EQ(profile.name, "F");
}

TEST(ProfileCsv, WhatIsMissingHasDefaults) {
    const LayerProfile profile = read("forwardTimeMs,activations_bytes\n2,100\n4,50\n");
    EXPECT_EQ(profile.layers[1].name, "layer 1");
    EXPECT_DOUBLE_EQ(profile.layers[1].forwardS, 4e-3);
    EXPECT_DOUBLE_EQ(profile.layers[1].backwardS, 8e-3) << "twice the forward";
    EXPECT_DOUBLE_EQ(profile.layers[1].weightGradientS, 4e-3);
    EXPECT_EQ(profile.layers[0].storedActivationBytes, 0);
    EXPECT_EQ(profile.layers[1].storedActivationBytes, 100) << "what it reads";
}

TEST(ProfileCsv, APersonsMappingGoesBeforeTheGuess) {
    CsvMapping mapping;
    mapping.of(CsvField::forward) = {1, 1e-6};
    mapping.of(CsvField::parameters) = {0, 1048576};
    const LayerProfile profile = readProfileCsv("forward,b\n3,500\n", "F", mapping).profile;
    EXPECT_DOUBLE_EQ(profile.layers[0].forwardS, 5e-4);
    EXPECT_DOUBLE_EQ(profile.layers[0].parameterBytes, 3 * 1048576);
    mapping.of(CsvField::output) = {2, 1};
    EXPECT_THROW(readProfileCsv("a,b\n1,2\n", "F", mapping), InputError) << "there is no third column";
}

TEST(ProfileCsv, FaultsAreNamedWithTheirLine) {
    for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
             {"", "F.csv: line 1: no column holds forward times"},
             {"a,b\n1,2\n", "F.csv: line 1: no column holds forward times"},
             {"name,fwd\n", "F.csv: line 1: there is no layer"},
             {"name,fwd\na,1\nb\n", "F.csv: line 3: the row has 1 cells; expected 2, as the header has"},
             {"name,fwd\na,x\n", "F.csv: line 2: fwd is 'x'; expected a number from 0 to 1e24"},
             {"name,fwd\na,-1\n", "F.csv: line 2: fwd is '-1'"},
             {"name,fwd\na,nan\n", "F.csv: line 2: fwd is 'nan'"},
             {"name,fwd\na,1e308\n", "F.csv: line 2: fwd is '1e308'"},
             {"name,fwd\n\"a,1\n", "F.csv: line 2: a quote is open"},
             {"name,fwd,bwd,weight gradient\na,1,1,2\n",
              "F.csv: line 2: the weight gradient takes longer"}}) {
        const std::string found = complaint([&, &file = text] { read(file); });
        EXPECT_EQ(found.substr(0, message.size()), message) << found;
    }
}

TEST(ProfileCsv, OnlyTablesWithForwardTimesLookLikeProfiles) {
    EXPECT_TRUE(looksLikeProfileCsv("# x\nname\tfp\n"));
    EXPECT_FALSE(looksLikeProfileCsv("GB/s,g0,g1\ng0,0,5\n")) << "a matrix of bandwidths";
    EXPECT_FALSE(looksLikeProfileCsv("forward"));
    EXPECT_FALSE(looksLikeProfileCsv(""));
}

}  // namespace
}  // namespace stagecraft
