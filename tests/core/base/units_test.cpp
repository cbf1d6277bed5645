#include "core/base/units.h"
#include "core/base/number_style.h"
#include "core/base/quantity.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <string>
#include <thread>

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

/// The style is the program's: put back at the end.
struct WithNumbers {
    explicit WithNumbers(const NumberStyle& style) { setNumberStyle(style); }
    ~WithNumbers() { setNumberStyle({}); }
};

TEST(NumberStyles, DecimalBytesAreWholeBelowAThousandAndHaveUnitsOfTens) {
    const WithNumbers style({.decimalBytes = true});
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(999), "999 B");
    EXPECT_EQ(formatBytes(1000), "1.00 kB");
    EXPECT_EQ(formatBytes(1024), "1.02 kB");
    EXPECT_EQ(formatBytes(17179869184), "17.2 GB");
    EXPECT_EQ(formatBytes(2.5e12), "2.50 TB");
    EXPECT_EQ(formatBytesBeside(5e6, 2e9), "0.0050 GB");
    EXPECT_EQ(formatBandwidth(12.5e9), "12.5 GB/s");
}

TEST(NumberStyles, FiguresAreAsManyAsAsked) {
    {
        const WithNumbers style({.figures = 5});
        EXPECT_EQ(formatSeconds(0.531), "531.00 ms");
        EXPECT_EQ(formatSeconds(1.23456), "1.2346 s");
        EXPECT_EQ(formatSeconds(99.9996e-3), "100.00 ms");
        EXPECT_EQ(formatBytes(9.4 * gib), "9.4000 GiB");
        EXPECT_EQ(formatPercent(0.271), "27.100 %");
    }
    // Plain numbers are in texts that files keep.
    EXPECT_EQ(formatNumber(3.14159265), "3.14");
    const WithNumbers fewer({.figures = 1});
    EXPECT_EQ(formatSeconds(0.0531), "53.1 ms") << "no fewer than three";
}

TEST(NumberStyles, ATextOfFiguresIsWithinHalfAUnitOfItsLastDigit) {
    EXPECT_TRUE(rc::check([] {
        const int figures = *rc::gen::inRange(leastFigures, mostFigures + 1);
        const WithNumbers style({.figures = figures});
        const double seconds = *rc::gen::inRange(1, 1'000'000'000) * 1e-6;
        const double again = parseQuantity(Quantity::seconds, formatSeconds(seconds));
        // Minutes and hours have all digits before the point.
        const double step = seconds >= 600 ? 3600 : std::pow(10.0, 1 - figures) * seconds * 1.001;
        RC_ASSERT(std::abs(again - seconds) <= step / 2 * 1.01);
    }));
}

TEST(NumberStyles, StandardNumbersHoldInTheirScopeAndThreadAlone) {
    const WithNumbers style({.decimalBytes = true, .figures = 4});
    {
        const StandardNumbers standard;
        EXPECT_EQ(formatBytes(17179869184), "16.0 GiB");
        std::string other;
        std::thread([&other] { other = formatBytes(17179869184); }).join();
        EXPECT_EQ(other, "17.18 GB");
    }
    EXPECT_EQ(formatBytes(17179869184), "17.18 GB");
}

}  // namespace
}  // namespace stagecraft
