#include "core/base/units.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <limits>

namespace stagecraft {
namespace {

TEST(Units, SecondsHaveThreeSignificantDigitsAndAFittingUnit) {
    EXPECT_EQ(formatSeconds(0), "0 s");
    EXPECT_EQ(formatSeconds(0.531), "531 ms");
    EXPECT_EQ(formatSeconds(1.8), "1.80 s");
    EXPECT_EQ(formatSeconds(12e-6), "12.0 µs");
    EXPECT_EQ(formatSeconds(-0.0042), "-4.20 ms");
    EXPECT_EQ(formatSeconds(3.5e-9), "3.50 ns");
    EXPECT_EQ(formatSeconds(1500), "25.0 min");
    EXPECT_EQ(formatSeconds(9000), "2.50 h");
}

TEST(Units, RoundingNeverShowsAThousandOfTheSmallerUnit) {
    EXPECT_EQ(formatSeconds(0.99996), "1.00 s");
    EXPECT_EQ(formatSeconds(0.000999999), "1.00 ms");
    EXPECT_EQ(formatBandwidth(999.9e6), "1.00 GB/s");
    EXPECT_EQ(formatSeconds(0.0099999), "10.0 ms");
}

TEST(Units, BytesAreBinaryAndWholeBelowOneKibibyte) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(512), "512 B");
    EXPECT_EQ(formatBytes(1024), "1.00 KiB");
    EXPECT_EQ(formatBytes(9.4 * 1024 * 1024 * 1024), "9.40 GiB");
}

TEST(Units, BandwidthPercentAndPlainNumbers) {
    EXPECT_EQ(formatBandwidth(12.5e9), "12.5 GB/s");
    EXPECT_EQ(formatPercent(0.271), "27.1 %");
    EXPECT_EQ(formatPercent(1), "100 %");
    EXPECT_EQ(formatPercent(0), "0 %");
    EXPECT_EQ(formatNumber(1), "1");
    EXPECT_EQ(formatNumber(0.5), "0.5");
    EXPECT_EQ(formatNumber(1234), "1234");
    EXPECT_EQ(formatNumber(3.14159), "3.14");
}

TEST(Units, WhatIsNotFiniteIsShownAsSuch) {
    EXPECT_EQ(formatSeconds(std::numeric_limits<double>::quiet_NaN()), "?");
    EXPECT_EQ(formatBytes(std::numeric_limits<double>::infinity()), "∞");
}

}  // namespace
}  // namespace stagecraft
