#include "app/vpipe/vpipe_files.h"

#include "core/base/csv_text.h"

#include <nlohmann/json.hpp>

namespace stagecraft::app::vpipe {

std::string migrationRatesCsv(const planners::vpipe::Migration& migration, double windowS,
                              const Cluster& cluster) {
    std::string csv = "start_s,end_s,training_Bps,migration_Bps,utilisation,recompute";
    for (const Lane& lane : migration.timeline.lanes)
        if (lane.kind == LaneKind::compute)
            csv += "," +
                   csvCell("computing " + cluster.devices[static_cast<std::size_t>(lane.devices.front())].id);
    csv += "\r\n";
    for (const planners::vpipe::MigrationRate& rate : planners::vpipe::migrationRates(migration, windowS)) {
        appendNumber(csv, rate.startS);
        std::vector<double> cells{rate.endS, rate.trainingBps, rate.migrationBps, rate.utilisation,
                                  rate.repeated};
        cells.insert(cells.end(), rate.computing.begin(), rate.computing.end());
        for (const double cell : cells) {
            csv += ",";
            appendNumber(csv, cell);
        }
        csv += "\r\n";
    }
    return csv;
}

namespace {

std::string joined(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
}

}  // namespace

std::string throughputCsv(const std::vector<planners::vpipe::ThroughputPoint>& points) {
    std::string csv =
        "time_s,event,static_samples_per_s,static_microbatch_size,swap_recompute_samples_per_s,"
        "vpipe_samples_per_s,ideal_samples_per_s,layers_of_stages,migration_s,stall_s\r\n";
    for (const planners::vpipe::ThroughputPoint& point : points) {
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

std::string networkScriptJson(const NetworkScript& script) {
    nlohmann::ordered_json json = {
        {"format", "stagecraft/network-script"}, {"version", 1}, {"duration_s", script.durationS}};
    json["events"] = nlohmann::ordered_json::array();
    for (const NetworkEvent& event : script.events) {
        nlohmann::ordered_json entry = {{"at_s", event.atS}, {"stage", event.stage}};
        switch (event.kind) {
            case NetworkEvent::Kind::addLayers:
                entry["add_layers"] = event.layers;
                break;
            case NetworkEvent::Kind::removeLayers:
                entry["remove_layers"] = event.layers;
                break;
            case NetworkEvent::Kind::scaleTimes:
                entry["scale_times"] = event.factor;
                break;
        }
        json["events"].push_back(std::move(entry));
    }
    return json.dump(2) + "\n";
}

}  // namespace stagecraft::app::vpipe
