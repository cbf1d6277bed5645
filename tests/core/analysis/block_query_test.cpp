#include "core/analysis/block_query.h"

#include "core/analysis/evaluation.h"
#include "tests/core/support/random_problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace stagecraft {
namespace {

using random_problem::upTo;

struct Searched {
    Problem problem;
    Plan plan;
    Evaluation evaluation;

    explicit Searched(unsigned seed) {
        std::mt19937 random(seed);
        problem = random_problem::problem(random, 2 + upTo(random, 5), 2 + upTo(random, 5));
        plan = random_problem::plan(random, problem);
        const CostModel costs(problem);
        evaluation = evaluate(costs, plan);
    }
    const Timeline& timeline() const { return evaluation.timeline; }
    BlockQuery query(const std::string& text) const { return {text, problem.cluster, plan, timeline()}; }
    std::vector<std::uint32_t> find(const std::string& text) const {
        return query(text).find(timeline(), evaluation.metrics.criticalPath.blocks);
    }
    std::string mistake(const std::string& text) const {
        try {
            query(text);
        } catch (const QueryMistake& it) {
            return text.substr(0, it.from) + "[" + text.substr(it.from, it.length) + "] " + it.what();
        }
        return "none";
    }
};

using Condition = std::function<bool(std::uint32_t block)>;

/// A random term and, written apart from the query's own way, what it says of a block.
std::pair<std::string, Condition> anyTerm(std::mt19937& random, const Searched& in) {
    const Timeline& t = in.timeline();
    const auto number = [&random](int count) { return upTo(random, std::max(0, count - 1)); };
    const auto devicesOf = [&t](std::uint32_t b) -> const std::vector<int>& {
        return t.lanes[static_cast<std::size_t>(t.laneOf(b))].devices;
    };
    const auto onDevice = [&in, devicesOf](auto wanted) {
        return [&in, devicesOf, wanted](std::uint32_t b) {
            for (const int device : devicesOf(b))
                if (wanted(in.problem.cluster.devices[static_cast<std::size_t>(device)])) return true;
            return false;
        };
    };
    switch (random() % 11) {
        case 0: {
            const int stage = number(in.plan.stageCount());
            return {"stage:" + std::to_string(stage), [&t, stage](auto b) { return t.stage[b] == stage; }};
        }
        case 1: {
            const int a = number(in.problem.setup.microbatches), b = number(in.problem.setup.microbatches);
            const auto [from, to] = std::minmax(a, b);
            return {"mb:" + std::to_string(from) + ".." + std::to_string(to),
                    [&t, from = from, to = to](auto it) {
                        return t.microbatch[it] >= from && t.microbatch[it] <= to;
                    }};
        }
        case 2: {
            const int from = number(in.problem.setup.microbatches);
            return {"microbatch:" + std::to_string(from) + "..,0",
                    [&t, from](auto b) { return t.microbatch[b] >= from || t.microbatch[b] == 0; }};
        }
        case 3:
            return {"kind:transfer,forward", [&t](auto b) {
                        return t.kind[b] == BlockKind::forward || t.kind[b] == BlockKind::transferForward ||
                               t.kind[b] == BlockKind::transferBackward;
                    }};
        case 4: {
            const std::string id = "g" + std::to_string(number(in.problem.cluster.deviceCount()));
            return {"device:" + id, onDevice([id](const Device& it) { return it.id == id; })};
        }
        case 5:
            return {"server:s0", onDevice([](const Device& it) { return it.server == "s0"; })};
        case 6: {
            const double s = 0.001 + number(20);
            return {"longer:" + std::to_string(s) + "s", [&t, s](auto b) { return t.durationS(b) > s; }};
        }
        case 7: {
            const int copy = number(in.plan.pipelineCount());
            return {"copy:" + std::to_string(copy), [&in, &t, copy](auto b) {
                        return in.plan.stages[static_cast<std::size_t>(t.stage[b])].pipeline == copy;
                    }};
        }
        case 8: {
            // Of a stage that there is, so that there is such a chunk.
            const auto chunk = [&in](int stage) {
                const auto deviceOf = [&in](int s) {
                    return in.plan.stages[static_cast<std::size_t>(s)].devices.front();
                };
                int earlier = 0;
                for (int s = 0; s < stage; ++s) earlier += deviceOf(s) == deviceOf(stage);
                return earlier;
            };
            const int wanted = chunk(number(in.plan.stageCount()));
            return {"chunk:" + std::to_string(wanted),
                    [&t, chunk, wanted](auto b) { return chunk(t.stage[b]) == wanted; }};
        }
        case 9: {
            const auto& path = in.evaluation.metrics.criticalPath.blocks;
            return {"critical",
                    [&path](auto b) { return std::find(path.begin(), path.end(), b) != path.end(); }};
        }
        default: {
            const int layer = number(in.problem.profile.layerCount());
            return {"layer:" + std::to_string(layer), [&in, &t, layer](auto b) {
                        const Stage& stage = in.plan.stages[static_cast<std::size_t>(t.stage[b])];
                        return stage.firstLayer <= layer && layer <= stage.lastLayer;
                    }};
        }
    }
}

TEST(BlockQuery, AnyTermsTogetherFindWhatLookingAtEachBlockFinds) {
    std::size_t found = 0, searches = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        const Searched in(seed);
        std::mt19937 random(seed + 1000);
        std::string text;
        std::vector<Condition> conditions;
        std::set<std::string> told;
        for (int terms = 1 + upTo(random, 2); terms > 0; --terms) {
            auto [term, condition] = anyTerm(random, in);
            if (!told.insert(term).second) continue;  // "critical -critical" is a separate mistake
            const bool negated = random() % 4 == 0 && !term.starts_with("longer");
            text += (negated ? " -" : " ") + term;
            conditions.push_back(
                [condition = condition, negated](auto b) { return condition(b) != negated; });
        }
        std::set<std::uint32_t> expected;
        for (std::uint32_t b = 0; b < in.timeline().blockCount(); ++b)
            if (std::all_of(conditions.begin(), conditions.end(), [b](const auto& it) { return it(b); }))
                expected.insert(b);
        const std::vector<std::uint32_t> hits = in.find(text);
        EXPECT_EQ(std::set<std::uint32_t>(hits.begin(), hits.end()), expected) << text;
        EXPECT_EQ(hits.size(), expected.size()) << text;
        EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(), [&in](auto a, auto b) {
            return in.timeline().startS[a] < in.timeline().startS[b];
        })) << text;
        found += !hits.empty();
        ++searches;
    }
    EXPECT_GT(found, searches / 3) << "searches that find nothing prove little";
}

/// Two stages of one GPU each, two microbatches.
Searched small() {
    Searched in(0);
    in.problem = {};
    in.problem.profile.layers = {{"a", 1, 2, 100, 10, 10, 0, 1}, {"b", 1, 2, 100, 0, 0, 0, 1}};
    in.problem.cluster.devices = {{"left", "here", "V100", 1e9, 1, 0},
                                  {"right gpu", "there", "A100", 1e9, 1, 0}};
    in.problem.cluster.links = {{"left", "right gpu", 100, 0, ""}};
    in.problem.setup.microbatches = 2;
    in.plan = {};
    in.plan.stages.resize(2);
    in.plan.stages[0].devices = {0};
    in.plan.stages[1].firstLayer = in.plan.stages[1].lastLayer = 1;
    in.plan.stages[1].devices = {1};
    in.evaluation = evaluate(CostModel(in.problem), in.plan);
    return in;
}

TEST(BlockQuery, WordsAreOfKindsDevicesServersAndTypes) {
    const Searched in = small();
    EXPECT_TRUE(in.query("   ").isEmpty());
    EXPECT_TRUE(in.find("").empty());
    EXPECT_EQ(in.find("LEFT kind:f").size(), 2u);
    EXPECT_EQ(in.find("a100 backward -transfer"), in.find("stage:1 kind:backward"));
    EXPECT_EQ(in.find("\"right gpu\" kind:compute"), in.find("device:\"right gpu\" kind:compute"));
    EXPECT_EQ(in.find("device:r*"), in.find("server:t*"));
    EXPECT_EQ(in.find("kind:Transfer-Forward"), in.find("kind:\"transfer forward\""));
    EXPECT_EQ(in.find("-kind:compute"), in.find("kind:communication"));
    EXPECT_EQ(in.find("!stage:0 kind:compute"), in.find("stage:1 kind:compute"));
    EXPECT_TRUE(in.find("nowhere").empty());
}

TEST(BlockQuery, TimesBoundWhereABlockLies) {
    const Searched in = small();
    EXPECT_EQ(in.find("longer:1.5s kind:compute"), in.find("kind:backward"));
    EXPECT_EQ(in.find("shorter:1.5s kind:compute -update"), in.find("kind:forward"));
    const Timeline& t = in.timeline();
    for (const std::uint32_t block : in.find("after:2s before:5s"))
        EXPECT_TRUE(t.startS[block] >= 2 && t.endS[block] <= 5);
    EXPECT_FALSE(in.find("after:2s before:5s").empty());
}

TEST(BlockQuery, AMistakeIsToldWithItsPlace) {
    const Searched in = small();
    const std::pair<const char*, const char*> mistakes[] = {
        {"kind:forward stag:1", "kind:forward [stag] 'stag:' is not known (did you mean 'stage'?)"},
        {"stage:2", "[2] the plan has stages 0 to 1"},
        {"mb:0,x..1", "[x] 'x' is not the number of a microbatch; write 3, 3..5, 3.. or 1,4"},
        {"mb:1..0", "[1..0] the range ends before it begins"},
        {"mb:..", "[..] the range has neither a begin nor an end"},
        {"mb:0,,1", "[,] here the number of a microbatch is missing"},
        {"stage:", "[] here the number of a stage is missing"},
        {"kind:bakward", "[bakward] 'bakward' is not a kind of block (did you mean 'backward'?)"},
        {"kind:forward,bakward", "kind:forward,[bakward] 'bakward' is not a kind of block"},
        {"mb:\"0\",x", "mb:\"0\",[x] 'x' is not the number of a microbatch"},
        {"device:\"no gpu\"", "device:[\"no gpu\"] no device 'no gpu'"},
        {"device:lft", "[lft] no device 'lft' (did you mean 'left'?)"},
        {"longer:5", "[5] '5' is not a time; write it with its unit, such as 5ms or 20us"},
        {"longer:", "[] here a time is missing, such as 5ms"},
        {"-longer:5ms", "-[longer] '-' cannot precede 'longer:'; write the comparison the other way round"},
        {"critical -critical", "critical -[critical] no block is critical and not critical"},
        {"device:\"left", "[device:\"left] unterminated quotation mark"},
        {"a -", "a [-] '-' must be followed by the term to negate"},
    };
    for (const auto& [text, expected] : mistakes) {
        const std::string found = in.mistake(text);
        EXPECT_NE(found.find(expected), std::string::npos) << text << "\n  " << found;
    }
}

TEST(BlockQuery, EveryExampleOfTheHelpCanBeAsked) {
    const Searched in = small();
    for (const BlockQueryTerm& term : blockQueryTerms()) {
        const std::string mistake = in.mistake(term.example);
        // Those that name what this small plan has not are understood as well.
        EXPECT_TRUE(mistake == "none" || mistake.find("] the") != std::string::npos ||
                    mistake.find("] no ") != std::string::npos)
            << term.example << ": " << mistake;
    }
}

}  // namespace
}  // namespace stagecraft
