#include "core/formats/measurements/measured_formats.h"

#include "core/base/text_parts.h"
#include "core/formats/input_error.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

enum class OsuTest { none, bandwidth, bothDirections, latency };

/// "# OSU MPI-CUDA Bandwidth Test v7.5": the word after OSU is what messages go by.
OsuTest testOf(std::string_view line) {
    const auto words = wordsOf(line);
    if (words.size() < 5 || words[0] != "#" || words[1] != "OSU") return OsuTest::none;
    if (words[3] == "Bandwidth" && words[4] == "Test") return OsuTest::bandwidth;
    if (words[3] == "Latency" && words[4] == "Test") return OsuTest::latency;
    if (words[3] == "Bi-Directional" && words[4] == "Bandwidth") return OsuTest::bothDirections;
    return OsuTest::none;
}

const char* nameOf(OsuTest test) {
    switch (test) {
        case OsuTest::bandwidth:
            return "osu_bw";
        case OsuTest::bothDirections:
            return "osu_bibw";
        case OsuTest::latency:
            return "osu_latency";
        case OsuTest::none:
            break;
    }
    return "";
}

class OsuReader {
public:
    explicit OsuReader(const std::string& file) : file_(file) {}

    Measurements read(std::string_view text) {
        for (const std::string_view line : linesOf(text)) {
            ++line_;
            if (const OsuTest test = testOf(line); test != OsuTest::none)
                begin(test);
            else if (!trimmed(line).starts_with('#'))
                takeRow(wordsOf(line));
        }
        return found();
    }

private:
    void begin(OsuTest test) {
        const bool isAgain = std::find(seen_.begin(), seen_.end(), test) != seen_.end();
        if (isAgain)
            throw InputError(file_, "line " + std::to_string(line_),
                             std::string("a second table of ") + nameOf(test), "one of each test in a text");
        seen_.push_back(test);
        test_ = test;
    }

    /// "4194304   24005.74", perhaps with "Pass" after it; whatever else a terminal shows in between is
    /// skipped.
    void takeRow(const std::vector<std::string_view>& words) {
        if (test_ == OsuTest::none || words.size() < 2) return;
        const auto bytes = wholeNumber(words[0]), value = wholeNumber(words[1]);
        if (!bytes || !value || *bytes < 0) return;
        constexpr double most = 1e9;
        if (*value < 0 || *value > most)
            throw InputError(file_, "line " + std::to_string(line_), "found " + inQuotes(words[1]),
                             test_ == OsuTest::latency ? "microseconds" : "MB/s");
        double& kept = test_ == OsuTest::latency     ? latency_
                       : test_ == OsuTest::bandwidth ? oneWay_
                                                     : bothWays_;
        // Latency is that of the first row, which has the smallest message.
        if (test_ != OsuTest::latency || kept == 0) kept = std::max(kept, *value);
    }

    Measurements found() const {
        constexpr double megabyte = 1e6, microsecond = 1e-6;
        const double rate = oneWay_ > 0 ? oneWay_ : bothWays_ / 2;
        if (rate <= 0 && latency_ <= 0)
            throw InputError(file_, "", "the tables of OSU's benchmarks have no rows",
                             "sizes with MB/s or microseconds");
        Measurements measured;
        for (const OsuTest test : seen_)
            measured.tool += (measured.tool.empty() ? "" : ", ") + std::string(nameOf(test));
        measured.pairs.push_back({{}, {}, rate * megabyte, latency_ * microsecond});
        if (oneWay_ > 0 && bothWays_ > 0)
            measured.ignored.emplace_back("osu_bibw: the rate of one direction comes before that of both");
        return measured;
    }

    const std::string& file_;
    int line_ = 0;
    OsuTest test_ = OsuTest::none;
    std::vector<OsuTest> seen_;
    double oneWay_ = 0, bothWays_ = 0;  ///< MB/s
    double latency_ = 0;                ///< µs
};

}  // namespace

bool looksLikeOsuTables(std::string_view text) {
    const auto lines = linesOf(text.substr(0, std::size_t{1} << 16));
    return std::any_of(lines.begin(), lines.end(),
                       [](std::string_view line) { return testOf(line) != OsuTest::none; });
}

Measurements readOsuTables(std::string_view text, const std::string& file) {
    return OsuReader(file).read(text);
}

}  // namespace stagecraft::formats
