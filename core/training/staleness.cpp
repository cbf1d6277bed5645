#include "core/training/staleness.h"

#include "core/base/indices.h"

namespace stagecraft::training {

namespace {

struct Sum {
    double age = 0, ahead = 0;
    int count = 0;

    void add(int own, const WeightUse& use) {
        age += own - use.version;
        ahead += use.ahead;
        ++count;
    }
    double meanAge() const { return count ? age / count : 0; }
    double meanAhead() const { return count ? ahead / count : 0; }
};

}  // namespace

std::vector<StageStaleness> stalenessOf(const Program& program, int stages) {
    // How many updates of the stage come before that of the mini-batch.
    std::vector<int> before(at(stages) * at(program.iterations), 0), updates(at(stages), 0);
    const auto index = [&](const Step& step) {
        return at(step.stage) * at(program.iterations) + at(step.iteration);
    };
    for (const Step& step : program.steps)
        if (step.kind == StepKind::update) before[index(step)] = updates[at(step.stage)]++;
    std::vector<Sum> forwards(at(stages)), backwards(at(stages));
    for (const Step& step : program.steps) {
        if (step.kind == StepKind::update || step.iteration < program.iterations / 2) continue;
        Sum& sum = (step.kind == StepKind::forward ? forwards : backwards)[at(step.stage)];
        sum.add(before[index(step)], step.weights);
    }
    std::vector<StageStaleness> means;
    for (int stage = 0; stage < stages; ++stage)
        means.push_back({forwards[at(stage)].meanAge(), backwards[at(stage)].meanAge(),
                         forwards[at(stage)].meanAhead(), backwards[at(stage)].meanAhead()});
    return means;
}

}  // namespace stagecraft::training
