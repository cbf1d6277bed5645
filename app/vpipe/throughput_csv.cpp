#include "app/vpipe/throughput_csv.h"

#include "core/base/csv_text.h"

namespace stagecraft::app {

namespace {

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
    for (const vpipe::ThroughputPoint& point : points) {
        appendNumber(csv, point.atS);
        csv += "," + csvCell(point.what) + ",";
        appendNumber(csv, point.staticSystem);
        csv += "," + std::to_string(point.staticMicrobatchSize);
        for (const double rate : {point.swapRecompute, point.full, point.ideal}) {
            csv += ",";
            appendNumber(csv, rate);
        }
        csv += "," + joined(point.layersOfStage);
        for (const double seconds : {point.migrationS, point.stallS}) {
            csv += ",";
            appendNumber(csv, seconds);
        }
        csv += "\r\n";
    }
    return csv;
}

}  // namespace stagecraft::app
