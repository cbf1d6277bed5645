#include "core/training/data_sets.h"

#include "core/base/text_parts.h"
#include "core/generation/cluster_templates.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

namespace stagecraft::training {

namespace {

constexpr int side = 8;
constexpr int pixels = side * side;
constexpr int whitest = 16;
constexpr int validationEvery = 5;

/// All numbers of the file, row after row.
std::vector<int> numbersOf(std::string_view csv) {
    std::vector<int> numbers;
    for (const std::string_view line : linesOf(csv)) {
        if (line.empty()) continue;
        for (const std::string_view cell : cellsOf(line, ',')) {
            const std::optional<int> number = wholeInteger(cell);
            if (!number) throw std::logic_error("the digits are not whole");
            numbers.push_back(*number);
        }
    }
    return numbers;
}

void append(Samples& samples, const int* row) {
    const Eigen::Index column = samples.count();
    for (int pixel = 0; pixel < pixels; ++pixel)
        samples.values(pixel, column) = static_cast<double>(row[pixel]) / whitest;
    samples.labels.push_back(row[pixels]);
}

DataSet read() {
    const std::vector<int> numbers = numbersOf(digitsCsv());
    const auto rows = static_cast<int>(numbers.size()) / (pixels + 1);
    const int validation = (rows + validationEvery - 1) / validationEvery;
    DataSet data{{Matrix(pixels, rows - validation), {}}, {Matrix(pixels, validation), {}}, 10, side};
    for (int row = 0; row < rows; ++row)
        append(row % validationEvery == 0 ? data.validation : data.training,
               numbers.data() + static_cast<std::ptrdiff_t>(row) * (pixels + 1));
    return data;
}

}  // namespace

const DataSet& digits() {
    static const DataSet data = read();
    return data;
}

namespace {

constexpr int arms = 3;
constexpr double turns = 0.75;  // of an arm around the middle
constexpr double noise = 0.12;  // radians to either side

Samples points(PortableRandom& random, int count) {
    Samples samples{Matrix(2, count), {}};
    for (int index = 0; index < count; ++index) {
        const int arm = index % arms;
        const double along = 0.05 + 0.95 * random.unit();
        const double angle = 2 * std::numbers::pi * (turns * along + static_cast<double>(arm) / arms) +
                             noise * (2 * random.unit() - 1);
        samples.values(0, index) = along * std::cos(angle);
        samples.values(1, index) = along * std::sin(angle);
        samples.labels.push_back(arm);
    }
    return samples;
}

}  // namespace

DataSet spirals(std::uint64_t seed) {
    PortableRandom random(seed);
    DataSet data;
    data.training = points(random, 600);
    data.validation = points(random, 300);
    data.classes = arms;
    return data;
}

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
