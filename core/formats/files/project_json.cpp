#include "core/formats/files/project_file.h"
#include "core/formats/json_writer.h"
#include "core/formats/files/problem_json.h"

#include <algorithm>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

constexpr EnumName<BlockKind> noteBlockNames[] = {{BlockKind::forward, "forward"},
                                                  {BlockKind::backward, "backward"},
                                                  {BlockKind::inputGradient, "input_gradient"},
                                                  {BlockKind::weightGradient, "weight_gradient"},
                                                  {BlockKind::pair, "overlapped_pair"},
                                                  {BlockKind::recompute, "recompute"},
                                                  {BlockKind::transferForward, "transfer_forward"},
                                                  {BlockKind::transferBackward, "transfer_backward"},
                                                  {BlockKind::allReduce, "allreduce"},
                                                  {BlockKind::swapOut, "swap_out"},
                                                  {BlockKind::swapIn, "swap_in"},
                                                  {BlockKind::update, "update"}};

BlockName blockFromJson(const JsonValue& value) {
    const JsonObject object(value, {"kind", "stage", "microbatch", "iteration", "slice"});
    BlockName block;
    block.kind = object.required("kind").choice(noteBlockNames);
    block.stage = object.required("stage").integer(0);
    if (const auto microbatch = object.optional("microbatch")) block.microbatch = microbatch->integer(0);
    if (const auto iteration = object.optional("iteration")) block.iteration = iteration->integer(0);
    if (const auto slice = object.optional("slice")) block.slice = slice->integer(0);
    return block;
}

ordered_json toJson(const BlockName& block) {
    ordered_json out = {{"kind", nameOf(noteBlockNames, block.kind)}, {"stage", block.stage}};
    if (block.microbatch >= 0) out["microbatch"] = block.microbatch;
    if (block.iteration > 0) out["iteration"] = block.iteration;
    if (block.slice > 0) out["slice"] = block.slice;
    return out;
}

constexpr EnumName<NoteShape> noteShapeNames[] = {{NoteShape::flag, "flag"},
                                                  {NoteShape::text, "text"},
                                                  {NoteShape::bracket, "bracket"},
                                                  {NoteShape::arrow, "arrow"}};

ChartNote noteFromJson(const JsonValue& value) {
    const JsonObject object(value, {"at_s", "until_s", "device", "text", "block", "shape", "to"});
    ChartNote note;
    note.atS = object.required("at_s").nonNegative();
    if (const auto until = object.optional("until_s")) {
        note.untilS = until->nonNegative();
        if (*note.untilS <= note.atS) until->fail("the stretch ends before it begins", "more than 'at_s'");
    }
    note.device = object.textOr("device", "");
    note.text = object.textOr("text", "");
    if (const auto block = object.optional("block")) note.block = blockFromJson(*block);
    if (const auto shape = object.optional("shape")) note.shape = shape->choice(noteShapeNames);
    if (const auto end = object.optional("to")) {
        const JsonObject to(*end, {"at_s", "device"});
        note.end = {to.required("at_s").nonNegative(), to.required("device").text()};
    }
    if (note.shape == NoteShape::bracket && !note.untilS)
        value.fail("a bracket has no end", "'until_s', more than 'at_s'");
    if (note.shape == NoteShape::arrow && !note.end) value.fail("an arrow has no end", "'to'");
    return note;
}

ordered_json toJson(const ChartNote& note) {
    ordered_json out = {{"at_s", note.atS}};
    if (note.untilS) out["until_s"] = *note.untilS;
    if (!note.device.empty()) out["device"] = note.device;
    if (!note.text.empty()) out["text"] = note.text;
    if (note.block) out["block"] = toJson(*note.block);
    if (note.shape != NoteShape::flag) out["shape"] = nameOf(noteShapeNames, note.shape);
    if (note.end) out["to"] = {{"at_s", note.end->atS}, {"device", note.end->device}};
    return out;
}

/// The notes on the chart of the project's last plan.
void readNotes(const JsonValue& plan, Project& project) {
    if (!plan.has("notes")) return;
    std::vector<ChartNote> notes;
    for (const JsonValue& entry : plan.member("notes").elements()) notes.push_back(noteFromJson(entry));
    if (notes.empty()) return;
    project.notes.resize(project.plans.size());
    project.notes.back() = std::move(notes);
}

bool isUnknown(const PlanOrigin& origin) { return origin == PlanOrigin{}; }

}  // namespace

Project readProject(std::string_view text, const std::string& file, const std::filesystem::path& directory,
                    DrawingMistakes mistakes) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, projectFormat);
    const JsonObject object(
        root, {"format", "version", "name", "profile", "cluster", "setup", "plans", "planless"});
    ProblemParts parts = problemFromJson(object, directory, mistakes);
    Project project;
    project.name = object.textOr("name", "");
    project.problem = std::move(parts.problem);
    project.profileFile = std::move(parts.profileFile);
    project.clusterFile = std::move(parts.clusterFile);
    if (const auto plans = object.optional("plans"))
        for (const JsonValue& entry : plans->elements()) {
            checkOptionalHeader(entry, planFormat);
            project.plans.push_back(planFromJson(entry, project.problem, "notes"));
            readNotes(entry, project);
            project.origins.push_back(originFromJson(entry));
        }
    if (!project.notes.empty()) project.notes.resize(project.plans.size());
    if (std::all_of(project.origins.begin(), project.origins.end(), isUnknown)) project.origins.clear();
    if (const auto answers = object.optional("planless"))
        for (const JsonValue& entry : answers->elements())
            project.planless.push_back(planlessFromJson(entry));
    return project;
}

std::string writeProject(const Project& project) {
    ordered_json out = header(projectFormat);
    if (!project.name.empty()) out["name"] = project.name;
    addProblem(out, {project.problem, project.profileFile, project.clusterFile});
    ordered_json& plans = out["plans"] = ordered_json::array();
    for (std::size_t i = 0; i < project.plans.size(); ++i) {
        const Plan& plan = project.plans[i];
        ordered_json entry = {{"planner", plan.planner}};
        if (!plan.name.empty()) entry["name"] = plan.name;
        addPlan(entry, plan, project.problem.cluster);
        if (i < project.notes.size())
            for (const ChartNote& note : project.notes[i]) entry["notes"].push_back(toJson(note));
        if (i < project.origins.size()) addOrigin(entry, project.origins[i]);
        plans.push_back(std::move(entry));
    }
    for (const PlanlessAnswer& answer : project.planless) out["planless"].push_back(toJson(answer));
    return formatJson(out);
}

}  // namespace stagecraft::formats
