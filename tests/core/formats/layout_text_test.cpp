// Megatron-LM's layouts of a pipeline: what is read is what Megatron-LM makes of them, and what it refuses is
// refused.
#include "core/formats/configurations/configuration_formats.h"
#include "core/formats/configurations/layout_text.h"
#include "core/formats/input_error.h"
#include "tests/core/support/megatron_layout.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

namespace stagecraft {
namespace {

std::vector<StageContent> layoutRead(const std::string& text, int ranks) {
    return pipelineLayout(text, ranks, [](const std::string& problem, const std::string& expected) {
        throw InputError("F", "", problem, expected);
    });
}

std::string lettersOf(const StageContent& stage) {
    return (stage.embedding ? "E" : "") + std::string(static_cast<std::size_t>(stage.blocks), 't') +
           std::string(static_cast<std::size_t>(stage.predictions), 'm') + (stage.head ? "L" : "");
}

std::string unrolled(const std::string& text, int ranks) {
    std::string plain;
    for (const StageContent& stage : layoutRead(text, ranks)) plain += "|" + lettersOf(stage);
    return plain.substr(1);
}

std::string layoutComplaint(const std::string& text, int ranks) {
    try {
        layoutRead(text, ranks);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(Layouts, AreUnrolledAsTheirExamplesSay) {
    EXPECT_EQ(unrolled("Ettt|(tt|)*3,m|L", 3), "Ettt|tt|tt|tt|m|L");
    EXPECT_EQ(unrolled("Et*3|(tt|)*2,mL", 4), "Ettt|tt|tt|mL");
    EXPECT_EQ(unrolled("E,t*2|(|tt)*0t*2,L", 2), "Ett|ttL");
    EXPECT_EQ(unrolled(" 'Et|t|(tt|)*2tL'\n", 5), "Et|t|tt|tt|tL");
    EXPECT_EQ(unrolled("Ett|(tt|)*6L", 8), "Ett|tt|tt|tt|tt|tt|tt|L");
    // Brackets are written out before letters.
    EXPECT_EQ(unrolled("E(t*2|)*3L", 4), "Ett|tt|tt|L");
    EXPECT_EQ(unrolled("Et|*3L", 2), "Et|||L");
    EXPECT_EQ(unrolled("E(t)*2*3L", 1), "EttttL");
}

TEST(Layouts, EmptyStagesAreStages) {
    EXPECT_EQ(unrolled("Ett||tt|L", 2), "Ett||tt|L");
    EXPECT_EQ(unrolled("Ett|(|)*4,tL", 6), "Ett|||||tL");
    // The embedding is made where the pipeline begins, and the head where it ends.
    EXPECT_EQ(unrolled("|Ett|ttL|", 2), "E|tt|tt|L");
}

TEST(Layouts, WhatMegatronRefusesIsRefusedInWords) {
    const std::tuple<const char*, int, const char*> faulty[] = {
        {"Et|tm|t|tmL", 2,
         "F: the layout has blocks behind layers of multi-token prediction; expected every t before "
         "the first m"},
        {"Et|t|tm|mL", 2,
         "F: the layout has layers of multi-token prediction in stage 2 and in stage 3; expected all of them "
         "in one "
         "stage"},
        {"Ettt|m||L", 2,
         "F: the layout has layers of multi-token prediction in stage 1, which is not the last of its rank; "
         "expected "
         "them in one of the stages 2 to 3"},
        {"Et|tL", 1,
         "F: the layout has 2 stages on one rank, interleaved; expected --pipeline-model-parallel-size of at "
         "least 2"},
        {"E(tt|)L", 2,
         "F: the layout's brackets do not match, hold nothing, or are not repeated; expected one ')' for "
         "each '(', "
         "none inside another, and *n behind each ')', such as (tt|)*3"},
        {"Et*|L", 2,
         "F: the layout has no number after '*', or nothing before it; expected a letter with a number of "
         "repetitions, such as t*3"},
        {"Et t|L", 2,
         "F: the layout has ' '; expected E (embedding), t (block), m (multi-token prediction), L (head with "
         "loss), | "
         "between stages, and x*n or (…)*n"},
        {"Et*99999999999|L", 2, "F: a number behind '*' in the layout is too large; expected fewer layers"},
        {"Et*99999|L", 2, "F: the layout has more than 65,536 letters; expected fewer layers"},
        {"||", 3, "F: the layout does not begin with its one embedding; expected E first, and nowhere else"}};
    for (const auto& [text, ranks, complaint] : faulty)
        EXPECT_EQ(layoutComplaint(text, ranks), complaint) << text;
    EXPECT_EQ(layoutComplaint("Ettt|m|t*0|L", 4), "");
}

TEST(Layouts, GoWithNoOtherWayToSayWhatStagesHold) {
    const std::string run =
        "--micro-batch-size 1 --pipeline-model-parallel-size 2\n"
        "--pipeline-model-parallel-layout Ett|ttL ";
    for (const std::string other :
         {"--decoder-first-pipeline-num-layers 2", "--decoder-last-pipeline-num-layers 2",
          "--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"}) {
        std::string said;
        try {
            readConfiguration(run + other, "F");
        } catch (const InputError& error) {
            said = error.what();
        }
        EXPECT_EQ(said,
                  "F: line 2: it does not go with --pipeline-model-parallel-layout; expected one of the two "
                  "ways to say what stages hold")
            << other;
    }
}

/// Stages of which most layouts are made: some empty, with layers of multi-token prediction where they may be
/// or elsewhere.
std::vector<std::string> drawnStages(std::mt19937& random, int ranks) {
    const auto upTo = [&random](int most) {
        return static_cast<int>(random() % static_cast<unsigned>(most + 1));
    };
    const int count = ranks * (1 + upTo(ranks > 1 ? 2 : 0));
    std::vector<std::string> stages(static_cast<std::size_t>(count));
    for (std::string& stage : stages)
        if (upTo(3) > 0) stage.assign(static_cast<std::size_t>(upTo(5)), 't');
    const auto addPredictions = [&](int stage) {
        stages[static_cast<std::size_t>(stage)] += std::string(static_cast<std::size_t>(1 + upTo(1)), 'm');
        for (int behind = stage + 1; behind < count && upTo(4) > 0; ++behind) {
            std::string& own = stages[static_cast<std::size_t>(behind)];
            std::erase(own, 't');
        }
    };
    if (upTo(1)) addPredictions(upTo(3) ? count - 1 - upTo(ranks - 1) : upTo(count - 1));
    if (upTo(9) == 0) addPredictions(upTo(count - 1));
    stages[upTo(9) ? 0 : static_cast<std::size_t>(upTo(count - 1))].insert(0, "E");
    stages[upTo(9) ? stages.size() - 1 : static_cast<std::size_t>(upTo(count - 1))] += "L";
    return stages;
}

/// The stages in one of the ways to write them, perhaps with letters that do not belong there.
std::string drawnText(std::mt19937& random, const std::vector<std::string>& stages) {
    const auto oneIn = [&random](unsigned many) { return random() % many == 0; };
    std::string text;
    for (std::size_t stage = 0; stage < stages.size();) {
        std::size_t end = stage + 1;
        while (end + 1 < stages.size() && stages[end] == stages[stage]) ++end;
        const bool isGroup = end - stage > 1 && oneIn(2);
        if (!isGroup) end = stage + 1;
        std::string part;
        for (std::size_t at = 0; at < stages[stage].size();) {
            const std::size_t next =
                std::min(stages[stage].find_first_not_of(stages[stage][at], at), stages[stage].size());
            part += oneIn(2) ? std::string(1, stages[stage][at]) + "*" + std::to_string(next - at)
                             : stages[stage].substr(at, next - at);
            if (oneIn(4)) part += ",";
            at = next;
        }
        if (end < stages.size()) part += "|";
        text += isGroup ? "(" + part + ")*" + std::to_string(end - stage) : part;
        stage = end;
    }
    constexpr std::string_view letters = "EtmL|()*0123,x";
    while (oneIn(3)) {
        const std::size_t place = random() % (text.size() + 1);
        if (oneIn(2))
            text.insert(place, 1, letters[random() % letters.size()]);
        else
            text.erase(place, 1);
    }
    return text;
}

// Each way round: what is read is what Megatron-LM takes, as it takes it, and what it refuses has its words.
RC_GTEST_PROP(Layouts, AreReadExactlyAsMegatronReadsThem, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const int ranks = 1 + static_cast<int>(random() % 4);
    const std::string text = drawnText(random, drawnStages(random, ranks));
    const MegatronLayout wanted = megatronLayout(text, ranks);
    const std::string complaint = layoutComplaint(text, ranks);
    RC_TAG(wanted.objection);
    RC_LOG() << text << " on " << ranks << ": " << wanted.objection << " / " << complaint;
    RC_ASSERT(complaint.empty() == wanted.objection.empty());
    if (!complaint.empty()) return;
    std::vector<std::string> stages = wanted.stages;
    for (std::string& stage : stages)
        std::erase_if(stage, [](char letter) { return letter == 'E' || letter == 'L'; });
    stages.front().insert(0, "E");
    stages.back() += "L";
    const std::vector<StageContent> read = layoutRead(text, ranks);
    RC_ASSERT(read.size() == stages.size());
    for (std::size_t stage = 0; stage < read.size(); ++stage)
        RC_ASSERT(lettersOf(read[stage]) == stages[stage]);
}

}  // namespace
}  // namespace stagecraft
