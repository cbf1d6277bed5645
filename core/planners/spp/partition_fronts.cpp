#include "core/planners/spp/partition_fronts.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <cstddef>

namespace stagecraft::planners {

/// Makes the blocks of one level out of the level before.
class PartitionFronts::Filler {
public:
    Filler(const PartitionFronts& fronts, const PartitionBands& bands, const std::vector<int>& places)
        : fronts_(fronts), terms_(fronts.terms_), bands_(bands), places_(places) {}

    void fill(int stages, Level& level, const WorkContext& context) {
        stages_ = stages;
        level.blocks.assign(at(terms_.devices() + 1), {});
        level.others.assign(1, 0);
        for (const int devices : places_) {
            const PartitionBands::Layers band = bands_.layers(stages, devices);
            if (band.count() <= 0) continue;
            context.throwIfStopped();
            devices_ = devices;
            band_ = band;
            replicas_.clear();
            values_.clear();
            least_.assign(at(band.count()), infinity);
            with_.assign(at(band.count()), 0);
            if (stages == 1)
                addWhole();
            else
                addRows(fronts_.levels_[at(stages - 2)]);
            store(level);
        }
    }

private:
    /// A single stage.
    void addWhole() {
        double* row = newRow(devices_);
        for (int k = 0; k < band_.count(); ++k) row[k] = terms_.load(band_.first + k, devices_, devices_);
        takeLeast(row);
    }

    void addRows(const Level& before) {
        const auto here = std::lower_bound(places_.begin(), places_.end(), devices_);
        for (auto place = here; place != places_.begin();) {
            const int split = *--place;
            const Block& block = before.blocks[at(split)];
            if (block.count == 0 || block.first >= band_.last) continue;
            const int replicas = devices_ - split, last = block.end() - 1;
            // The shortest stage that the bands allow.
            if (last < band_.first &&
                terms_.stage(last, band_.first, replicas, devices_) > bands_.limit(stages_))
                continue;
            addRow(before, block, replicas, split);
        }
    }

    double* newRow(int replicas) {
        replicas_.push_back(replicas);
        values_.resize(values_.size() + at(band_.count()));
        return values_.data() + values_.size() - at(band_.count());
    }

    void takeLeast(const double* row) {
        for (int k = 0; k < band_.count(); ++k)
            if (row[k] <= least_[at(k)]) {
                least_[at(k)] = row[k];
                with_[at(k)] = replicas_.back();
            }
    }

    /// G of the block's layers.
    const double* below(const Level& before, const Block& block, int replicas, int split) {
        const double* seconds = before.seconds.data() + block.start;
        if (block.settled) return seconds;
        below_.assign(seconds, seconds + block.count);
        for (int k = 0; k < block.count; ++k)
            if (!before.settled[block.start + at(k)])
                below_[at(k)] =
                    fronts_.leastWith(before, block.start + at(k), block.first + k, split, replicas);
        return below_.data();
    }

    void addRow(const Level& before, const Block& block, int replicas, int split) {
        const double* below = this->below(before, block, replicas, split);
        // Indices count from l' = block.first.
        const int count = band_.last - block.first;
        load_.resize(at(count) + 1);
        const double compute = terms_.compute(replicas, devices_), sync = terms_.sync(replicas, devices_);
        const double* times = terms_.timesOf(replicas) + block.first;
        const double* synchronised = terms_.synchronised() + block.first;
        double* load = load_.data();
        for (int k = 0; k <= count; ++k) load[k] = compute * times[k] + sync * synchronised[k];
        double* row = newRow(replicas);
        const int wanted = band_.first - block.first;  // the row's first l
        for (int l = wanted; l < 1; ++l) row[l - wanted] = infinity;
        row -= wanted;
        const int cuts = std::min(block.count, count);
        bool rises = true;
        for (int k = 1; k < cuts; ++k) rises &= below[k - 1] <= below[k];
        if (rises)
            meetRising(below, cuts, std::max(1, wanted), count, row);
        else
            meetAny(below, cuts, std::max(1, wanted), count, row);
        takeLeast(row + wanted);
    }

    /// row[l] = min over l' < min(l, cuts) of max(below[l'], load_[l] - load_[l']) for l from `from` to `to`,
    /// where `below` does not fall.
    void meetRising(const double* below, int cuts, int from, int to, double* row) const {
        const double* load = load_.data();
        int a = 0;
        for (int l = from; l <= to; ++l) {
            const int end = std::min(l, cuts);
            while (a < end && below[a] < load[l] - load[a]) ++a;
            const double left = a > 0 ? load[l] - load[a - 1] : infinity;
            const double right = a < end ? below[a] : infinity;
            row[l] = left < right ? left : right;
        }
    }

    /// The same for any. window[front..back) keeps the l' of [a, l) whose value is below all after them.
    void meetAny(const double* below, int cuts, int from, int to, double* row) {
        const double* load = load_.data();
        window_.resize(at(cuts));
        int* window = window_.data();
        int front = 0, back = 0, a = 0;
        for (int l = 1; l <= to; ++l) {
            if (l <= cuts) {
                while (back > front && below[window[back - 1]] >= below[l - 1]) --back;
                window[back++] = l - 1;
            }
            double lowest = front < back ? below[window[front]] : infinity;  // H(a)
            while (front < back && lowest < load[l] - load[a]) {
                ++a;
                if (window[front] < a) ++front;
                lowest = front < back ? below[window[front]] : infinity;
            }
            if (l >= from) row[l] = std::min(lowest, a > 0 ? load[l] - load[a - 1] : infinity);
        }
    }

    void store(Level& level) {
        Block& block = level.blocks[at(devices_)];
        block = {band_.first, band_.count(), level.seconds.size(), true};
        bound_.assign(at(band_.count()), -1);
        for (int k = 0; k < band_.count(); ++k) {
            if (least_[at(k)] > bands_.limit(stages_)) least_[at(k)] = infinity;
            const double seconds = least_[at(k)];
            const bool last = devices_ == terms_.devices() || band_.first + k == terms_.layers();
            const double longest = last || seconds == infinity
                                       ? 0
                                       : terms_.longestTransfer(band_.first + k, with_[at(k)], devices_);
            const bool settled = longest <= seconds;
            level.seconds.push_back(seconds);
            level.replicas.push_back(with_[at(k)]);
            level.settled.push_back(settled);
            if (settled) continue;
            block.settled = false;
            bound_[at(k)] = longest;
        }
        if (found_.size() < at(band_.count())) found_.resize(at(band_.count()));
        if (!block.settled) findCandidates();
        for (int k = 0; k < band_.count(); ++k) {
            std::vector<Candidate>& candidates = found_[at(k)];
            std::sort(candidates.begin(), candidates.end(),
                      [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; });
            level.candidates.insert(level.candidates.end(), candidates.begin(), candidates.end());
            level.others.push_back(static_cast<std::uint32_t>(level.candidates.size()));
            candidates.clear();
        }
    }

    /// Those with a longer W than the least of which some transfer may be shorter: of those that differ in
    /// replicas alone, the transfer falling with these, each that has less W than all with more replicas.
    void findCandidates() {
        lowest_.assign(at(band_.count()), infinity);
        int above = devices_ + 1;  // replicas of the row looked at before
        for (std::size_t row = replicas_.size(); row-- > 0;) {
            bool comparable = true;
            for (int more = replicas_[row] + 1; more <= std::min(above, devices_) && comparable; ++more)
                comparable = terms_.widens(more, devices_);
            if (!comparable) lowest_.assign(at(band_.count()), infinity);
            above = replicas_[row];
            const double* values = values_.data() + row * at(band_.count());
            bool any = false;
            for (int k = 0; k < band_.count(); ++k)
                any |= values[k] < bound_[at(k)] && values[k] < lowest_[at(k)];
            if (!any) continue;
            for (int k = 0; k < band_.count(); ++k) {
                if (!(values[k] < bound_[at(k)] && values[k] < lowest_[at(k)])) continue;
                lowest_[at(k)] = values[k];
                if (replicas_[row] != with_[at(k)] && values[k] <= bands_.limit(stages_))
                    found_[at(k)].push_back({values[k], replicas_[row]});
            }
        }
    }

    const PartitionFronts& fronts_;
    const PartitionTerms& terms_;
    const PartitionBands& bands_;
    const std::vector<int>& places_;
    int stages_ = 0, devices_ = 0;
    PartitionBands::Layers band_;
    std::vector<int> replicas_;           // by row
    std::vector<double> values_, least_;  // W by row and layers; the least of them by layers
    std::vector<int> with_;
    std::vector<double> bound_, lowest_, load_, below_;
    std::vector<int> window_;
    std::vector<std::vector<Candidate>> found_;  // by layers
};

PartitionFronts::PartitionFronts(const PartitionTerms& terms, const PartitionBands& bands,
                                 std::vector<int> places, const WorkContext& context)
    : terms_(terms) {
    const int last = bands.maxStages();
    levels_.reserve(at(last));
    Filler filler(*this, bands, places);
    for (int stages = 1; stages <= last; ++stages) {
        Level level;
        filler.fill(stages, level, context);
        levels_.push_back(std::move(level));
        context.report(double(stages) / last);
    }
}

double PartitionFronts::leastWith(const Level& level, std::size_t entry, int layers, int devices,
                                  int receivers) const {
    const double seconds = level.seconds[entry];
    if (level.settled[entry]) return seconds;
    const auto with = [&](double before, int replicas) {
        const double transfer = terms_.transfer(layers, replicas, receivers, devices);
        return transfer > before ? transfer : before;
    };
    double least = with(seconds, level.replicas[entry]);
    for (std::uint32_t other = level.others[entry]; other != level.others[entry + 1]; ++other) {
        const Candidate& candidate = level.candidates[other];
        if (candidate.seconds >= least) break;
        least = std::min(least, with(candidate.seconds, candidate.replicas));
    }
    return least;
}

double PartitionFronts::leastBefore(int layers, int stages, int devices, int receivers) const {
    const Level& level = levels_[at(stages - 1)];
    const Block& block = level.blocks[at(devices)];
    if (layers < block.first || layers >= block.end()) return infinity;
    return leastWith(level, block.start + at(layers - block.first), layers, devices, receivers);
}

double PartitionFronts::value(int layers, int stages, int replicas, int devices) const {
    if (stages == 1) return replicas == devices ? terms_.load(layers, devices, devices) : infinity;
    const PartitionBands::Layers before = this->layers(stages - 1, devices - replicas);
    double least = infinity;
    for (int from = before.first; from <= std::min(before.last, layers - 1); ++from)
        least = std::min(least, std::max(leastBefore(from, stages - 1, devices - replicas, replicas),
                                         terms_.stage(from, layers, replicas, devices)));
    return least;
}

double PartitionFronts::best(int stages) const {
    const PartitionBands::Layers all = layers(stages, terms_.devices());
    if (all.last < terms_.layers() || all.count() <= 0) return infinity;
    const Level& level = levels_[at(stages - 1)];
    return level.seconds[level.blocks[at(terms_.devices())].start + at(terms_.layers() - all.first)];
}

PartitionBands::Layers PartitionFronts::layers(int stages, int devices) const {
    const Block& block = levels_[at(stages - 1)].blocks[at(devices)];
    return {block.first, block.end() - 1};
}

}  // namespace stagecraft::planners
