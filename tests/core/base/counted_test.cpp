#include "core/base/counted.h"

#include "core/base/units.h"
#include "core/editing/choice_label.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace stagecraft;

TEST(Counted, OneIsSingularAndAllElseIsPlural) {
    EXPECT_EQ(counted(0, "layer"), "0 layers");
    EXPECT_EQ(counted(1, "layer"), "1 layer");
    EXPECT_EQ(counted(2, "layer"), "2 layers");
    EXPECT_EQ(counted(1, "microbatch", "microbatches"), "1 microbatch");
    EXPECT_EQ(counted(3, "microbatch", "microbatches"), "3 microbatches");
}

TEST(Counted, ThousandsAreGrouped) {
    EXPECT_EQ(counted(999, "GPU"), "999 GPUs");
    EXPECT_EQ(counted(1024, "GPU"), "1,024 GPUs");
    EXPECT_EQ(grouped(2131955200), "2,131,955,200");
    EXPECT_EQ(grouped(-100), "-100");
    EXPECT_EQ(grouped(-1000), "-1,000");
    EXPECT_TRUE(rc::check("without its commas it is the number", [](long long number) {
        std::string digits = grouped(number);
        std::erase(digits, ',');
        RC_ASSERT(digits == std::to_string(number));
    }));
}

TEST(ChoiceLabel, IdsAreSpelledOut) {
    EXPECT_EQ(choiceLabel("rdo"), "Recursive minimum cut (RDO)");
    EXPECT_EQ(choiceLabel("mlp"), "Perceptron (MLP)");
    EXPECT_EQ(choiceLabel("intel-sapphire-rapids"), "Intel Sapphire Rapids");
    EXPECT_EQ(choiceLabel("nvswitch-h100"), "NVSwitch, H100");
    EXPECT_EQ(choiceLabel("as-numbered"), "As numbered");
    EXPECT_EQ(choiceLabel(""), "");
}

TEST(ColumnUnits, AColumnHasTheUnitOfItsLargest) {
    EXPECT_EQ(formatSecondsBeside(12e-3, 12e-3), "12.0 ms");
    EXPECT_EQ(formatSecondsBeside(980e-6, 12e-3), "0.98 ms");
    EXPECT_EQ(formatSecondsBeside(0.123456, 1.5), "0.12 s");
    EXPECT_EQ(formatSecondsBeside(0, 12e-3), "0 ms");
    EXPECT_EQ(formatBytesBeside(512 * 1024.0, 3.0 * 1024 * 1024), "0.50 MiB");
    EXPECT_EQ(formatBytesBeside(0, 3.0 * 1024 * 1024), "0 MiB");
    // Too small to be read in that unit.
    EXPECT_EQ(formatSecondsBeside(5e-9, 1), "5.00 ns");
}

TEST(Units, WhatRoundingLeavesIsNothing) {
    EXPECT_EQ(formatSeconds(3e-18), "0 s");
    EXPECT_EQ(formatSeconds(-3e-18), "0 s");
    EXPECT_EQ(formatSeconds(5e-11), "0.05 ns");
}
