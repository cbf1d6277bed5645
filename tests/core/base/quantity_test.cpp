#include "core/base/quantity.h"
#include "core/base/units.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <stdexcept>

namespace stagecraft {
namespace {

std::string refusal(Quantity quantity, const std::string& text) {
    try {
        parseQuantity(quantity, text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Quantity, BandwidthsAreReadAsPeopleWriteThem) {
    for (const char* text : {"100 Gbit/s", "100Gbps", "100 Gb/s", "100 gbps", "100 Gbits/s", "0.1 Tbit/s",
                             "12.5 GB/s", "12.5GBps", "12500 MB/s", "1.25e10 B/s", "100\u00A0Gbit/s",
                             " 100 Gbit / s ", "1e2Gbit/sec", "12.5 Gbytes/s"})
        EXPECT_EQ(parseQuantity(Quantity::bandwidth, text), 12.5e9) << text;
    EXPECT_EQ(parseQuantity(Quantity::bandwidth, "2 GiB/s"), 2 * gib);
    EXPECT_EQ(parseQuantity(Quantity::bandwidth, "0"), 0);
}

TEST(Quantity, TimesAreReadWithEveryMicro) {
    for (const char* text : {"1.5 us", "1.5 µs", "1.5 \u03BCs", "1500ns", "0.0015 ms", "1.5e-6 s"})
        EXPECT_EQ(parseQuantity(Quantity::seconds, text), 1.5e-6) << text;
    EXPECT_EQ(parseQuantity(Quantity::seconds, "2 min"), 120);
    EXPECT_EQ(parseQuantity(Quantity::seconds, "1 h"), 3600);
}

TEST(Quantity, BinaryAndDecimalBytesAreToldApart) {
    EXPECT_EQ(parseQuantity(Quantity::bytes, "16 GiB"), 16 * gib);
    EXPECT_EQ(parseQuantity(Quantity::bytes, "16 GB"), 16e9);
    EXPECT_EQ(parseQuantity(Quantity::bytes, "16gb"), 16e9);
    EXPECT_EQ(parseQuantity(Quantity::bytes, "512 B"), 512);
    EXPECT_EQ(parseQuantity(Quantity::plain, "0.75"), 0.75);
}

TEST(Quantity, WhatCannotBeReadSaysWhatWasExpected) {
    EXPECT_EQ(refusal(Quantity::bandwidth, "100"),
              "'100' has no unit; expected a bandwidth with its unit, as in 100 Gbit/s or 12 GB/s");
    EXPECT_EQ(refusal(Quantity::bytes, "16 Gbit"),
              "'16 Gbit' has an unknown unit 'Gbit'; expected a size with its unit, as in 16 GiB or 512 MB");
    EXPECT_EQ(
        refusal(Quantity::seconds, "1,5 us"),
        "'1,5 us' has a comma where a point belongs; expected a time with its unit, as in 5 us or 1.5 ms");
    EXPECT_EQ(refusal(Quantity::bandwidth, "-3 GB/s").find("'-3 GB/s' is negative"), 0u);
    EXPECT_EQ(refusal(Quantity::bandwidth, "fast").find("'fast' is not a number"), 0u);
    EXPECT_EQ(refusal(Quantity::bandwidth, "  ").find("'  ' is nothing"), 0u);
    EXPECT_EQ(refusal(Quantity::bandwidth, "inf GB/s").find("'inf GB/s' is not a number"), 0u);
    EXPECT_EQ(refusal(Quantity::bandwidth, "1e308 GB/s").find("'1e308 GB/s' is too large"), 0u);
    EXPECT_EQ(refusal(Quantity::bandwidth, "1e99999999999 GB/s").find("'1e99999999999 GB/s' is too large"),
              0u);
    EXPECT_EQ(refusal(Quantity::bandwidth, "12 GB").find("'12 GB' has an unknown unit 'GB'"), 0u);
}

TEST(Quantity, ExactTextIsTheShortest) {
    EXPECT_EQ(exactText(Quantity::bandwidth, 12.5e9), "12.5 GB/s");
    EXPECT_EQ(exactText(Quantity::bandwidth, 500e6), "500 MB/s");
    EXPECT_EQ(exactText(Quantity::bytes, 16 * gib), "16 GiB");
    EXPECT_EQ(exactText(Quantity::bytes, 11e9), "11 GB");
    EXPECT_EQ(exactText(Quantity::seconds, 1.5e-6), "1.5 µs");
    EXPECT_EQ(exactText(Quantity::seconds, 0), "0 s");
    EXPECT_EQ(exactText(Quantity::plain, 1), "1");
}

TEST(Quantity, WhatIsWrittenIsReadBackExactly) {
    EXPECT_TRUE(rc::check([](std::uint32_t a, std::uint16_t b) {
        const int decade = *rc::gen::inRange(-12, 18);
        const double value = (static_cast<double>(a) + b / 65536.0) * std::pow(10.0, decade);
        for (const Quantity quantity :
             {Quantity::plain, Quantity::bandwidth, Quantity::seconds, Quantity::bytes})
            RC_ASSERT(parseQuantity(quantity, exactText(quantity, value)) == value);
    }));
    for (const double value : {1e-300, 1e300, 5e-324})
        EXPECT_EQ(parseQuantity(Quantity::bandwidth, exactText(Quantity::bandwidth, value)), value);
}

}  // namespace
}  // namespace stagecraft
