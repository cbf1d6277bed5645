#pragma once

#include "tests/support/every_room.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

/// Prints frames as a table, "median / 99th percentile" in milliseconds: a row for the runs that differ in
/// their last argument alone, a column for each of their labels. Runs without such counters are told as one
/// time.
class FrameTable : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override {
        std::printf("CPU of a frame, median / 99th percentile, ms\n");
        return true;
    }

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const std::string args = run.run_name.args;
            const std::string row = run.run_name.function_name + "  " + args.substr(0, args.rfind('/'));
            if (row != row_) endRow();
            row_ = row;
            const auto median = run.counters.find("median_ms"), high = run.counters.find("p99_ms");
            char text[64];
            if (median == run.counters.end() || high == run.counters.end())
                std::snprintf(text, sizeof text, "%.1f %s", run.GetAdjustedRealTime(),
                              benchmark::GetTimeUnitString(run.time_unit));
            else
                std::snprintf(text, sizeof text, "%.1f / %.1f", double(median->second), double(high->second));
            cells_.emplace_back(run.report_label, text);
        }
    }
    void Finalize() override { endRow(); }

private:
    void endRow() {
        if (cells_.empty()) return;
        std::string labels;
        for (const auto& [label, text] : cells_) labels += padded(label);
        if (labels != header_) std::printf("\n%*s%s\n", nameWidth, "", labels.c_str());
        header_ = labels;
        std::printf("%-*s", nameWidth, row_.c_str());
        for (const auto& [label, text] : cells_) std::printf("%s", padded(text).c_str());
        std::printf("\n");
        std::fflush(stdout);
        cells_.clear();
    }
    static std::string padded(const std::string& text) {
        return std::string(text.size() < cellWidth ? cellWidth - text.size() : 1, ' ') + text;
    }

    static constexpr int nameWidth = 50;
    static constexpr std::size_t cellWidth = 18;
    std::string row_, header_;
    std::vector<std::pair<std::string, std::string>> cells_;
};

}  // namespace stagecraft
