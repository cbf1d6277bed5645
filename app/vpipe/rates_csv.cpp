#include "app/vpipe/rates_csv.h"

#include "core/base/csv_text.h"

namespace stagecraft::app {

std::string migrationRatesCsv(const vpipe::Migration& migration, double windowS, const Cluster& cluster) {
    std::string csv = "start_s,end_s,training_Bps,migration_Bps,utilisation,recompute";
    for (const Lane& lane : migration.timeline.lanes)
        if (lane.kind == LaneKind::compute)
            csv += "," +
                   csvCell("computing " + cluster.devices[static_cast<std::size_t>(lane.devices.front())].id);
    csv += "\r\n";
    for (const vpipe::MigrationRate& rate : vpipe::migrationRates(migration, windowS)) {
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

}  // namespace stagecraft::app
