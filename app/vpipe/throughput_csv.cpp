#include "app/vpipe/throughput_csv.h"

#include <cstdio>

namespace stagecraft::app {

namespace {

std::string exact(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string joined(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
}

}  // namespace

std::string throughputCsv(const std::vector<vpipe::ThroughputPoint>& points) {
    std::string csv =
        "time_s,event,static_samples_per_s,static_microbatch_size,swap_recompute_samples_per_s,"
        "vpipe_samples_per_s,ideal_samples_per_s,layers_of_stages,migration_s,stall_s\r\n";
    for (const vpipe::ThroughputPoint& point : points)
        csv += exact(point.atS) + "," + point.what + "," + exact(point.staticSystem) + "," +
               std::to_string(point.staticMicrobatchSize) + "," + exact(point.swapRecompute) + "," +
               exact(point.full) + "," + exact(point.ideal) + "," + joined(point.layersOfStage) + "," +
               exact(point.migrationS) + "," + exact(point.stallS) + "\r\n";
    return csv;
}

}  // namespace stagecraft::app
