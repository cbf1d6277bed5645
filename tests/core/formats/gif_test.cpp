// Animated GIFs, byte by byte as far as nothing is compressed.
#include "core/formats/traces/gif_writer.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace stagecraft {
namespace {

const std::vector<GifWriter::Colour> blackAndRed{{0, 0, 0}, {255, 0, 0}};

TEST(Gif, SaysItsSizeItsColoursAndThatItBeginsAgain) {
    GifWriter writer(300, 20, blackAndRed);
    writer.add({0, 0, 300, 20}, std::vector<std::uint8_t>(6000, 1), 5);
    writer.add({2, 3, 1, 1}, {0}, 7);
    const std::string file = writer.finish();
    EXPECT_EQ(file.substr(0, 6), "GIF89a");
    EXPECT_EQ(file.substr(6, 4), std::string("\x2c\x01\x14\x00", 4)) << "low byte first";
    EXPECT_EQ(file.substr(13, 6), std::string("\0\0\0\xff\0\0", 6)) << "the table of colours";
    const std::size_t loop = file.find("NETSCAPE2.0");
    ASSERT_NE(loop, std::string::npos);
    EXPECT_EQ(file.substr(loop + 11, 5), std::string("\3\1\0\0\0", 5)) << "without end";
    // Of each picture: left as it is, with a colour for what was there before; its hundredths; that colour.
    const std::string first("\x21\xf9\x04\x05\x05\x00\xff\x00", 8),
        second("\x21\xf9\x04\x05\x07\x00\xff\x00", 8);
    ASSERT_NE(file.find(first), std::string::npos);
    const std::size_t part = file.find(second);
    ASSERT_NE(part, std::string::npos);
    EXPECT_EQ(file.substr(part + 8, 9), std::string("\x2c\2\0\3\0\1\0\1\0", 9)) << "its place";
    EXPECT_EQ(file.back(), '\x3b');
}

TEST(Gif, RefusesWhatDoesNotFit) {
    EXPECT_THROW(GifWriter(0, 20, blackAndRed), std::invalid_argument);
    EXPECT_THROW(GifWriter(20, 70'000, blackAndRed), std::invalid_argument);
    EXPECT_THROW(GifWriter(20, 20, {}), std::invalid_argument);
    EXPECT_THROW(GifWriter(20, 20, std::vector<GifWriter::Colour>(256)), std::invalid_argument);
    GifWriter writer(20, 20, blackAndRed);
    EXPECT_THROW(writer.add({19, 0, 2, 1}, {0, 0}, 1), std::invalid_argument) << "beyond the edge";
    EXPECT_THROW(writer.add({0, 0, 2, 2}, {0, 0, 0}, 1), std::invalid_argument) << "a pixel too few";
    EXPECT_THROW(writer.add({0, 0, 1, 1}, {0}, 65'536), std::invalid_argument);
}

}  // namespace
}  // namespace stagecraft
