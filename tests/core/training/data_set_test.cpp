#include "core/training/data_sets.h"

#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace stagecraft::training {
namespace {

TEST(DataSets, DigitsAreAllThereAndDividedFourToOne) {
    const DataSet& data = digits();
    EXPECT_EQ(data.training.count(), 1437);
    EXPECT_EQ(data.validation.count(), 360);
    EXPECT_EQ(data.classes, 10);
    EXPECT_EQ(data.imageSide, 8);
    std::map<int, int> counts;
    for (const Samples* part : {&data.training, &data.validation}) {
        EXPECT_EQ(part->values.rows(), 64);
        EXPECT_EQ(part->values.cols(), part->count());
        EXPECT_GE(part->values.minCoeff(), 0);
        EXPECT_EQ(part->values.maxCoeff(), 1);
        for (const int label : part->labels) ++counts[label];
    }
    // As the repository counts the classes of its test part.
    EXPECT_EQ(counts, (std::map<int, int>{{0, 178},
                                          {1, 182},
                                          {2, 177},
                                          {3, 183},
                                          {4, 181},
                                          {5, 182},
                                          {6, 181},
                                          {7, 179},
                                          {8, 174},
                                          {9, 180}}));
    // The first line of the file is a zero.
    EXPECT_EQ(data.validation.labels.front(), 0);
    EXPECT_EQ(data.validation.values(3, 0), 13.0 / 16);
}

TEST(DataSets, SpiralsOfASeedAreTheSameAndThoseOfAnotherNot) {
    EXPECT_EQ(spirals(3).training.values, spirals(3).training.values);
    EXPECT_NE(spirals(3).training.values, spirals(4).training.values);
    EXPECT_EQ(spirals(3).training.count(), 600);
    EXPECT_LE(spirals(3).validation.values.cwiseAbs().maxCoeff(), 1);
}

TEST(SampleOrder, EverySampleComesAtMostOnceAnEpochInAnOrderOfItsOwn) {
    const Samples& samples = digits().training;
    SampleOrder order(samples, 1, 100, 3), whole(samples, 1, 100, 1);
    ASSERT_EQ(order.iterationsPerEpoch(), 14);
    std::vector<int> labels, later;
    for (int iteration = 0; iteration < 28; ++iteration) {
        std::vector<int> inParts;
        for (int microbatch = 0; microbatch < 3; ++microbatch)
            for (const int label : order.batch(iteration, microbatch).labels) inParts.push_back(label);
        EXPECT_EQ(inParts, whole.batch(iteration, 0).labels);
        std::vector<int>& all = iteration < 14 ? labels : later;
        all.insert(all.end(), inParts.begin(), inParts.end());
    }
    EXPECT_EQ(labels.size(), 1400u);
    EXPECT_NE(labels, later);
    std::set<std::vector<double>> columns;
    for (int iteration = 0; iteration < 14; ++iteration) {
        const Batch batch = whole.batch(iteration, 0);
        for (Eigen::Index i = 0; i < batch.values.cols(); ++i)
            columns.emplace(batch.values.col(i).data(), batch.values.col(i).data() + 64);
    }
    EXPECT_EQ(columns.size(), 1400u);
}

}  // namespace
}  // namespace stagecraft::training
