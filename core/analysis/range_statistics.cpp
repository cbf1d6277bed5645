#include "core/analysis/range_statistics.h"

#include <algorithm>
#include <charconv>

namespace stagecraft::analysis {

namespace {

std::string shortest(double value) {
    char digits[64];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

struct Blocks {
    std::uint32_t first = 0, end = 0;
};

/// Timeline::lastEndS without a look at every block: on a lane only updates, which take no time, may be
/// after the block that ends last.
double lastEndS(const Timeline& timeline) {
    double lastS = 0;
    for (const Lane& lane : timeline.lanes)
        for (std::uint32_t block = lane.endBlock; block-- > lane.firstBlock;) {
            lastS = std::max(lastS, timeline.endS[block]);
            if (timeline.durationS(block) > 0) break;
        }
    return lastS;
}

/// Blocks of a lane do not overlap, so that at most one reaches in from before.
Blocks blocksOf(const Timeline& timeline, const Lane& lane, double fromS, double toS, double endS) {
    const auto first = timeline.startS.begin() + lane.firstBlock,
               last = timeline.startS.begin() + lane.endBlock;
    auto from = std::lower_bound(first, last, fromS);
    for (auto before = from; before != first;) {
        --before;
        const auto block = static_cast<std::size_t>(before - timeline.startS.begin());
        if (timeline.endS[block] > fromS) from = before;
        if (timeline.durationS(static_cast<std::uint32_t>(block)) > 0) break;
    }
    const auto to = toS < endS ? std::lower_bound(from, last, toS) : last;
    return {static_cast<std::uint32_t>(from - timeline.startS.begin()),
            static_cast<std::uint32_t>(to - timeline.startS.begin())};
}

class RangeCounter {
public:
    RangeCounter(const BlockBytes* bytes, const Timeline& timeline, RangeStatistics& range)
        : bytes_(bytes), timeline_(timeline), range_(range), endS_(lastEndS(timeline)) {}

    void count(int index) {
        const Lane& lane = timeline_.lanes[static_cast<std::size_t>(index)];
        std::vector<DeviceRange*> devices;
        for (DeviceRange& device : range_.devices)
            if (std::find(lane.devices.begin(), lane.devices.end(), device.device) != lane.devices.end())
                devices.push_back(&device);
        const Blocks blocks = blocksOf(timeline_, lane, range_.fromS, range_.toS, endS_);
        for (std::uint32_t block = blocks.first; block < blocks.end; ++block) count(block, index, devices);
        range_.blocks += blocks.end - blocks.first;
    }

private:
    void count(std::uint32_t block, int lane, const std::vector<DeviceRange*>& devices) {
        const double startS = timeline_.startS[block], endS = timeline_.endS[block];
        const double seconds = std::min(endS, range_.toS) - std::max(startS, range_.fromS);
        const double part = endS > startS ? seconds / (endS - startS) : 1;
        const auto kind = static_cast<std::size_t>(timeline_.kind[block]);
        const bool computes = timeline_.lanes[static_cast<std::size_t>(lane)].kind == LaneKind::compute;
        add(range_.kinds[kind], seconds, bytes_ ? part * bytes_->of(timeline_, lane, block) : 0);
        for (DeviceRange* device : devices) {
            const double bytes =
                computes || !bytes_ ? 0 : part * bytes_->of(timeline_, lane, block, device->device);
            add(device->kinds[kind], seconds, bytes);
            device->bytes += bytes;
            if (computes) device->busyS += seconds;
        }
    }

    static void add(KindTotals& totals, double seconds, double bytes) {
        totals.seconds += seconds;
        totals.bytes += bytes;
        ++totals.blocks;
    }

    const BlockBytes* bytes_;  ///< null: not known
    const Timeline& timeline_;
    RangeStatistics& range_;
    double endS_;
};

void measureMemory(const MemoryCurve& curve, double fromS, double toS, DeviceRange& device) {
    if (curve.timeS().empty()) return;
    double sum = 0;
    device.mostMemoryAtS = fromS;
    for (std::size_t step = curve.stepAt(fromS); step < curve.timeS().size() && curve.timeS()[step] < toS;
         ++step) {
        const double beginS = std::max(fromS, curve.timeS()[step]);
        const double endS = step + 1 < curve.timeS().size() ? std::min(toS, curve.timeS()[step + 1]) : toS;
        const double bytes = curve.totalAt(step);
        sum += bytes * std::max(0.0, endS - beginS);
        if (bytes <= device.mostMemoryBytes || endS <= beginS) continue;
        device.mostMemoryBytes = bytes;
        device.mostMemoryAtS = beginS;
    }
    device.meanMemoryBytes = sum / (toS - fromS);
}

/// For how long something runs on a stream of the device.
double streamsBusyS(const Timeline& timeline, int device, double fromS, double toS, double endS) {
    std::vector<std::pair<double, double>> busy;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::stream || lane.devices.front() != device) continue;
        const Blocks blocks = blocksOf(timeline, lane, fromS, toS, endS);
        for (std::uint32_t block = blocks.first; block < blocks.end; ++block)
            busy.emplace_back(std::max(timeline.startS[block], fromS), std::min(timeline.endS[block], toS));
    }
    std::sort(busy.begin(), busy.end());
    double seconds = 0, at = fromS;
    for (const auto& [startS, stopS] : busy) {
        seconds += std::max(0.0, stopS - std::max(startS, at));
        at = std::max(at, stopS);
    }
    return seconds;
}

RangeStatistics statisticsOf(const BlockBytes* bytes, const Timeline& timeline,
                             const std::vector<MemoryCurve>& memory, double fromS, double toS) {
    RangeStatistics range;
    range.fromS = fromS;
    range.toS = toS;
    if (!(fromS < toS)) return range;
    for (const Lane& lane : timeline.lanes)
        if (lane.kind == LaneKind::compute)
            for (const int device : lane.devices) {
                range.devices.push_back({device});
                if (lane.blockCount() == 0)
                    range.devices.back().busyS =
                        streamsBusyS(timeline, device, fromS, toS, lastEndS(timeline));
            }
    RangeCounter counter(bytes, timeline, range);
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) counter.count(static_cast<int>(lane));
    for (DeviceRange& device : range.devices) {
        // Sums of many durations round.
        device.busyS = std::min(device.busyS, toS - fromS);
        device.idleS = toS - fromS - device.busyS;
        if (!memory.empty())
            measureMemory(memory[static_cast<std::size_t>(device.device)], fromS, toS, device);
    }
    return range;
}

}  // namespace

RangeStatistics rangeStatistics(const BlockBytes& bytes, const Timeline& timeline,
                                const std::vector<MemoryCurve>& memory, double fromS, double toS) {
    return statisticsOf(&bytes, timeline, memory, fromS, toS);
}

RangeStatistics rangeStatistics(const Timeline& timeline, const std::vector<MemoryCurve>& memory,
                                double fromS, double toS) {
    return statisticsOf(nullptr, timeline, memory, fromS, toS);
}

std::uint32_t blocksInRange(const Timeline& timeline, double fromS, double toS) {
    std::uint32_t count = 0;
    const double endS = lastEndS(timeline);
    for (const Lane& lane : timeline.lanes) {
        const Blocks blocks = blocksOf(timeline, lane, fromS, toS, endS);
        count += blocks.end - blocks.first;
    }
    return count;
}

std::string rangeCsv(const RangeStatistics& range, const Cluster& cluster) {
    std::string text = "device,from_s,to_s,busy_share,busy_s,idle_s";
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < range.kinds.size(); ++kind) {
        if (range.kinds[kind].blocks == 0) continue;
        kinds.push_back(kind);
        std::string name = blockKindName(static_cast<BlockKind>(kind));
        std::replace(name.begin(), name.end(), ' ', '_');
        text += "," + name + "_s";
    }
    text += ",blocks,bytes,mean_memory_bytes,most_memory_bytes,most_memory_at_s\n";
    const auto row = [&](const std::string& name, const DeviceRange& device, std::uint32_t blocks) {
        text += name;
        for (const double value : {range.fromS, range.toS, device.busyShare(), device.busyS, device.idleS})
            text += "," + shortest(value);
        for (const std::size_t kind : kinds) text += "," + shortest(device.kinds[kind].seconds);
        text += "," + std::to_string(blocks);
        for (const double value :
             {device.bytes, device.meanMemoryBytes, device.mostMemoryBytes, device.mostMemoryAtS})
            text += "," + shortest(value);
        text += "\n";
    };
    DeviceRange all{-1, range.kinds};
    for (const DeviceRange& device : range.devices) {
        std::uint32_t blocks = 0;
        for (const KindTotals& kind : device.kinds) blocks += kind.blocks;
        std::string name = cluster.devices[static_cast<std::size_t>(device.device)].id;
        if (name.find_first_of(",\"\n") != std::string::npos) {
            for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2)
                name.insert(at, 1, '"');
            name = '"' + name + '"';
        }
        row(name, device, blocks);
        all.busyS += device.busyS;
        all.idleS += device.idleS;
        all.meanMemoryBytes += device.meanMemoryBytes;
        if (device.mostMemoryBytes <= all.mostMemoryBytes) continue;
        all.mostMemoryBytes = device.mostMemoryBytes;
        all.mostMemoryAtS = device.mostMemoryAtS;
    }
    for (const KindTotals& kind : range.kinds) all.bytes += kind.bytes;
    row("all", all, range.blocks);
    return text;
}

}  // namespace stagecraft::analysis
