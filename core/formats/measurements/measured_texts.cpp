#include "core/formats/measurements/measured_texts.h"

#include "core/formats/input_error.h"
#include "core/formats/measurements/measured_formats.h"
#include "core/formats/topology/measured_matrix.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

Measurements asMeasurements(const MeasuredGpus& found) {
    Measurements measured;
    measured.tool = found.tool;
    for (const MeasuredGpus::Pair& pair : found.pairs)
        measured.pairs.push_back({{{}, pair.a}, {{}, pair.b}, pair.bps, pair.latencyS});
    for (const auto& [number, name] : found.names)
        if (std::find(measured.gpuNames.begin(), measured.gpuNames.end(), name) == measured.gpuNames.end())
            measured.gpuNames.push_back(name);
    if (!found.hostBps.empty())
        measured.ignored.emplace_back("the rates with the host's memory: they are of GPUs, not of links");
    return measured;
}

}  // namespace

bool areMeasurementsAlone(std::string_view text) {
    return looksLikeOsuTables(text) || looksLikeNcclTests(text);
}

bool looksLikeMeasurements(std::string_view text) {
    return areMeasurementsAlone(text) || looksLikeNvbandwidth(text) || looksLikeP2pTest(text);
}

Measurements readMeasurements(std::string_view text, const std::string& file) {
    if (looksLikeOsuTables(text)) return readOsuTables(text, file);
    if (looksLikeNcclTests(text)) return readNcclTests(text, file);
    if (looksLikeNvbandwidth(text)) return asMeasurements(readNvbandwidthTables(text, file));
    if (looksLikeP2pTest(text)) return asMeasurements(readP2pTables(text, file));
    throw InputError(
        file, "", "no measurements of links are known of this text",
        "what nvbandwidth, p2pBandwidthLatencyTest, nccl-tests, osu_bw, osu_bibw or osu_latency print");
}

}  // namespace stagecraft::formats
