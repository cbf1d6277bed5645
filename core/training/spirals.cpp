#include "core/generation/cluster_templates.h"
#include "core/training/data_set.h"

#include <cmath>
#include <numbers>

namespace stagecraft::training {

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

}  // namespace stagecraft::training
