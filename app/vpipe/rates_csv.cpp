#include "app/vpipe/rates_csv.h"

#include <cstdio>

namespace stagecraft::app {

namespace {

std::string nine(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

std::string quoted(const std::string& name) {
    if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
    std::string text = "\"";
    for (const char letter : name) text += letter == '"' ? "\"\"" : std::string(1, letter);
    return text + "\"";
}

}  // namespace

std::string migrationRatesCsv(const vpipe::Migration& migration, double windowS, const Cluster& cluster) {
    std::string csv = "start_s,end_s,training_Bps,migration_Bps,utilisation,recompute";
    for (const Lane& lane : migration.timeline.lanes)
        if (lane.kind == LaneKind::compute)
            csv += "," +
                   quoted("computing " + cluster.devices[static_cast<std::size_t>(lane.devices.front())].id);
    csv += "\r\n";
    for (const vpipe::MigrationRate& rate : vpipe::migrationRates(migration, windowS)) {
        csv += nine(rate.startS) + "," + nine(rate.endS) + "," + nine(rate.trainingBps) + "," +
               nine(rate.migrationBps) + "," + nine(rate.utilisation) + "," + nine(rate.repeated);
        for (const double share : rate.computing) csv += "," + nine(share);
        csv += "\r\n";
    }
    return csv;
}

}  // namespace stagecraft::app
