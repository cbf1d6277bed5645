#include "core/formats/profiles/degree_table.h"

#include "core/base/counted.h"
#include "core/model/measured_gpus.h"

#include <algorithm>
#include <set>

namespace stagecraft::formats {

namespace {

LayerTimes timesOf(LayerTimes times, int factor) {
    return {times.forwardS * factor, times.backwardS * factor, times.weightGradientS * factor};
}

/// "1, 2 and 4"
std::string listed(const std::set<int>& numbers) {
    std::string text;
    std::size_t left = numbers.size();
    for (const int number : numbers) {
        text += (text.empty() ? "" : left == 1 ? " and " : ", ") + std::to_string(number);
        --left;
    }
    return text;
}

}  // namespace

bool DegreeTable::add(int degree, int samples, std::vector<LayerTimes> times) {
    return times_.emplace(std::pair(degree, samples), std::move(times)).second;
}

bool DegreeTable::hasDegree(int degree) const {
    return std::ranges::any_of(times_, [degree](const auto& row) { return row.first.first == degree; });
}

std::vector<ImportNote> DegreeTable::fill(LayerProfile& profile) const {
    const int least = leastDegree();
    profile.microbatchSize = times_.begin()->first.second;
    std::set<int> degrees, sizes;
    for (const auto& [key, times] : times_) {
        const auto [degree, samples] = key;
        degrees.insert(degree);
        sizes.insert(samples);
        if (degree == least && samples != profile.microbatchSize) profile.otherSizes.push_back({samples, {}});
        for (std::size_t index = 0; index < times.size(); ++index) {
            Layer& layer = profile.layers[index];
            const LayerTimes whole = timesOf(times[index], least);
            if (degree == least && samples != profile.microbatchSize) {
                profile.otherSizes.back().layers.push_back(whole);
            } else if (degree == least) {
                layer.forwardS = whole.forwardS;
                layer.backwardS = whole.backwardS;
                layer.weightGradientS = whole.weightGradientS;
            }
            if (degree > 1)
                layer.onRanks.push_back({.tensor = degree, .microbatchSize = samples, .times = times[index]});
        }
    }
    std::vector<ImportNote> notes = {
        {ImportNote::Kind::took,
         "times of " + counted(profile.layerCount(), "layer") + " on " + listed(degrees) +
             (degrees.size() == 1 && least == 1 ? " GPU" : " GPUs") + ", at microbatches of " +
             listed(sizes) + (sizes == std::set{1} ? " sample" : " samples")}};
    if (least > 1)
        notes.push_back({ImportNote::Kind::assumed, "on one GPU layers take " + std::to_string(least) +
                                                        " times as long as on " + std::to_string(least) +
                                                        ": nothing was measured on fewer"});
    return notes;
}

std::vector<ImportNote> DegreeTable::fillOn(const std::string& gpu, LayerProfile& profile) const {
    LayerProfile measured;
    measured.layers.resize(profile.layers.size());
    std::vector<ImportNote> notes = fill(measured);
    for (ImportNote& note : notes) note.text = "on " + gpu + ": " + note.text;
    addMeasurements(measured, gpu, profile);
    return notes;
}

LayerTimes timesOfSum(double bothS) { return timesOfParts(bothS / 3, bothS - bothS / 3); }
LayerTimes timesOfParts(double forwardS, double backwardS) { return {forwardS, backwardS, backwardS / 2}; }

}  // namespace stagecraft::formats
