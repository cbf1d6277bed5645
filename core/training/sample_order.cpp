#include "core/training/sample_order.h"

#include "core/generation/cluster_templates.h"

#include <numeric>

namespace stagecraft::training {

SampleOrder::SampleOrder(const Samples& samples, std::uint64_t seed, int batchSize, int microbatches)
    : samples_(samples), seed_(seed), batchSize_(batchSize), microbatches_(microbatches) {}

Batch SampleOrder::batch(int iteration, int microbatch) {
    const std::vector<int>& order = orderOf(iteration / iterationsPerEpoch());
    const int start = iteration % iterationsPerEpoch() * batchSize_;
    const int first = start + microbatch * batchSize_ / microbatches_;
    const int end = start + (microbatch + 1) * batchSize_ / microbatches_;
    Batch batch{Matrix(samples_.values.rows(), end - first), {}};
    for (int place = first; place < end; ++place) {
        const int sample = order[static_cast<std::size_t>(place)];
        batch.values.col(place - first) = samples_.values.col(sample);
        batch.labels.push_back(samples_.labels[static_cast<std::size_t>(sample)]);
    }
    return batch;
}

const std::vector<int>& SampleOrder::orderOf(int epoch) {
    const auto index = static_cast<std::size_t>(epoch);
    if (index >= orders_.size()) orders_.resize(index + 1);
    std::vector<int>& order = orders_[index];
    if (!order.empty()) return order;
    order.resize(static_cast<std::size_t>(samples_.count()));
    std::iota(order.begin(), order.end(), 0);
    // A stream of its own for each epoch; the initial weights take the seed itself.
    PortableRandom random(seed_ * 1000003 + index + 1);
    for (int left = samples_.count(); left > 1; --left)
        std::swap(order[static_cast<std::size_t>(left - 1)],
                  order[static_cast<std::size_t>(random.below(left))]);
    return order;
}

}  // namespace stagecraft::training
