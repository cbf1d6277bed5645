// Tables of layers whose headings or cells carry units, gradients in columns of their own, and sums.
#include "core/formats/profiles/csv_profile.h"
#include "tests/core/formats/public_case.h"

#include <gtest/gtest.h>

namespace stagecraft {
namespace {

std::vector<Layer> layersOf(const std::string& table) { return importProfile(table, "F").profile.layers; }

double parametersUnder(const std::string& heading) {
    return layersOf("name,fwd (ms)," + heading + "\na,1,2\n")[0].parameterBytes;
}

std::string tableComplaint(const std::string& table) {
    try {
        importProfile(table, "F");
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(TableUnits, CountsOfParametersMayBeInMillions) {
    const std::vector<Layer> layers = layersOf(publicCase("15-params-in-millions.csv"));
    ASSERT_EQ(layers.size(), 3u);
    EXPECT_DOUBLE_EQ(layers[0].parameterBytes, 102.4e6);
    EXPECT_DOUBLE_EQ(layers[1].parameterBytes, 50.4e6);
    EXPECT_DOUBLE_EQ(layers[2].parameterBytes, 102.4e6);
    for (const char* heading : {"Params(M)", "Params (M)", "params_millions", "param_count_M", "(Mparams)"})
        EXPECT_DOUBLE_EQ(parametersUnder(heading), 8e6) << heading;
    EXPECT_DOUBLE_EQ(parametersUnder("params [k]"), 8e3);
    EXPECT_DOUBLE_EQ(parametersUnder("params (billions)"), 8e9);
    EXPECT_DOUBLE_EQ(parametersUnder("params (MB)"), 2e6);
    EXPECT_DOUBLE_EQ(parametersUnder("params"), 8);
    EXPECT_TRUE(
        std::any_of(csvUnits(CsvField::parameters).begin(), csvUnits(CsvField::parameters).end(),
                    [](const CsvUnit& unit) { return std::string(unit.name) == "millions of values"; }));
}

TEST(TableUnits, TwoGradientsMakeABackward) {
    const std::vector<Layer> layers = layersOf(publicCase("16-backward-in-two-columns.csv"));
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_DOUBLE_EQ(layers[0].backwardS, 2.3e-3);
    EXPECT_DOUBLE_EQ(layers[0].weightGradientS, 0.9e-3);
    EXPECT_DOUBLE_EQ(layers[1].backwardS, 4.1e-3);
    EXPECT_DOUBLE_EQ(layers[1].weightGradientS, 1.9e-3);
    EXPECT_EQ(layers[0].parameterBytes, 0);
    for (const char* headings :
         {"bwd_input (ms),bwd_weight (ms)", "dgrad (ms),wgrad (ms)",
          "input gradient (ms),weight gradient (ms)", "wrt inputs (ms),wrt weights (ms)",
          "backward inputs (ms),backward weights (ms)"}) {
        const std::vector<Layer> both =
            layersOf(std::string("name,fwd (ms),") + headings + "\na,1,1.5,0.5\n");
        EXPECT_DOUBLE_EQ(both[0].backwardS, 2e-3) << headings;
        EXPECT_DOUBLE_EQ(both[0].weightGradientS, 0.5e-3) << headings;
        EXPECT_EQ(both[0].parameterBytes, 0) << headings;
    }
    const std::vector<Layer> rest = layersOf("name,fwd (ms),bwd (ms),dgrad (ms)\na,1,3,2\n");
    EXPECT_DOUBLE_EQ(rest[0].backwardS, 3e-3);
    EXPECT_DOUBLE_EQ(rest[0].weightGradientS, 1e-3);
    const std::vector<Layer> alone = layersOf("name,fwd (ms),dgrad (ms)\na,1,2\n");
    EXPECT_DOUBLE_EQ(alone[0].backwardS, 4e-3);
}

TEST(TableUnits, ACellMayCarryItsUnit) {
    const std::vector<Layer> layers =
        layersOf("name,forward,backward,params\na,4.73 ms,9.5ms,2 MB\nb,800 us,0.0016 s,512 KiB\n");
    EXPECT_DOUBLE_EQ(layers[0].forwardS, 4.73e-3);
    EXPECT_DOUBLE_EQ(layers[0].backwardS, 9.5e-3);
    EXPECT_DOUBLE_EQ(layers[0].parameterBytes, 2e6);
    EXPECT_DOUBLE_EQ(layers[1].forwardS, 0.8e-3);
    EXPECT_DOUBLE_EQ(layers[1].parameterBytes, 524288);
    EXPECT_DOUBLE_EQ(layersOf("name;forward;backward\na;4,73 ms;9,5 ms\n")[0].forwardS, 4.73e-3);
    EXPECT_DOUBLE_EQ(layersOf("name,fwd (ms)\na,4.73 \xc2\xb5s\n")[0].forwardS, 4.73e-6)
        << "before the heading's";
    EXPECT_NE(tableComplaint("name,forward\na,4.73 parsecs\n").find("line 2: forward is '4.73 parsecs'"),
              std::string::npos);
    EXPECT_NE(tableComplaint("name,forward\na,4.73 MB\n").find("expected a number"), std::string::npos);
}

TEST(TableUnits, ALastRowOfSumsIsNoLayer) {
    const ImportedProfile summed = importProfile("name,fwd (ms)\na,1\nb,2\nTotal,3\n", "F");
    EXPECT_EQ(summed.profile.layerCount(), 2);
    EXPECT_TRUE(std::any_of(summed.notes.begin(), summed.notes.end(), [](const ImportNote& note) {
        return note.text.find("the last row, 'Total'") != std::string::npos;
    }));
    EXPECT_EQ(layersOf("name,fwd (ms)\ntotal,1\nb,2\n").size(), 2u) << "not the last";
    EXPECT_EQ(layersOf("name,fwd (ms)\nsum\xc3\xa9,1\nsummit,2\n").size(), 2u);
}

}  // namespace
}  // namespace stagecraft
