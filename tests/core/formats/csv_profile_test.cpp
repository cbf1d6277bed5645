#include "core/formats/profiles/csv_profile.h"
#include "tests/support/every_room.h"
#include "examples.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

using examples::complaint;

LayerProfile readCsv(const std::string& text) { return readProfileCsv(text, "F.csv").profile; }

TEST(ProfileCsv, ColumnsAndUnitsAreGuessedFromTheHeaders) {
    const LayerProfile profile = readCsv(
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
    const LayerProfile profile = readCsv("forwardTimeMs,activations_bytes\n2,100\n4,50\n");
    EXPECT_EQ(profile.layers[1].name, "layer 1");
    EXPECT_DOUBLE_EQ(profile.layers[1].forwardS, 4e-3);
    EXPECT_DOUBLE_EQ(profile.layers[1].backwardS, 8e-3) << "twice the forward";
    EXPECT_DOUBLE_EQ(profile.layers[1].weightGradientS, 4e-3);
    EXPECT_EQ(profile.layers[0].storedActivationBytes, 0);
    EXPECT_EQ(profile.layers[1].storedActivationBytes, 100) << "what it reads";
}

TEST(ProfileCsv, SeparatorsAndDecimalMarksMakeNoDifference) {
    const LayerProfile plain =
        readCsv("name,forward ms,backward ms,params MB\nconv,1.5,3.25,1234.5\nfc,0.5,1,2\n");
    ASSERT_EQ(plain.layerCount(), 2);
    EXPECT_DOUBLE_EQ(plain.layers[0].forwardS, 1.5e-3);
    for (const char* text :
         {"name;forward ms;backward ms;params MB\nconv;1,5;3,25;1234,5\nfc;0,5;1;2\n",
          "name;forward, ms;backward, ms;params, MB\nconv;1,5;3,25;1234,5\nfc;0,5;1,0;2,0\n",
          "name;forward ms;backward ms;params MB\nconv;1,5;3,25;1.234,5\nfc;0,5;1;2\n",
          "name\tforward ms\tbackward ms\tparams MB\nconv\t1,5\t3,25\t1234,5\nfc\t0,5\t1\t2\n",
          "name|forward ms|backward ms|params MB\nconv|1.5|3.25|1,234.5\nfc|0.5|1|2\n",
          "name,forward ms,backward ms,params MB\nconv,\"1,5\",\"3,25\",\"1234,5\"\nfc,\"0,5\",1,2\n",
          "name  forward_ms backward_ms   params_MB\nconv  1.5 3.25   1234.5\nfc 0.5   1 2\n"})
        EXPECT_EQ(readCsv(text).layers, plain.layers) << text;
    EXPECT_DOUBLE_EQ(readCsv("name;fwd\na;1,250\n").layers[0].forwardS, 1.25)
        << "semicolons are there because the comma is taken";
    EXPECT_DOUBLE_EQ(readCsv("name|fwd\na|1,250\nb|0.5\n").layers[0].forwardS, 1250);
}

TEST(ProfileCsv, ATableOfAnyHeaderIsATable) {
    for (const char* text :
         {"couche;avant;arrière\nconv;1,5;3\n", "a,b\n1,2\n", "conv,1.5,3\nfc,0.5,1\n", "x y\n1 2\n"}) {
        EXPECT_TRUE(looksLikeTable(text)) << text;
        EXPECT_FALSE(looksLikeProfileCsv(text)) << text;
    }
    const CsvTable bare = readCsvTable("conv,1.5,3\nfc,0.5,1\n", "F");
    EXPECT_EQ(bare.header, (std::vector<std::string>{"column 1", "column 2", "column 3"}));
    EXPECT_EQ(bare.rows.size(), 2u) << "the first row is data: nothing else would be numbers alone";
    EXPECT_EQ(bare.lines[0], 1u);
    for (const char* text : {"", "one line, of text\n", "{\"a\": 1,\n\"b\": 2}\n",
                             "Dear all,\nthis is a letter.\n", "a,b\nc,d\n"})
        EXPECT_FALSE(looksLikeTable(text)) << text;
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
             {"name,fwd\n", "F.csv: line 1: no layer"},
             {"name,fwd\na,1\nb\n", "F.csv: line 3: the row has 1 cell; expected 2, as the header has"},
             {"name,fwd\na,x\n", "F.csv: line 2: fwd is 'x'; expected a number from 0 to 1e24"},
             {"name,fwd\na,-1\n", "F.csv: line 2: fwd is '-1'"},
             {"name,fwd\na,nan\n", "F.csv: line 2: fwd is 'nan'"},
             {"name,fwd\na,1e308\n", "F.csv: line 2: fwd is '1e308'"},
             {"name,fwd\n\"a,1\n", "F.csv: line 2: a quote is open"},
             {"name,fwd,bwd,weight gradient\na,1,1,2\n",
              "F.csv: line 2: the weight gradient takes longer"}}) {
        const std::string found = complaint([&, &file = text] { readCsv(file); });
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
