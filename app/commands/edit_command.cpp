#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/plan/edit_effect.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/editing/plan_edit.h"
#include "core/editing/recompute_modes.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"

namespace stagecraft::app::commands {

namespace {

std::vector<std::string> recomputeModeIds() {
    std::vector<std::string> ids;
    for (const RecomputeMode& mode : recomputeModes) ids.emplace_back(mode.id);
    return ids;
}

constexpr const char* groupForm =
    "group:STAGE:tensor=N,sequence-parallel,context=N,expert=N or group:STAGE:none";

/// The words of "move-boundary:1:-2".
class EditWords {
public:
    explicit EditWords(const std::string& text) : text_(text) {
        for (const std::string_view word : cellsOf(text, ':')) words_.emplace_back(word);
    }

    const std::string& name() const { return words_.front(); }
    void expect(std::size_t count, const std::string& form) const {
        if (words_.size() != count + 1) throw UsageError("'" + text_ + "' should be " + form);
    }
    const std::string& word(std::size_t index) const { return words_.at(index); }
    int number(std::size_t index) const {
        const std::string& word = words_.at(index);
        const std::optional<int> value = wholeInteger(word);
        if (!value) throw UsageError("'" + text_ + "': '" + word + "' is not a whole number");
        return *value;
    }
    int device(std::size_t index, const Cluster& cluster) const {
        const int device = cluster.deviceIndex(words_.at(index));
        if (device >= 0) return device;
        std::vector<std::string> ids;
        for (const Device& known : cluster.devices) ids.push_back(known.id);
        throw UsageError("'" + text_ + "': no device '" + words_.at(index) + "'" +
                         spellingHint(words_.at(index), ids));
    }

    LayerMemory recomputation(std::size_t index) const {
        if (const RecomputeMode* mode = findRecomputeMode(words_.at(index))) return mode->memory;
        throw UsageError("'" + text_ + "': expected one of " + joinNames(recomputeModeIds(), ", ") +
                         " at the end" + spellingHint(words_.at(index), recomputeModeIds()));
    }

    /// "tensor=8,sequence-parallel,context=2"; "none" divides nothing.
    Group group(std::size_t index) const {
        Group group;
        if (words_.at(index) == "none") return group;
        for (const std::string_view part : cellsOf(words_.at(index), ',')) {
            const std::size_t equals = part.find('=');
            const std::string name(part.substr(0, equals));
            if (name == "sequence-parallel" && equals == std::string_view::npos) {
                group.sequenceParallel = true;
                continue;
            }
            int* degree = name == "tensor"    ? &group.tensor
                          : name == "context" ? &group.context
                          : name == "expert"  ? &group.expert
                                              : nullptr;
            const auto value = equals == std::string_view::npos
                                   ? std::nullopt
                                   : wholeInteger(std::string(part.substr(equals + 1)));
            if (!degree || !value || *value < 1 || *value > mostRanks)
                throw UsageError("'" + text_ + "': '" + std::string(part) + "' should be one of " +
                                 degreeForms);
            *degree = *value;
        }
        return group;
    }

private:
    static constexpr const char* degreeForms = "tensor=N, sequence-parallel, context=N, expert=N";
    std::string text_;
    std::vector<std::string> words_;
};

PlanEdit editOf(const std::string& text, const Problem& problem, const Plan& plan) {
    const EditWords words(text);
    const Cluster& cluster = problem.cluster;
    if (words.name() == "move-boundary") {
        words.expect(2, "move-boundary:STAGE:LAYERS");
        return MoveBoundary{words.number(1), words.number(2)};
    }
    if (words.name() == "move-gpu") {
        words.expect(3, "move-gpu:ID:FROM:TO");
        return MoveDevice{words.device(1, cluster), words.number(2), words.number(3)};
    }
    if (words.name() == "add-gpu") {
        words.expect(2, "add-gpu:STAGE:ID");
        return AddReplica{words.number(1), words.device(2, cluster)};
    }
    if (words.name() == "remove-gpu") {
        words.expect(2, "remove-gpu:STAGE:ID");
        return RemoveReplica{words.number(1), words.device(2, cluster)};
    }
    if (words.name() == "split") {
        words.expect(2, "split:STAGE:LAYER");
        const int stage = words.number(1);
        if (stage < 0 || stage >= plan.stageCount())
            throw std::invalid_argument("no stage " + std::to_string(stage));
        return splitBefore(problem, plan, stage, words.number(2));
    }
    if (words.name() == "merge") {
        words.expect(1, "merge:STAGE");
        return MergeStages{words.number(1)};
    }
    if (words.name() == "recompute-stage") {
        words.expect(2, "recompute-stage:STAGE:MODE");
        return memoryOfStage(problem, plan, words.number(1), words.recomputation(2));
    }
    if (words.name() == "recompute-layers") {
        words.expect(3, "recompute-layers:FIRST:LAST:MODE");
        return memoryOfLayers(problem, words.number(1), words.number(2), words.recomputation(3));
    }
    if (words.name() == "group") {
        words.expect(2, groupForm);
        return groupOfStage(problem, plan, words.number(1), words.group(2));
    }
    throw UsageError(
        "no edit '" + words.name() + "'" +
        spellingHint(words.name(), {"move-boundary", "move-gpu", "add-gpu", "remove-gpu", "split", "merge",
                                    "recompute-stage", "recompute-layers", "group", "split-each", "join"}));
}

/// "split-each" and "join" put the stages in other places, which another schedule goes with.
std::optional<Plan> arranged(const std::string& text, const CostModel& costs, const Plan& plan) {
    const EditWords words(text);
    if (words.name() == "join") {
        words.expect(0, "join");
        const ScheduleFamily& family = *findScheduleFamily("1f1b");
        return underSchedule(withStagesJoined(plan), family, defaultValues(settingsOf(family)));
    }
    if (words.name() != "split-each") return std::nullopt;
    words.expect(2, "split-each:PARTS:ring or split-each:2:vee");
    const bool vee = words.word(2) == "vee";
    if (!vee && words.word(2) != "ring") throw UsageError("'" + text + "': expected ring or vee at the end");
    const int parts = words.number(1);
    if (parts < 2 || (vee && parts != 2))
        throw UsageError("'" + text + "': expected " + (vee ? "2 parts in a V" : "2 parts or more"));
    const ScheduleFamily& family = *findScheduleFamily(vee ? "zb-v" : "interleaved");
    return underSchedule(withStagesSplit(costs, plan, parts, family.placement), family,
                         defaultValues(settingsOf(family)));
}

int runEdit(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    const std::string& path = arguments.positionalAt(0, "PLAN");
    arguments.positionalAt(1, "EDIT");
    const PlansInput input = plansFrom(path);
    const Problem& problem = input.costs->problem();
    const std::size_t chosen = chosenPlan(arguments, input.plans, path);
    const Plan& before = input.plans[chosen];
    checkAge(input, chosen, path, err);
    const PlanRun was = evaluatePlan(input.costs, before);
    Plan plan = before;
    for (std::size_t index = 1; index < arguments.positional().size(); ++index) {
        const std::string& text = arguments.positional()[index];
        try {
            const std::optional<Plan> placed = arranged(text, *input.costs, plan);
            plan = placed ? *placed : editedPlan(plan, editOf(text, problem, plan));
        } catch (const std::invalid_argument& refusal) {
            err << text << ": " << refusal.what() << "\n";
            return exitFailed;
        }
    }
    const PlanRun is = evaluateEdited(input.costs, asHandMade(plan, before, was.title()));
    if (!is.ok()) {
        err << is.result.reason << "\n";
        return exitFailed;
    }
    out << is.title() << ": " << formatSeconds(is.iterationTimeS()) << " per iteration\n";
    if (was.ok()) out << effectOf(was, is).toStdString() << "\n";
    if (const auto file = arguments.text("out"))
        writeFileAtomically(*file,
                            writePlan({problem, is.result.plan, {input.origins[chosen].plannedFor, {}}}));
    return exitDone;
}

}  // namespace

Command editCommand() {
    return {
        "edit",
        {"PLAN EDIT… [--plan NAME|INDEX] [--out F]"},
        "Changes a plan by hand and says what that did: move-boundary:STAGE:LAYERS, move-gpu:ID:FROM:TO, "
        "add-gpu:STAGE:ID, remove-gpu:STAGE:ID, split:STAGE:LAYER, merge:STAGE, recompute-stage:STAGE:MODE, "
        "recompute-layers:FIRST:LAST:MODE (" +
            joinNames(recomputeModeIds(), ", ") +
            "), group:STAGE:tensor=N,sequence-parallel,context=N,expert=N (each as needed, or none), one "
            "after the "
            "other; "
            "split-each:PARTS:ring gives each GPU several stages, split-each:2:vee two in a V, and join "
            "makes "
            "one of them again.",
        {planOption, {"out", "F", "where to write the plan"}},
        &runEdit};
}

}  // namespace stagecraft::app::commands
