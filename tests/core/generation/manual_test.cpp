// The tables of the manual name all that is registered and nothing else: formats, models and templates.

#include "core/formats/profiles/profile_format.h"
#include "core/formats/recordings/recording_format.h"
#include "core/formats/topology/topology_format.h"
#include "core/generation/network.h"
#include "core/generation/template_catalogue.h"
#include "core/model/link_technologies.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

namespace stagecraft {
namespace {

using Names = std::multiset<std::string>;

/// The words between backticks.
void addQuoted(const std::string& cell, Names& names) {
    for (std::size_t at = 0; (at = cell.find('`', at)) != std::string::npos;) {
        const std::size_t end = cell.find('`', at + 1);
        if (end == std::string::npos) return;
        names.insert(cell.substr(at + 1, end - at - 1));
        at = end + 1;
    }
}

/// The names in the first column of a table that has this heading, of "Files and commands" unless another
/// page is named.
Names firstColumn(const std::string& heading, const char* page = "FORMATS.md") {
    const auto path = std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "resources" / "help" / page;
    std::istringstream lines(readTextFile(path));
    Names names;
    bool inTable = false;
    for (std::string line; std::getline(lines, line);) {
        if (inTable && line.starts_with("| ")) addQuoted(line.substr(0, line.find('|', 1)), names);
        inTable = line == heading || (inTable && line.starts_with("|"));
    }
    return names;
}

TEST(Manual, NamesTheFormatsOfProfiles) {
    Names known;
    for (const FileKind kind : foreignKinds)
        if (const ProfileFormat* format = profileFormatOf(kind))
            known.insert(format->ids.begin(), format->ids.end());
    EXPECT_EQ(firstColumn("| `--as` | what | times, bytes |"), known);
}

TEST(Manual, NamesTheFormatsOfTopologies) {
    Names known;
    for (const FileKind kind : foreignKinds)
        if (const TopologyFormat* format = topologyFormatOf(kind)) known.insert(format->id);
    EXPECT_EQ(firstColumn("| `--as` | what | one file is |"), known);
}

TEST(Manual, NamesTheFormatsOfRecordings) {
    Names known;
    for (const FileKind kind : recordingKinds) known.insert(recordingFormatOf(kind)->id);
    EXPECT_EQ(firstColumn("| format | what | passes are |", "RECORDINGS.md"), known);
}

TEST(Manual, NamesTheModels) {
    const std::vector<std::string> known = modelNames();
    EXPECT_EQ(firstColumn("| models | what they take |"), Names(known.begin(), known.end()));
}

TEST(Manual, HasBothRatesOfEachLinkTechnology) {
    Names known;
    const std::string page =
        readTextFile(std::filesystem::path(STAGECRAFT_SOURCE_DIR) / "resources" / "help" / "FORMATS.md");
    const auto number = [](double bps) { return bps > 0 ? formatNumber(bps / 1e9) : std::string("–"); };
    for (const LinkTechnology& each : linkTechnologies()) {
        known.insert(each.id);
        const std::size_t row = page.find("| `" + std::string(each.id) + "` |");
        ASSERT_NE(row, std::string::npos) << each.id;
        const std::string line = page.substr(row, page.find('\n', row) - row);
        const std::string ends =
            "| " + number(each.dataSheetBps) + " | " + number(each.reachedBps) + " | " + each.unit + " |";
        EXPECT_TRUE(line.ends_with(ends)) << line << " should end with " << ends;
    }
    EXPECT_EQ(firstColumn("| technology | what | data sheet | reached | of each |"), known);
}

TEST(Manual, NamesTheTemplates) {
    Names known;
    for (const ClusterTemplate& each : clusterTemplates()) known.insert(each.id);
    EXPECT_EQ(firstColumn("| template | what it makes |"), known);
}

}  // namespace
}  // namespace stagecraft
