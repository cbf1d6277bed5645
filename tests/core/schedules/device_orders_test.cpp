// Families that order whole devices, against the reference orders and their closed forms for equal passes.
#include "core/schedules/device_orders.h"

#include "core/base/indices.h"
#include "core/schedules/families.h"
#include "tests/core/schedules/order_course.h"
#include "tests/core/support/golden_cases.h"
#include "tests/support/every_room.h"
#include "tests/support/test_extent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <random>
#include <tuple>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

/// Makespan, bubbles and peaks with pairs.
void expectCourse(const GoldenCase& golden, ScheduleShape shape, const DeviceOrders& orders) {
    const nlohmann::json &durations = golden.input.at("durations"), &expected = golden.expected;
    for (int s = 0; s < shape.stages(); ++s)
        shape.times.push_back({durations.at("F")[at(s)], durations.at("I")[at(s)], durations.at("W")[at(s)]});
    const Course run = runOf(shape, orders, equalPasses, golden.input.at("transfer"),
                             durations.at("P").get<std::vector<double>>());
    EXPECT_EQ(run.makespan, expected.at("makespan").get<double>());
    EXPECT_EQ(run.spanBubble, expected.at("span_bubble").get<std::vector<double>>());
    EXPECT_EQ(run.peak, expected.at("peak_count").get<std::vector<double>>());
    EXPECT_EQ(run.peakInHalves, expected.at("peak").get<std::vector<double>>());
}

}  // namespace

TEST(DeviceOrders, AreTheReference) {
    int compared = 0;
    for (const char* id :
         {"sched-01-gpipe", "sched-02-1f1b-by-hand", "sched-03-1f1b-unequal", "sched-04-eager-1f1b",
          "sched-05-interleaved", "sched-06-interleaved-groups", "sched-07-breadth-first", "sched-08-zb-h1",
          "sched-09-zb-h1-unequal", "sched-12-zb-v", "sched-13-zb-v-few", "sched-16-chimera",
          "sched-17-dualpipe", "sched-18-dualpipe-v", "sched-19-dualpipe-v-unequal", "sched-20-seq1f1b"}) {
        const auto golden = goldenCase(id);
        const ScheduleFamily& family = familyOf(golden.input.at("family"));
        const nlohmann::json& given = golden.input.at("parameters");
        const ScheduleShape shape =
            shapeFor(family, golden.input.at("ranks"), golden.input.at("microbatches"), given.value("v", 1));
        EXPECT_EQ(nlohmann::json(shape.rankOf), golden.expected.at("placement")) << id;
        ScheduleParameters parameters;
        if (given.contains("g")) parameters["group"] = given.at("g");
        if (given.contains("k")) parameters["slices"] = given.at("k");
        // The reference numbers the microbatches of two copies its own way; here each copy has its own in
        // turn.
        std::map<int, int> numbers;
        std::vector<int> next(2, 0);
        for (int microbatch = 0; microbatch < shape.microbatches; ++microbatch) {
            const bool copies = golden.expected.contains("chain_of_microbatch");
            const int copy =
                copies ? golden.expected.at("chain_of_microbatch")[at(microbatch)].get<int>() : 0;
            numbers[copies ? copy + 2 * next[at(copy)]++ : microbatch] = microbatch;
        }
        const DeviceOrders own = ordersOf(family, shape, parameters);
        nlohmann::json orders = nlohmann::json::array();
        for (const std::vector<Task>& order : own) {
            nlohmann::json& texts = orders.emplace_back(nlohmann::json::array());
            for (const Task& task : order) {
                const std::string text = std::to_string(task.stage) + ":" +
                                         (task.kind == TaskKind::forward          ? "F"
                                          : task.kind == TaskKind::weightGradient ? "W"
                                          : task.kind == TaskKind::inputGradient  ? "I"
                                                                                  : "B") +
                                         std::to_string(numbers.at(task.microbatch)) +
                                         (given.contains("k") ? "." + std::to_string(task.slice) : "");
                if (task.paired)
                    texts.back() = "(" + texts.back().get<std::string>() + "&" + text + ")";
                else
                    texts.push_back(text);
            }
        }
        EXPECT_EQ(orders, golden.expected.at("orders")) << id;
        if (golden.input.at("durations").contains("P")) expectCourse(golden, shape, own);
        ++compared;
    }
    EXPECT_EQ(compared, 16);
}

TEST(DeviceOrders, HaveTheBubbleAndTheMemoryOfTheirClosedFormsWithEqualPasses) {
    for (int p = 1; p <= 16; ++p)
        for (int m = 1; m <= 64; m += m < 8 ? 1 : 7) {
            SCOPED_TRACE(std::to_string(p) + " ranks, " + std::to_string(m) + " microbatches");
            const auto run = [&](const char* id, int chunks = 1) {
                const ScheduleFamily& family = familyOf(id);
                const ScheduleShape shape = shapeFor(family, p, m, chunks);
                return runOf(shape, ordersOf(family, shape), equalPasses);
            };
            const Course eager = run("eager-1f1b"), h1 = run("zb-h1");
            EXPECT_EQ(eager.makespan, 3 * m + 3 * (p - 1));
            for (int s = 0; s < p; ++s) {
                EXPECT_EQ(eager.peak[at(s)], std::min(m, 2 * (p - s) - 1));
                EXPECT_LE(h1.peak[at(s)], std::min(m, p));
            }
            if (m >= p) {
                EXPECT_EQ(h1.makespan, 3 * m + (p - 1))
                    << "F = I = W: the span bubble (p-1)(I + max(0, F-W))";
            }
            const Course v = run("zb-v", 2);
            EXPECT_LE(worst(v.peak), 2 * p);
            if (m >= 2 * p - 1) {
                EXPECT_EQ(worst(v.spanBubble), 0);
            } else if (m >= p) {
                EXPECT_EQ(worst(v.spanBubble), 2 * (2 * p - 1 - m));
            }
            for (const int chunks : {2, 3}) {
                if (m < p) continue;
                EXPECT_EQ(run("breadth-first", chunks).makespan, 3 * m * chunks + 3 * (p - 1));
                EXPECT_EQ(worst(run("breadth-first", chunks).peak), m * chunks);
                const Course interleaved = run("interleaved", chunks);
                EXPECT_EQ(interleaved.makespan, 3 * m * chunks + 3 * (p - 1)) << "of chunks 1/v as long";
                const int rounds = m / p, most = (m + rounds - 1) / rounds;
                for (int s = 0; s < p; ++s)
                    EXPECT_EQ(interleaved.peak[at(s)],
                              std::min(m * chunks, 2 * (p - 1 - s) + (chunks - 1) * most + 1));
                const Course filled = run("interleaved-zb", chunks);
                EXPECT_EQ(filled.makespan, 3 * m * chunks + (p - 1)) << "of chunks 1/v as long";
                for (int s = 0; s < p; ++s)
                    EXPECT_LE(filled.peak[at(s)], std::min(m * chunks, p + (chunks - 1) * most));
            }
        }
}

/// PyTorch's Interleaved1F1B has max(1, m / p) rounds of equally many (pull requests 129597 and 137783),
/// which also give the order of rank 0 for 10 microbatches on 4 ranks.
TEST(DeviceOrders, InterleavedHasTheRoundsOfPyTorchWhereMicrobatchesAreNoMultipleOfTheDevices) {
    const ScheduleFamily& family = familyOf("interleaved");
    const ScheduleShape shape = shapeFor(family, 4, 10);
    const DeviceOrders orders = ordersOf(family, shape);
    std::string text;
    for (const Task& task : orders.front())
        text += std::to_string(task.stage) + (task.kind == TaskKind::forward ? "F" : "B") +
                std::to_string(task.microbatch) + " ";
    EXPECT_EQ(text.substr(0, text.find("4B1")), "0F0 0F1 0F2 0F3 0F4 4F0 4F1 4F2 4F3 4F4 0F5 0F6 4B0 0F7 ");
    EXPECT_EQ(orders, ordersOf(family, shape, {{"group", 5}}));
    EXPECT_EQ(runOf(shape, orders, {{TaskKind::forward, 1}, {TaskKind::backward, 2}}).makespan, 69);
    // 13 on 6 have no such rounds: of 6 and 7.
    const ScheduleShape odd = shapeFor(family, 6, 13);
    EXPECT_EQ(runOf(odd, ordersOf(family, odd), equalPasses).makespan, 3 * 13 * 2 + 3 * 5);
    EXPECT_EQ(family.remark(odd, {}),
              "13 microbatches are no multiple of 6 devices: they go in 2 groups of 6 or 7.");
    EXPECT_EQ(family.remark(shape, {}),
              "10 microbatches are no multiple of 4 devices: they go in 2 groups of 5.");
    EXPECT_EQ(family.remark(shape, {{"group", 5}}), "");
    EXPECT_EQ(family.remark(shapeFor(family, 4, 12), {}), "");
}

/// Its warm-up and where its weight gradients begin are those of ScheduleInterleavedZeroBubble
/// (torch/distributed/pipelining/schedules.py, _calculate_single_rank_operations): one forward more for each
/// device to the last, and rank r's first weight gradient behind its input gradient r.
TEST(DeviceOrders, InterleavedZeroBubbleHasThePassesOfPyTorch) {
    const ScheduleFamily& family = familyOf("interleaved-zb");
    const ScheduleShape shape = shapeFor(family, 2, 4, 2);
    std::vector<std::string> texts;
    for (const std::vector<Task>& order : ordersOf(family, shape)) {
        std::string& text = texts.emplace_back();
        for (const Task& task : order)
            text += std::to_string(task.stage) +
                    (task.kind == TaskKind::forward         ? "F"
                     : task.kind == TaskKind::inputGradient ? "I"
                                                            : "W") +
                    std::to_string(task.microbatch) + " ";
    }
    EXPECT_EQ(
        texts.at(0),
        "0F0 0F1 2F0 2F1 2I0 2W0 0F2 2I1 2W1 0F3 0I0 0W0 2F2 0I1 0W1 2F3 2I2 2W2 2I3 2W3 0I2 0W2 0I3 0W3 ");
    EXPECT_EQ(
        texts.at(1),
        "1F0 1F1 3F0 3I0 3F1 3I1 3W0 1F2 1I0 3W1 1F3 1I1 1W0 3F2 3I2 1W1 3F3 3I3 3W2 1I2 3W3 1I3 1W2 1W3 ");
    // With one chunk it is ZB-H1.
    const ScheduleShape one = shapeFor(familyOf("zb-h1"), 4, 9);
    EXPECT_EQ(ordersOf(family, one), ordersOf(familyOf("zb-h1"), one));
}

/// Of two stages and four microbatches: one forward more ahead than 1F1B with twice the warm-up has.
TEST(DeviceOrders, OverlappedPassesArePairsAfterOneForwardMore) {
    std::vector<std::string> texts;
    const ScheduleFamily &family = familyOf("1f1b-overlap"), &ring = familyOf("interleaved-overlap");
    for (const std::vector<Task>& order : ordersOf(family, shapeFor(family, 2, 4))) {
        std::string& text = texts.emplace_back();
        for (const Task& task : order)
            text += (task.paired                      ? "&"
                     : task.kind == TaskKind::forward ? " F"
                                                      : " B") +
                    std::to_string(task.microbatch);
    }
    EXPECT_EQ(texts, (std::vector<std::string>{" F0 F1 F2 F3&0 B1 B2 B3", " F0 F1&0 F2&1 F3&2 B3"}));
    for (int p = 1; p <= 12; ++p)
        for (int m = 1; m <= 40; m += m < 8 ? 1 : 5)
            for (const int chunks : {1, 2, 3}) {
                SCOPED_TRACE(std::to_string(p) + " ranks, " + std::to_string(m) + " microbatches, " +
                             std::to_string(chunks) + " chunks");
                const ScheduleShape shape = shapeFor(ring, p, m, chunks);
                const DeviceOrders orders = ordersOf(ring, shape);
                if (chunks == 1) {
                    EXPECT_EQ(orders, ordersOf(family, shapeFor(family, p, m)));
                }
                const Course course = runOf(shape, orders, equalPasses);
                const int rounds = std::max(1, m / p), most = (m + rounds - 1) / rounds;
                for (int s = 0; s < p; ++s) {
                    const int ahead = std::min(m * chunks, 2 * (p - 1 - s) + (chunks - 1) * most + 1);
                    EXPECT_EQ(course.peak[at(s)], std::min(m * chunks, ahead + 1));
                    EXPECT_EQ(std::ranges::count(orders[at(s)], true, &Task::paired), m * chunks - ahead);
                }
                if (m >= p) {
                    EXPECT_EQ(course.makespan, 3 * m * chunks + 3 * (p - 1)) << "where nothing is hidden";
                }
            }
}

TEST(DeviceOrders, InterleavedNeverEndsSoonerWithMoreMicrobatchesNorAfter1F1BOfTheSameWork) {
    const ScheduleFamily &family = familyOf("interleaved"), &plain = familyOf("1f1b");
    for (const int p : {2, 3, 4, 5, 6, 7, 8, 12})
        for (const int chunks : {2, 3, 4})
            for (const auto& [forward, backward, transfer] :
                 {std::tuple(1.0, 2.0, 0.0), std::tuple(1.0, 2.0, 0.5), std::tuple(1.0, 1.0, 1.0),
                  std::tuple(3.0, 1.0, 0.25)}) {
                double before = 0;
                for (int m = 1; m <= 4 * p + 2; ++m) {
                    SCOPED_TRACE(std::to_string(p) + " ranks, " + std::to_string(chunks) + " chunks, " +
                                 std::to_string(m) + " microbatches, transfer " + std::to_string(transfer));
                    const ScheduleShape shape = shapeFor(family, p, m, chunks), one = shapeFor(plain, p, m);
                    ASSERT_EQ(family.refusal(shape, {}), "");
                    const double makespan =
                        runOf(shape, ordersOf(family, shape),
                              {{TaskKind::forward, forward}, {TaskKind::backward, backward}}, transfer)
                            .makespan;
                    EXPECT_GE(makespan, before - 1e-9);
                    before = makespan;
                    if (transfer > 0) continue;
                    const Course other = runOf(
                        one, ordersOf(plain, one),
                        {{TaskKind::forward, chunks * forward}, {TaskKind::backward, chunks * backward}});
                    EXPECT_LE(makespan, other.makespan + 1e-9);
                }
            }
}

/// The share that a device idles of its span, of the device where that is longest: 1 - m (F + I + W) / span.
TEST(DeviceOrders, HandMadeZeroBubbleOrdersHaveThePublishedBubbles) {
    struct Published {
        int p, m;
        double forward, inputGradient, weightGradient, transfer, h1, h2;  // milliseconds, and shares
    };
    // Qi et al., ICLR 2024, Tables 3, 4, 5 and 9: profiled times, and the bubbles of the orders made by hand.
    for (const Published& row : {Published{8, 24, 18.522, 18.086, 9.337, 0.601, 0.1585, 0.1083},
                                 Published{8, 32, 18.513, 18.086, 9.331, 0.626, 0.1242, 0.0837},
                                 Published{8, 24, 29.718, 29.444, 19.927, 0.527, 0.1323, 0.0698},
                                 Published{8, 64, 29.935, 29.621, 19.388, 0.535, 0.0554, 0.0294}}) {
        const double work = row.m * (row.forward + row.inputGradient + row.weightGradient);
        const auto bubble = [&](const char* id) {
            ScheduleShape shape = shapeFor(familyOf(id), row.p, row.m);
            shape.times.assign(at(row.p), {row.forward, row.inputGradient, row.weightGradient});
            const double idle =
                worst(runOf(shape, ordersOf(familyOf(id), shape), equalPasses, row.transfer).spanBubble);
            return idle / (work + idle);
        };
        EXPECT_NEAR(bubble("zb-h1"), row.h1, 5.1e-5);
        EXPECT_NEAR(bubble("zb-h2"), row.h2, 5.1e-5);
    }
}

TEST(DeviceOrders, SearchesAreNoWorseThanTheReference) {
    for (const char* id : {"sched-10-zb-h2", "sched-11-zb-search", "sched-14-v-half", "sched-15-v-min"}) {
        const auto golden = goldenCase(id);
        const ScheduleFamily& family = familyOf(golden.input.at("family"));
        ScheduleShape shape = shapeFor(family, golden.input.at("ranks"), golden.input.at("microbatches"));
        const nlohmann::json& durations = golden.input.at("durations");
        const double transfer = golden.input.at("transfer");
        for (int s = 0; s < shape.stages(); ++s)
            shape.times.push_back(
                {durations.at("F")[at(s)], durations.at("I")[at(s)], durations.at("W")[at(s)]});
        for (int s = 0; s + 1 < shape.stages(); ++s)
            if (shape.rankOf[at(s)] != shape.rankOf[at(s) + 1])
                shape.times[at(s)].toNextS = shape.times[at(s)].fromNextS = transfer;
        ScheduleParameters parameters;
        const nlohmann::json& given = golden.input.at("parameters");
        if (given.contains("limit")) parameters["limit"] = given.at("limit");
        const Course run = runOf(shape, ordersOf(family, shape, parameters), equalPasses, transfer);
        const nlohmann::json& expected = golden.expected;
        EXPECT_LE(run.makespan, expected.at("makespan").get<double>()) << id;
        EXPECT_LE(worst(run.spanBubble), worst(expected.at("span_bubble").get<std::vector<double>>())) << id;
        if (golden.input.contains("limit")) {
            EXPECT_LE(worst(run.peakInHalves), golden.input.at("limit").get<double>()) << id;
        } else {
            EXPECT_LE(worst(run.peak), worst(expected.at("peak_count").get<std::vector<double>>())) << id;
        }
    }
}

TEST(DeviceOrders, SearchesKeepToTheirMemoryAndHaveNoBubbleWhereThereNeedBeNone) {
    for (int p = 1; p <= 16; ++p)
        for (int m = 1; m <= 64; m += m < 8 ? 1 : 14) {
            if (!isTried(at(p), at(m))) continue;
            SCOPED_TRACE(std::to_string(p) + " ranks, " + std::to_string(m) + " microbatches");
            const auto run = [&](const char* id, const ScheduleParameters& parameters = {}) {
                const ScheduleFamily& family = familyOf(id);
                const ScheduleShape shape = shapeFor(family, p, m);
                return runOf(shape, ordersOf(family, shape, parameters), equalPasses);
            };
            for (const int warmUp : {1, 2, 3}) {
                const Course made = run("zb-h2", {{"warm_up", warmUp}});
                EXPECT_EQ(worst(made.peak), std::min(m, warmUp * (p - 1) + 1));
                if (m >= warmUp * (p - 1) + 1 && warmUp > 1) {
                    EXPECT_EQ(worst(made.spanBubble), 0);
                }
            }
            const Course twice = run("zb-search", {{"limit", 2 * p - 1}});
            if (m >= 2 * p - 1) {
                EXPECT_EQ(worst(twice.spanBubble), 0);
            }
            for (const int limit : {1, 2, p, 2 * p}) {
                EXPECT_LE(worst(run("zb-search", {{"limit", limit}}).peakInHalves), limit);
            }
            EXPECT_LE(worst(run("v-half").peak), p % 2 == 0 ? p + 2 : p + 1);
            EXPECT_LE(worst(run("v-min").peak), 2 * ((p + 1) / 3 + 1));
            const Course fixed = run("zb-v"), searched = run("zb-v", {{"deviate", 1}});
            EXPECT_LE(searched.makespan, fixed.makespan);
            EXPECT_LE(worst(searched.peakInHalves), 2 * p);
            if (m >= 2 * p - 1) {
                EXPECT_EQ(worst(searched.spanBubble), 0);
            }
        }
}

namespace {

/// Every order of a rank's forwards, input and weight gradients within a limit of held microbatches.
void addOrders(std::vector<std::vector<Task>>& all, std::vector<Task>& order, int rank, int microbatches,
               double limit, std::array<int, 3> counts = {}) {
    const auto [f, i, w] = counts;
    if (w == microbatches) return all.push_back(order);
    const auto add = [&](TaskKind kind, int count, std::array<int, 3> next) {
        order.push_back({kind, rank, count});
        addOrders(all, order, rank, microbatches, limit, next);
        order.pop_back();
    };
    if (f < microbatches && f + 1 - 0.5 * i - 0.5 * w <= limit) add(TaskKind::forward, f, {f + 1, i, w});
    if (i < f) add(TaskKind::inputGradient, i, {f, i + 1, w});
    if (w < i) add(TaskKind::weightGradient, w, {f, i, w + 1});
}

/// The shortest makespan of all orders, by trying all of them.
double leastMakespan(const ScheduleShape& shape, double limit, double transfer) {
    std::vector<std::vector<std::vector<Task>>> choices(at(shape.ranks));
    for (int rank = 0; rank < shape.ranks; ++rank) {
        std::vector<Task> order;
        addOrders(choices[at(rank)], order, rank, shape.microbatches, limit);
    }
    double least = infinity;
    std::vector<std::size_t> chosen(choices.size(), 0);
    for (;;) {
        DeviceOrders orders;
        for (std::size_t rank = 0; rank < chosen.size(); ++rank)
            orders.push_back(choices[rank][chosen[rank]]);
        if (completes(shape, orders))
            least = std::min(least, runOf(shape, orders, equalPasses, transfer).makespan);
        std::size_t rank = 0;
        while (rank < chosen.size() && ++chosen[rank] == choices[rank].size()) chosen[rank++] = 0;
        if (rank == chosen.size()) return least;
    }
}

}  // namespace

TEST(DeviceOrders, TheSearchIsCloseToTheBestOfAllOrders) {
    double worstGap = 0;
    int compared = 0, optimal = 0;
    for (const auto& [p, m] : {std::pair(1, 3), std::pair(2, 2), std::pair(2, 3), std::pair(3, 2)})
        for (const PassTimes& times :
             {PassTimes{1, 1, 1}, PassTimes{2, 1, 1}, PassTimes{1, 2, 1}, PassTimes{1, 1, 2},
              PassTimes{3, 4, 2}, PassTimes{2, 3, 3}, PassTimes{10, 12, 9}})
            for (const double transfer : {0.0, 0.5})
                for (const int limit : {1, 2, 3}) {
                    ScheduleShape shape = shapeFor(familyOf("zb-search"), p, m);
                    shape.times.assign(at(p), times);
                    for (PassTimes& each : shape.times) each.toNextS = each.fromNextS = transfer;
                    const double best = leastMakespan(shape, limit, transfer);
                    const Course run =
                        runOf(shape, ordersOf(familyOf("zb-search"), shape, {{"limit", limit}}), equalPasses,
                              transfer);
                    EXPECT_GE(run.makespan, best - 1e-9);
                    worstGap = std::max(worstGap, run.makespan / best - 1);
                    optimal += run.makespan <= best + 1e-9 ? 1 : 0;
                    ++compared;
                }
    RecordProperty("worst_gap_percent", std::to_string(100 * worstGap));
    std::cout << "best order found in " << optimal << " of " << compared << " cases, never more than "
              << 100 * worstGap << " % longer\n";
    EXPECT_LE(worstGap, 0.02);
}

TEST(DeviceOrders, ChimeraHasItsBubbleWhereBackwardsTakeAsLongAsForwards) {
    const ScheduleFamily& chimera = familyOf("chimera");
    for (int p = 2; p <= 16; p += 2)
        for (int m = p; m <= 64; m += p) {
            const ScheduleShape shape = shapeFor(chimera, p, m);
            EXPECT_EQ(chimera.refusal(shape, {}), "");
            const Course run =
                runOf(shape, ordersOf(chimera, shape), {{TaskKind::forward, 1}, {TaskKind::backward, 1}});
            EXPECT_EQ(run.makespan, 2 * m + p - 2) << p << " ranks, " << m << " microbatches";
            for (int s = 0; s < p; ++s)
                EXPECT_LE(run.peak[at(s)], p / 2 + 1 + std::min(s, p - 1 - s)) << p << " " << m << " " << s;
        }
}

TEST(DeviceOrders, DualPipesHaveTheBubbleAndTheMemoryOfTheirClosedFormsWithEqualPasses) {
    for (int p = 1; p <= 16; ++p)
        for (int m = 2 * p; m <= 64; ++m) {
            SCOPED_TRACE(std::to_string(p) + " ranks, " + std::to_string(m) + " microbatches");
            const ScheduleFamily& folded = familyOf("dualpipe-v");
            const Course v =
                runOf(shapeFor(folded, p, m), ordersOf(folded, shapeFor(folded, p, m)), equalPasses);
            EXPECT_EQ(worst(v.spanBubble), 2 * (p - 1)) << "a pair as long as its passes";
            EXPECT_LE(worst(v.peak), 2 * p + 1);
            const ScheduleFamily& both = familyOf("dualpipe");
            const ScheduleShape shape = shapeFor(both, p, m);
            if (p % 2 != 0 || m % 2 != 0) {
                EXPECT_NE(both.refusal(shape, {}), "");
                continue;
            }
            const Course run = runOf(shape, ordersOf(both, shape), equalPasses);
            EXPECT_EQ(worst(run.spanBubble), p - 2);
            EXPECT_LE(worst(run.peak), p + 1);
        }
}

TEST(DeviceOrders, Seq1F1BHasABubbleAndAMemoryOfSlices) {
    const ScheduleFamily& family = familyOf("seq1f1b");
    for (int p = 1; p <= 16; ++p)
        for (int m = 1; m <= 64; m += m < 8 ? 1 : 7)
            for (const int slices : {1, 2, 3, 4, 8}) {
                SCOPED_TRACE(std::to_string(p) + " ranks, " + std::to_string(m) + " microbatches, " +
                             std::to_string(slices) + " slices");
                const ScheduleShape shape = shapeFor(family, p, m);
                const Course run = runOf(shape, ordersOf(family, shape, {{"slices", slices}}), equalPasses);
                if (m * slices >= p) {
                    EXPECT_EQ(run.makespan, 3 * m * slices + 3 * (p - 1));
                }
                for (int s = 0; s < p; ++s)
                    EXPECT_EQ(run.peak[at(s)], std::min(m * slices, p - s - 1 + slices)) << "stage " << s;
            }
}

TEST(DeviceOrders, ShapesThatAFamilyCannotTakeAreRefusedInWordsAndAllOthersComeToTheEnd) {
    int refused = 0, taken = 0;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        // Passes of a vocabulary have tests of their own.
        if (!family.deviceOrders || sharesVocabulary(family)) continue;
        for (int p = 1; p <= 6; ++p)
            for (int m = 1; m <= 14; ++m)
                for (int chunks = 1; chunks <= (family.placement == Placement::ring ? 3 : 1); ++chunks)
                    for (int group = 0; group <= (family.parameters.empty() ? 0 : 8); ++group) {
                        const ScheduleShape shape = shapeFor(family, p, m, chunks);
                        const ScheduleParameters parameters = {{"group", group}};
                        if (family.refusal && !family.refusal(shape, parameters).empty()) {
                            ++refused;
                            continue;
                        }
                        ++taken;
                        const DeviceOrders orders = ordersOf(family, shape, parameters);
                        EXPECT_TRUE(completes(shape, orders)) << family.id << " " << p << " " << m;
                        EXPECT_NO_THROW(runOf(shape, orders, equalPasses))
                            << family.id << " " << p << " ranks, " << m << " microbatches, " << chunks
                            << " chunks, groups of " << group;
                    }
    }
    EXPECT_GT(refused, 50);
    EXPECT_GT(taken, 500);
}

TEST(DeviceOrders, NoneOfFiveHundredShapesAFamilyWithTimesOfAnyLengthWaitsForItself) {
    std::mt19937 random(11);
    const auto upTo = [&](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    std::map<std::string, int> taken;
    const std::vector<ScheduleFamily>& families = scheduleFamilies();
    for (std::size_t round = 0; round < 500 * families.size(); ++round) {
        const ScheduleFamily& family = families[random() % families.size()];
        if (!family.deviceOrders) continue;
        ScheduleShape shape = shapeFor(family, upTo(6), upTo(12), upTo(3));
        for (int s = 0; s < shape.stages(); ++s)
            shape.times.push_back(
                {0.1 * upTo(40), 0.1 * upTo(40), 0.1 * upTo(40), 0.1 * upTo(20), 0.1 * upTo(20)});
        ScheduleParameters parameters;
        for (const Parameter& parameter : family.parameters)
            if (random() % 2 == 0) parameters[parameter.name] = upTo(6);
        if (family.refusal && !family.refusal(shape, parameters).empty()) continue;
        const DeviceOrders orders = family.deviceOrders(shape, parameters);
        EXPECT_TRUE(completes(shape, orders)) << family.id << ", round " << round;
        std::map<TaskKind, int> tasks;
        for (const std::vector<Task>& order : orders)
            for (const Task& task : order) ++tasks[task.kind];
        const int copies = family.placement == Placement::opposite ? 2 : 1;
        const int slices = Schedule{FamilySchedule{family.id, parameters}}.slices();
        const int each = shape.stages() * shape.microbatches * slices / copies;
        EXPECT_EQ(tasks[TaskKind::forward], each) << family.id << ", round " << round;
        EXPECT_EQ(tasks[TaskKind::backward] + tasks[TaskKind::inputGradient], each)
            << family.id << ", round " << round;
        EXPECT_EQ(tasks[TaskKind::inputGradient], tasks[TaskKind::weightGradient])
            << family.id << ", round " << round;
        ++taken[family.id];
    }
    EXPECT_GE(taken.size(), 9u);
    for (const auto& [id, count] : taken) EXPECT_GT(count, 50) << id;
}

TEST(DeviceOrders, AnOrderThatWaitsForItselfDoesNotComplete) {
    const ScheduleShape shape = shapeFor(familyOf("zb-h1"), 2, 1);
    EXPECT_FALSE(completes(shape, {{{TaskKind::backward, 0, 0}, {TaskKind::forward, 0, 0}},
                                   {{TaskKind::forward, 1, 0}, {TaskKind::backward, 1, 0}}}));
}

TEST(DeviceOrders, StagesInOtherPlacesAreRefusedWithWhatWasExpected) {
    const auto complaint = [](const char* id, std::vector<Stage> stages, int microbatches) -> std::string {
        try {
            spelledOut(familyOf(id), stages, microbatches, {});
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(
        complaint("zb-v", {{0, 0, {0}}, {1, 1, {1}}, {2, 2, {0}}, {3, 3, {1}}}, 4),
        "the schedule 'zb-v' does not apply: stage 2 is on the devices of stage 0; expected stages in a V: "
        "down the devices and back");
    EXPECT_EQ(complaint("zb-h1", {{0, 0, {0}}, {1, 1, {0}}}, 4),
              "the schedule 'zb-h1' does not apply: 2 stages on 1 device; expected one stage a device");
    EXPECT_EQ(complaint("interleaved", {{0, 0, {0, 1}}, {1, 1, {1}}}, 4),
              "stage 1 shares some of its devices, but not all, with another stage");
    EXPECT_EQ(
        complaint("chimera", {{0, 0, {0}}, {1, 1, {1}}, {0, 0, {1}, 1}, {1, 1, {0}, 1}}, 3),
        "the schedule 'chimera' does not apply: 3 microbatches on 2 devices; expected a multiple of the "
        "devices, such as 2 or 4");
    EXPECT_EQ(complaint("zb-v", {{0, 0, {0}}, {1, 1, {1}}, {2, 2, {1}}, {3, 3, {0}}}, 1), "");
}

/// Those are remembered from one search to the next: of as many ranks and microbatches, and of that family.
TEST(DeviceOrders, OfAVWithUnequalPassesAmongThoseFoundAreThoseOfEqualOnes) {
    std::mt19937 random(3);
    for (int round = 0; round < 3; ++round)
        for (const char* id : {"v-half", "v-min"})
            for (const auto& [p, m] : {std::pair(2, 4), std::pair(2, 9), std::pair(4, 9), std::pair(4, 30)}) {
                const ScheduleFamily& family = familyOf(id);
                ScheduleShape shape = shapeFor(family, p, m);
                const DeviceOrders equal = family.deviceOrders(shape, {});
                for (int s = 0; s < shape.stages(); ++s)
                    shape.times.push_back({1.0 + random() % 4, 1.0 + random() % 4, 1.0 + random() % 4});
                EXPECT_TRUE(
                    std::ranges::any_of(family.found(shape, {}),
                                        [&equal](const FoundOrders& found) { return found.orders == equal; }))
                    << id << " of " << p << " ranks and " << m << " microbatches";
            }
}
