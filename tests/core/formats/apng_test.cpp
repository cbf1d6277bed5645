// Animated PNGs, taken apart chunk by chunk.
#include "core/formats/traces/apng_writer.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <stdexcept>

namespace stagecraft {
namespace {

std::string number(std::uint32_t value, int bytes = 4) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        text += static_cast<char>(value >> shift & 0xFF);
    return text;
}

std::uint32_t numberAt(const std::string& data, std::size_t at, int bytes = 4) {
    std::uint32_t value = 0;
    for (int i = 0; i < bytes; ++i)
        value = value << 8 | static_cast<unsigned char>(data.at(at + static_cast<std::size_t>(i)));
    return value;
}

std::string chunk(const std::string& name, const std::string& data) {
    const std::string checked = name + data;
    return number(static_cast<std::uint32_t>(data.size())) + checked +
           number(static_cast<std::uint32_t>(
               crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()))));
}

const std::string signature("\x89PNG\r\n\x1a\n", 8);

/// A PNG whose pixels are any bytes: nobody decodes them here.
std::string picture(std::uint32_t width, std::uint32_t height, const std::string& first,
                    const std::string& second = {}, char colourType = 2) {
    std::string png = signature + chunk("IHDR", number(width) + number(height) + '\x08' + colourType +
                                                    std::string(3, '\0'));
    png += chunk("pHYs", std::string(9, '\1')) + chunk("IDAT", first);
    if (!second.empty()) png += chunk("IDAT", second);
    return png + chunk("IEND", {});
}

struct Chunk {
    std::string name, data;
};

std::vector<Chunk> chunksOf(const std::string& png) {
    EXPECT_EQ(png.substr(0, 8), signature);
    std::vector<Chunk> chunks;
    for (std::size_t at = 8; at < png.size();) {
        const std::uint32_t length = numberAt(png, at);
        chunks.push_back({png.substr(at + 4, 4), png.substr(at + 8, length)});
        EXPECT_EQ(png.substr(at, 12 + length), chunk(chunks.back().name, chunks.back().data))
            << "the checksum";
        at += 12 + length;
    }
    return chunks;
}

TEST(Apng, HoldsThePicturesInOrderWithTheirPlacesAndDelays) {
    ApngWriter writer;
    writer.add(picture(40, 30, "whole", " of it"), 0, 0, 1, 20);
    writer.add(picture(10, 5, "part"), 30, 25, 3, 20);
    EXPECT_EQ(writer.frameCount(), 2u);
    const std::vector<Chunk> chunks = chunksOf(writer.finish());
    std::vector<std::string> names;
    for (const Chunk& it : chunks) names.push_back(it.name);
    EXPECT_EQ(names, (std::vector<std::string>{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"}));
    EXPECT_EQ(numberAt(chunks[0].data, 0), 40u);
    EXPECT_EQ(numberAt(chunks[0].data, 4), 30u);
    EXPECT_EQ(chunks[1].data, number(2) + number(0)) << "two frames, played without end";
    const std::string keepAndReplace(2, '\0');
    EXPECT_EQ(chunks[2].data, number(0) + number(40) + number(30) + number(0) + number(0) + number(1, 2) +
                                  number(20, 2) + keepAndReplace);
    EXPECT_EQ(chunks[3].data, "whole of it");
    EXPECT_EQ(chunks[4].data, number(1) + number(10) + number(5) + number(30) + number(25) + number(3, 2) +
                                  number(20, 2) + keepAndReplace);
    EXPECT_EQ(chunks[5].data, number(2) + "part");
}

TEST(Apng, WhatIsTransparentMayLeaveWhatWasThere) {
    ApngWriter writer;
    writer.add(picture(40, 30, "whole"), 0, 0, 1, 20);
    writer.add(picture(10, 5, "part"), 30, 25, 3, 20, true);
    const std::vector<Chunk> chunks = chunksOf(writer.finish());
    EXPECT_EQ(chunks[2].data.substr(24), std::string(2, '\0'));
    EXPECT_EQ(chunks[4].data.substr(24), std::string("\0\1", 2)) << "left as it is, and drawn over";
}

TEST(Apng, OnePaletteIsForAllPictures) {
    const auto coloured = [](const std::string& colours) {
        std::string png = picture(8, 8, "x", {}, 3);
        const std::string more = chunk("PLTE", colours) + chunk("tRNS", std::string(1, '\0'));
        return png.insert(png.find("pHYs") - 4, more);
    };
    ApngWriter writer;
    writer.add(coloured("rgbRGB"), 0, 0, 1, 10);
    writer.add(coloured("rgbRGB"), 0, 0, 1, 10);
    EXPECT_THROW(writer.add(coloured("rgbBGR"), 0, 0, 1, 10), std::invalid_argument);
    std::vector<std::string> names;
    for (const Chunk& it : chunksOf(writer.finish())) names.push_back(it.name);
    EXPECT_EQ(names, (std::vector<std::string>{"IHDR", "acTL", "PLTE", "tRNS", "fcTL", "IDAT", "fcTL", "fdAT",
                                               "IEND"}));
}

TEST(Apng, NumbersOfControlAndDataRiseWithoutAGap) {
    ApngWriter writer;
    for (int i = 0; i < 5; ++i) writer.add(picture(8, 8, "x"), 0, 0, 1, 10);
    std::uint32_t next = 0;
    for (const Chunk& it : chunksOf(writer.finish(3)))
        if (it.name == "fcTL" || it.name == "fdAT") {
            EXPECT_EQ(numberAt(it.data, 0), next++);
        } else if (it.name == "acTL") {
            EXPECT_EQ(it.data, number(5) + number(3));
        }
    EXPECT_EQ(next, 9u);
}

TEST(Apng, RefusesWhatDoesNotFit) {
    ApngWriter writer;
    EXPECT_THROW(writer.add("GIF89a", 0, 0, 1, 10), std::invalid_argument);
    EXPECT_THROW(writer.add(picture(8, 8, "x"), 1, 0, 1, 10), std::invalid_argument)
        << "the first is not whole";
    const std::string good = picture(8, 8, "x");
    EXPECT_THROW(writer.add(good.substr(0, good.size() - 20), 0, 0, 1, 10), std::invalid_argument);
    writer.add(good, 0, 0, 1, 10);
    EXPECT_THROW(writer.add(picture(8, 8, "x", {}, 6), 0, 0, 1, 10), std::invalid_argument)
        << "another colour type";
    EXPECT_THROW(writer.add(picture(8, 8, "x"), 1, 0, 1, 10), std::invalid_argument) << "beyond the edge";
    EXPECT_EQ(writer.frameCount(), 1u);
}

}  // namespace
}  // namespace stagecraft
