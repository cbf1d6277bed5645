#include "core/experiments/experiment_json.h"

#include "core/base/counted.h"
#include "core/base/enum_names.h"
#include "core/base/quantity.h"
#include "core/experiments/cell_result.h"
#include "core/experiments/experiment.h"
#include "core/experiments/named_parts.h"
#include "core/formats/files/problem_json.h"
#include "core/formats/files/project_file.h"
#include "core/formats/json_reader.h"
#include "core/formats/json_writer.h"
#include "core/model/setup_fields.h"
#include "core/planners/planner.h"
#include "core/programs/planner_program.h"
#include "core/training/policy.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

namespace stagecraft::experiments {
namespace {

inline constexpr EnumName<ClaimKind> claimKindNames[] = {
    {ClaimKind::ratio, "ratio"}, {ClaimKind::change, "change"}, {ClaimKind::spread, "spread"},
    {ClaimKind::step, "step"},   {ClaimKind::value, "value"},   {ClaimKind::difference, "difference"}};

inline constexpr EnumName<ClaimAggregate> claimAggregateNames[] = {
    {ClaimAggregate::every, "every"},
    {ClaimAggregate::some, "some"},
    {ClaimAggregate::largest, "largest"},
    {ClaimAggregate::least, "least"},
    {ClaimAggregate::geometricMean, "geometric_mean"},
    {ClaimAggregate::mean, "mean"},
    {ClaimAggregate::share, "share"}};

inline constexpr EnumName<ChartKind> chartKindNames[] = {{ChartKind::lines, "lines"},
                                                         {ChartKind::bars, "bars"},
                                                         {ChartKind::heat, "heat"},
                                                         {ChartKind::pareto, "pareto"}};

}  // namespace

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

ExperimentSource sourceFromJson(const JsonValue& value) {
    const JsonObject object(value, {"paper", "place"});
    return {object.textOr("paper", ""), object.textOr("place", "")};
}

std::string policyFromJson(const JsonValue& value) {
    if (training::findPolicy(value.text())) return value.text();
    std::vector<std::string> known;
    for (const training::PolicyDescription& policy : training::policies()) known.push_back(policy.id);
    value.fail("no policy '" + value.text() + "'" + spellingHint(value.text(), known),
               "one of those that 'stagecraft train --help' lists");
}

/// "exec:PATH": nothing is started to read it, so that its title and parameters are not known yet.
AskedPlanner programFromJson(const JsonValue& value, const std::filesystem::path& directory) {
    const std::string& named = (value.isObject() ? value.member("planner") : value).text();
    const ProgramFile program = programOf(named, directory);
    AskedPlanner asked{program.path.filename().string(), byPath + program.path.string(), {}};
    if (!value.isObject()) return asked;
    const JsonObject object(value, {"label", "planner", "parameters", "policy"});
    asked.label = object.textOr("label", asked.label);
    if (const auto values = object.optional("parameters")) asked.values = unknownParametersFromJson(*values);
    if (const auto policy = object.optional("policy")) asked.policy = policyFromJson(*policy);
    return asked;
}

bool namesProgram(const JsonValue& value) {
    const auto& named = value.has("planner") ? value.raw().at("planner") : value.raw();
    return named.is_string() && isByPath(named.get<std::string>());
}

/// With the path of a program that is in the experiment's folder, or below, from there.
std::string writtenPlanner(const std::string& planner, const std::filesystem::path& directory) {
    if (!isByPath(planner)) return planner;
    const std::filesystem::path path = programOf(planner).path;
    const std::filesystem::path relative =
        path.lexically_relative(std::filesystem::absolute(directory).lexically_normal());
    const bool inside = !directory.empty() && !relative.empty() && *relative.begin() != "..";
    return byPath + (inside ? relative : path).string();
}

AskedPlanner plannerFromJson(const JsonValue& value, const std::filesystem::path& directory) {
    if (namesProgram(value)) return programFromJson(value, directory);
    std::vector<std::string> known;
    for (const auto& planner : allPlanners()) known.push_back(planner->description().id);
    const auto found = [&](const JsonValue& id) -> const Planner& {
        const Planner* planner = findPlanner(id.text());
        if (!planner)
            id.fail("no planner '" + id.text() + "'" + spellingHint(id.text(), known),
                    "one of those that 'stagecraft planners' lists");
        return *planner;
    };
    if (!value.isObject()) {
        const Planner& planner = found(value);
        return {planner.description().title, planner.description().id, {}};
    }
    const JsonObject object(value, {"label", "planner", "parameters", "policy"});
    const Planner& planner = found(object.required("planner"));
    AskedPlanner asked{object.textOr("label", planner.description().title), planner.description().id, {}};
    if (const auto values = object.optional("parameters"))
        asked.values = parametersFromJson(*values, planner.description().parameters);
    if (const auto policy = object.optional("policy")) asked.policy = policyFromJson(*policy);
    return asked;
}

/// The base with a project that it names put in its place.
json baseFromJson(const JsonValue& value, const std::filesystem::path& directory) {
    if (!value.has("project")) return value.raw();
    const JsonValue reference = JsonObject(value, {"project"}).required("project");
    const std::filesystem::path path = directory / reference.text();
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        reference.fail("no file '" + path.string() + "'",
                       "the path of a project relative to the directory of this file");
    ordered_json parts;
    addProblem(parts, {openProject(path).problem, {}, {}});
    return json::parse(parts.dump());
}

void readPlanners(const JsonValue& list, Experiment& experiment, bool trains) {
    std::set<std::string> labels;
    for (const JsonValue& entry : list.elements()) {
        experiment.planners.push_back(plannerFromJson(entry, experiment.directory));
        if (trains == experiment.planners.back().policy.empty())
            entry.fail(trains ? "no policy says which weights are used in training"
                              : "a policy is named, and nothing is trained",
                       "a policy where the base has 'training', and only there");
        if (!labels.insert(experiment.planners.back().label).second)
            entry.fail("a second planner is called '" + experiment.planners.back().label + "'",
                       "a unique label for each");
    }
    if (experiment.planners.empty()) list.fail("no planner is asked", "at least one");
}

}  // namespace

Experiment readExperiment(std::string_view text, const std::string& file,
                          const std::filesystem::path& directory) {
    const json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, experimentFormat);
    const JsonObject object(root, {"format", "version", "name", "about", "differs", "source", "base", "axes",
                                   "planners", "metrics", "claims", "printed", "chart"});
    Experiment experiment;
    experiment.directory = directory;
    experiment.name = object.required("name").text();
    experiment.about = object.textOr("about", "");
    experiment.differs = object.textOr("differs", "");
    if (const auto source = object.optional("source")) experiment.source = sourceFromJson(*source);
    const json base = baseFromJson(object.required("base"), directory);
    experiment.base = base.dump();
    readPlanners(object.required("planners"), experiment, base.is_object() && base.contains("training"));
    if (const auto axes = object.optional("axes"))
        for (const JsonValue& entry : axes->elements()) {
            experiment.axes.push_back(axisFromJson(entry, document));
            for (std::size_t i = 0; i + 1 < experiment.axes.size(); ++i)
                if (experiment.axes[i].name == experiment.axes.back().name)
                    entry.fail("a second axis is called '" + experiment.axes.back().name + "'",
                               "a unique name for each");
        }
    if (const auto metrics = object.optional("metrics"))
        for (const JsonValue& entry : metrics->elements()) {
            if (!findMetric(entry.text())) failMetric(entry);
            experiment.metrics.push_back(entry.text());
        }
    if (experiment.metrics.empty()) experiment.metrics = {"iteration_time_s"};
    if (const auto claims = object.optional("claims"))
        for (const JsonValue& entry : claims->elements())
            experiment.claims.push_back(claimFromJson(entry, experiment));
    if (const auto printed = object.optional("printed"))
        for (const JsonValue& entry : printed->elements())
            experiment.printed.push_back(printedFromJson(entry, experiment));
    if (const auto chart = object.optional("chart")) experiment.chart = chartFromJson(*chart, experiment);
    return experiment;
}

Experiment openExperiment(const std::filesystem::path& path) {
    return readExperiment(readTextFile(path), path.string(), path.parent_path());
}

std::string writeExperiment(const Experiment& experiment) {
    ordered_json out = header(experimentFormat);
    out["name"] = experiment.name;
    if (!experiment.source.paper.empty() || !experiment.source.place.empty())
        out["source"] = {{"paper", experiment.source.paper}, {"place", experiment.source.place}};
    if (!experiment.about.empty()) out["about"] = experiment.about;
    if (!experiment.differs.empty()) out["differs"] = experiment.differs;
    out["base"] = ordered_json::parse(experiment.base);
    ordered_json& axes = out["axes"] = ordered_json::array();
    for (const Axis& axis : experiment.axes) axes.push_back(axisToJson(axis));
    ordered_json& asked = out["planners"] = ordered_json::array();
    for (const AskedPlanner& planner : experiment.planners) {
        ordered_json entry = {{"label", planner.label},
                              {"planner", writtenPlanner(planner.planner, experiment.directory)}};
        if (!planner.values.empty()) entry["parameters"] = parametersToJson(planner.values);
        if (!planner.policy.empty()) entry["policy"] = planner.policy;
        asked.push_back(std::move(entry));
    }
    out["metrics"] = experiment.metrics;
    ordered_json& claims = out["claims"] = ordered_json::array();
    for (const Claim& claim : experiment.claims) claims.push_back(claimToJson(claim));
    for (const PrintedTable& table : experiment.printed)
        out["printed"].push_back(printedToJson(table, experiment));
    if (experiment.chart) out["chart"] = chartToJson(*experiment.chart);
    return formatJson(out);
}

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr char plannersPrefix[] = "/planners/";

/// Fields of a recipe that change a part and may be left out: an axis over them begins from nothing.
const std::set<std::string>& optionalFields() {
    static const std::set<std::string> fields = [] {
        std::set<std::string> all = {"measured",  "at_microbatch_size", "scale",
                                     "repeat",    "memory_bytes",       "host_Bps",
                                     "bandwidth", "depth_factor",       "parameters"};
        for (const SetupField& field : setupFields())
            if (!field.isRequired) all.insert(field.value.name);
        return all;
    }();
    return fields;
}

bool namesField(const json& at, const std::string& field) { return at.is_object() && at.contains(field); }

/// Complains unless the pointer names something, or what may be put there.
void checkPointer(const JsonValue& where, const std::string& pointer, const json& document) {
    json::json_pointer parsed;
    try {
        parsed = json::json_pointer(pointer);
    } catch (const json::exception&) {
        where.fail("'" + pointer + "' is not a JSON pointer", "one like /setup/microbatches");
    }
    if (parsed.empty()) where.fail("the pointer is empty", "one like /setup/microbatches");
    if (!pointsIntoBase(pointer)) return;
    const json* at = &document.at("base");
    std::vector<std::string> fields;
    for (auto rest = parsed; !rest.empty(); rest = rest.parent_pointer()) fields.push_back(rest.back());
    for (std::size_t i = fields.size(); i-- > 0;) {
        const std::string& field = fields[i];
        if (namesField(*at, field)) {
            at = &(*at)[field];
        } else if (at->is_array() && !field.empty() &&
                   field.find_first_not_of("0123456789") == std::string::npos && field.size() < 7 &&
                   std::stoul(field) < at->size()) {
            at = &(*at)[std::stoul(field)];
        } else if (optionalFields().contains(field)) {
            return;  // whoever reads the recipe looks at the rest
        } else if (i == 0 && at->is_object()) {
            return;  // a field with a default; one that there is not is refused when a point is made
        } else if (namesField(*at, "file") || namesField(document.at("base"), "project")) {
            return;  // what is in another file is looked at when a point is made
        } else {
            std::vector<std::string> there;
            if (at->is_object())
                for (const auto& [name, value] : at->items()) there.push_back(name);
            where.fail("'" + pointer + "' names nothing in the base" + spellingHint(field, there),
                       "the pointer of a field of it");
        }
    }
}

std::vector<std::string> pointersOf(const JsonObject& object, const json& document) {
    const JsonValue value = object.required("pointer");
    std::vector<std::string> pointers;
    if (!value.isArray()) {
        checkPointer(value, value.text(), document);
        return {value.text()};
    }
    for (const JsonValue& entry : value.elements()) {
        checkPointer(entry, entry.text(), document);
        pointers.push_back(entry.text());
    }
    if (pointers.empty()) value.fail("no pointer is given", "at least one");
    return pointers;
}

std::string labelOf(const json& value) {
    return value.is_string() ? value.get<std::string>() : formatJsonInline(value);
}

AxisValue valueAt(const std::vector<std::string>& pointers, const json& value,
                  const std::string& label = {}) {
    AxisValue made;
    made.label = label.empty() ? labelOf(value) : label;
    if (value.is_number()) made.number = value.get<double>();
    for (const std::string& pointer : pointers) made.changes.push_back({pointer, value.dump()});
    return made;
}

std::vector<double> valuesOfRange(const JsonValue& value) {
    const JsonObject object(value, {"from", "to", "step", "factor"});
    const double from = object.required("from").number(), to = object.required("to").number();
    const auto step = object.optional("step"), factor = object.optional("factor");
    if (!step == !factor) value.fail("a range needs either 'step' or 'factor'", "one of the two");
    if (step && !(step->number() > 0)) step->fail("the step is not above 0", "a step above 0");
    if (factor && !(factor->number() > 1)) factor->fail("the factor is not above 1", "a factor above 1");
    if (factor && !(from > 0))
        value.fail("a range with a factor begins at " + labelOf(json(from)), "above 0");
    if (to < from) value.fail("the range ends before it begins", "'to' at least 'from'");
    // Each value afresh, so that no rounding adds up; the end counts as reached within a billionth.
    std::vector<double> numbers;
    const double slack = 1e-9 * std::max(std::abs(to), std::abs(from));
    for (std::size_t i = 0; i <= mostAxisValues; ++i) {
        const double at = step ? from + static_cast<double>(i) * step->number()
                               : from * std::pow(factor->number(), static_cast<double>(i));
        if (at > to + slack) return numbers;
        numbers.push_back(at);
    }
    value.fail("the range has more than " + counted(mostAxisValues, "value"), "fewer");
}

json plainNumber(double number) {
    const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
    return whole ? json(static_cast<std::int64_t>(number)) : json(number);
}

void addPlainValues(const JsonValue& list, const std::vector<std::string>& pointers, Axis& axis) {
    for (const JsonValue& entry : list.elements()) {
        const bool labelled = entry.has("label") && entry.has("value");
        if (labelled) JsonObject(entry, {"label", "value"});
        axis.values.push_back(labelled
                                  ? valueAt(pointers, entry.raw().at("value"), entry.member("label").text())
                                  : valueAt(pointers, entry.raw()));
    }
}

void addSeeds(const JsonValue& value, const std::vector<std::string>& pointers, Axis& axis) {
    axis.seeds = true;
    if (value.isArray()) {
        for (const JsonValue& entry : value.elements())
            axis.values.push_back(valueAt(pointers, json(entry.integer(0))));
        return;
    }
    const int count = value.integer(1, static_cast<int>(mostAxisValues));
    for (int seed = 1; seed <= count; ++seed) axis.values.push_back(valueAt(pointers, json(seed)));
}

void addCases(const JsonValue& list, const json& document, Axis& axis) {
    for (const JsonValue& entry : list.elements()) {
        const JsonObject object(entry, {"label", "number", "set"});
        AxisValue value;
        value.label = object.required("label").text();
        if (const auto number = object.optional("number")) value.number = number->number();
        const JsonValue set = object.required("set");
        for (const std::string& pointer : set.fieldNames()) {
            checkPointer(set, pointer, document);
            value.changes.push_back({pointer, set.raw().at(pointer).dump()});
        }
        axis.values.push_back(std::move(value));
    }
}

}  // namespace

bool pointsIntoBase(const std::string& pointer) { return !pointer.starts_with(plannersPrefix); }

Axis axisFromJson(const JsonValue& value, const json& document) {
    const JsonObject object(value, {"name", "unit", "pointer", "values", "range", "files", "seeds", "cases"});
    Axis axis;
    axis.name = object.required("name").text();
    axis.unit = object.textOr("unit", "");
    std::vector<std::string> forms;
    for (const char* form : {"values", "range", "files", "seeds", "cases"})
        if (object.optional(form)) forms.push_back(form);
    if (forms.size() != 1)
        value.fail(
            forms.empty() ? "the axis has no values" : "the axis has both " + forms[0] + " and " + forms[1],
            "one of values, range, files, seeds, cases");
    const std::string& form = forms.front();
    const JsonValue given = object.required(form);
    if (form == "cases") {
        if (const auto pointer = object.optional("pointer"))
            pointer->fail("cases say themselves what they set", "no pointer beside cases");
        addCases(given, document, axis);
    } else {
        const std::vector<std::string> pointers = pointersOf(object, document);
        if (form == "values") addPlainValues(given, pointers, axis);
        if (form == "seeds") addSeeds(given, pointers, axis);
        if (form == "range")
            for (const double number : valuesOfRange(given))
                axis.values.push_back(valueAt(pointers, plainNumber(number)));
        if (form == "files")
            for (const JsonValue& entry : given.elements()) {
                const std::string stem = std::filesystem::path(entry.text()).stem().stem().string();
                axis.values.push_back(valueAt(pointers, json{{"file", entry.text()}}, stem));
            }
    }
    if (axis.values.empty() || axis.values.size() > mostAxisValues)
        given.fail("the axis has " + counted(axis.values.size(), "value"),
                   "1 to " + std::to_string(mostAxisValues));
    std::set<std::string> labels;
    for (const AxisValue& one : axis.values)
        if (!labels.insert(one.label).second)
            given.fail("two values are called '" + one.label + "'", "labels that differ");
    return axis;
}

ordered_json axisToJson(const Axis& axis) {
    ordered_json out = {{"name", axis.name}};
    if (!axis.unit.empty()) out["unit"] = axis.unit;
    if (axis.seeds) {  // the one form that says more than its values
        ordered_json& pointers = out["pointer"] = ordered_json::array();
        for (const Change& change : axis.values.front().changes) pointers.push_back(change.pointer);
        ordered_json& seeds = out["seeds"] = ordered_json::array();
        for (const AxisValue& value : axis.values)
            seeds.push_back(ordered_json::parse(value.changes.front().json));
        return out;
    }
    ordered_json& cases = out["cases"] = ordered_json::array();
    for (const AxisValue& value : axis.values) {
        ordered_json entry = {{"label", value.label}};
        if (std::isfinite(value.number)) entry["number"] = value.number;
        entry["set"] = ordered_json::object();
        for (const Change& change : value.changes)
            entry["set"][change.pointer] = ordered_json::parse(change.json);
        cases.push_back(std::move(entry));
    }
    return out;
}

using nlohmann::ordered_json;

namespace {

AxisFilter filterFromJson(const JsonValue& value, const Axis& axis) {
    AxisFilter filter;
    filter.axis = axis.name;
    if (value.isArray()) {
        for (const JsonValue& entry : value.elements()) filter.labels.push_back(valueLabel(entry, axis));
        if (filter.labels.empty()) value.fail("no value is taken", "at least one");
        return filter;
    }
    if (!value.isObject()) {
        filter.labels = {valueLabel(value, axis)};
        return filter;
    }
    const JsonObject object(value, {"at_least", "at_most", "above", "below"});
    const auto above = object.optional("above"), below = object.optional("below");
    const auto atLeast = object.optional("at_least"), atMost = object.optional("at_most");
    if ((above || below) && (atLeast || atMost))
        value.fail("bounds that include and that exclude are mixed",
                   "above and below, or at_least and at_most");
    filter.strict = above || below;
    if (const auto& low = filter.strict ? above : atLeast) filter.atLeast = low->number();
    if (const auto& high = filter.strict ? below : atMost) filter.atMost = high->number();
    if (!axis.numeric())
        value.fail("the values of axis '" + axis.name + "' are not numbers", "a list of them");
    return filter;
}

void readBounds(const JsonValue& value, const JsonObject& object, Claim& claim) {
    const auto above = object.optional("above"), below = object.optional("below");
    const auto atLeast = object.optional("at_least"), atMost = object.optional("at_most");
    const auto within = object.optional("within");
    if (!above && !below && !atLeast && !atMost && !within)
        value.fail("the claim has no bound", "at_most, at_least, below, above or within");
    if ((above || below) && (atLeast || atMost || within))
        value.fail("bounds that include and that exclude are mixed",
                   "above and below, or at_least and at_most");
    claim.strict = above || below;
    if (const auto& low = claim.strict ? above : atLeast) claim.atLeast = low->number();
    if (const auto& high = claim.strict ? below : atMost) claim.atMost = high->number();
    if (within) {
        claim.atLeast = 1 - within->positive();
        claim.atMost = 1 + within->number();
    }
}

constexpr char ofBounds[] = "bounds";

PrintedRange boundsOf(const Claim& claim) {
    return {std::isfinite(claim.atLeast) ? claim.atLeast : claim.atMost,
            std::isfinite(claim.atMost) ? claim.atMost : claim.atLeast};
}

/// A number, the two of a range, or "bounds" where the claim's own are what the source states.
PrintedRange printedFromJson(const JsonValue& value, const Claim& claim) {
    if (value.raw() == ofBounds) return boundsOf(claim);
    if (value.isNumber()) return {value.number(), value.number()};
    if (!value.isArray() || value.elements().size() != 2)
        value.fail("it is not what a source states", "a number, a range [least, most], or \"bounds\"");
    const PrintedRange range{value.elements()[0].number(), value.elements()[1].number()};
    if (!(range.least < range.most)) value.fail("the range does not grow", "[least, most]");
    return range;
}

ordered_json printedToJson(const Claim& claim) {
    if (*claim.printed == boundsOf(claim)) return ofBounds;
    if (claim.printed->least == claim.printed->most) return claim.printed->least;
    return ordered_json::array({claim.printed->least, claim.printed->most});
}

ordered_json filterToJson(const AxisFilter& filter) {
    if (!filter.labels.empty()) return filter.labels;
    ordered_json out = ordered_json::object();
    if (std::isfinite(filter.atLeast)) out[filter.strict ? "above" : "at_least"] = filter.atLeast;
    if (std::isfinite(filter.atMost)) out[filter.strict ? "below" : "at_most"] = filter.atMost;
    return out;
}

}  // namespace

Claim claimFromJson(const JsonValue& value, const Experiment& experiment) {
    const JsonObject object(
        value, {"text",    "source", "remark", "kind",   "metric",    "over_metric",   "planner",
                "against", "along",  "from",   "to",     "aggregate", "share_at_most", "at_least",
                "at_most", "above",  "below",  "within", "where",     "printed"});
    Claim claim;
    claim.text = object.required("text").text();
    claim.remark = object.textOr("remark", "");
    claim.source = experiment.source;
    if (const auto source = object.optional("source")) claim.source.place = source->text();
    claim.kind = object.required("kind").choice(claimKindNames);
    if (const auto metric = object.optional("metric")) {
        if (!findMetric(metric->text())) failMetric(*metric);
        claim.metric = metric->text();
    }
    if (const auto metric = object.optional("over_metric")) {
        if (!findMetric(metric->text())) failMetric(*metric);
        claim.overMetric = metric->text();
    }
    claim.planner = plannerLabel(object.required("planner"), experiment);
    const bool compares = claim.kind == ClaimKind::ratio || claim.kind == ClaimKind::difference;
    if (compares && !claim.overMetric.empty() && !object.optional("against")) {
        claim.against = {claim.planner};
    } else if (compares) {
        const JsonValue against = object.required("against");
        if (against.isArray())
            for (const JsonValue& entry : against.elements())
                claim.against.push_back(plannerLabel(entry, experiment));
        else
            claim.against = {plannerLabel(against, experiment)};
        if (claim.against.empty()) against.fail("nothing is compared with", "at least one planner");
    }
    if (claim.kind == ClaimKind::change || claim.kind == ClaimKind::spread || claim.kind == ClaimKind::step) {
        const JsonValue along = object.required("along");
        const Axis& axis = namedAxis(along, along.text(), experiment);
        claim.along = axis.name;
        if (claim.kind == ClaimKind::change) {
            if (const auto against = object.optional("against"))
                claim.against = {plannerLabel(*against, experiment)};
            claim.from = valueLabel(object.required("from"), axis);
            claim.to = valueLabel(object.required("to"), axis);
        }
    }
    if (const auto aggregate = object.optional("aggregate"))
        claim.aggregate = aggregate->choice(claimAggregateNames);
    if (const auto share = object.optional("share_at_most")) claim.shareAtMost = share->number();
    readBounds(value, object, claim);
    if (const auto where = object.optional("where"))
        for (const std::string& name : where->fieldNames())
            claim.where.push_back(
                filterFromJson(where->member(name), namedAxis(where->member(name), name, experiment)));
    if (const auto printed = object.optional("printed")) claim.printed = printedFromJson(*printed, claim);
    return claim;
}

ordered_json claimToJson(const Claim& claim) {
    ordered_json out = {{"text", claim.text}};
    if (!claim.source.place.empty()) out["source"] = claim.source.place;
    if (!claim.remark.empty()) out["remark"] = claim.remark;
    out["kind"] = nameOf(claimKindNames, claim.kind);
    out["metric"] = claim.metric;
    if (!claim.overMetric.empty()) out["over_metric"] = claim.overMetric;
    out["planner"] = claim.planner;
    if (claim.kind == ClaimKind::change && !claim.against.empty())
        out["against"] = claim.against.front();
    else if (!claim.against.empty())
        out["against"] = claim.against;
    if (!claim.along.empty()) out["along"] = claim.along;
    if (!claim.from.empty()) out["from"] = claim.from;
    if (!claim.to.empty()) out["to"] = claim.to;
    out["aggregate"] = nameOf(claimAggregateNames, claim.aggregate);
    if (claim.aggregate == ClaimAggregate::share) out["share_at_most"] = claim.shareAtMost;
    if (std::isfinite(claim.atLeast)) out[claim.strict ? "above" : "at_least"] = claim.atLeast;
    if (std::isfinite(claim.atMost)) out[claim.strict ? "below" : "at_most"] = claim.atMost;
    if (claim.printed) out["printed"] = printedToJson(claim);
    if (!claim.where.empty()) {
        out["where"] = ordered_json::object();
        for (const AxisFilter& filter : claim.where) out["where"][filter.axis] = filterToJson(filter);
    }
    return out;
}

using nlohmann::ordered_json;

namespace {

std::string axisOf(const JsonObject& object, const char* field, const Experiment& experiment) {
    const auto value = object.optional(field);
    return value ? namedAxis(*value, value->text(), experiment).name : std::string();
}

std::string plannerOf(const JsonObject& object, const char* field, const Experiment& experiment) {
    const auto value = object.optional(field);
    return value ? plannerLabel(*value, experiment) : std::string();
}

std::string metricOf(const JsonObject& object, const char* field) {
    const auto value = object.optional(field);
    if (value && !findMetric(value->text())) failMetric(*value);
    return value ? value->text() : std::string();
}

}  // namespace

ExperimentChart chartFromJson(const JsonValue& value, const Experiment& experiment) {
    const JsonObject object(
        value, {"kind", "metric", "across_metric", "along", "upright", "planner", "relative_to", "panels",
                "logarithmic_metric", "logarithmic_across", "at"});
    ExperimentChart chart;
    chart.kind = object.required("kind").choice(chartKindNames);
    chart.metric = metricOf(object, "metric");
    chart.acrossMetric = metricOf(object, "across_metric");
    chart.along = axisOf(object, "along", experiment);
    chart.upright = axisOf(object, "upright", experiment);
    chart.panels = axisOf(object, "panels", experiment);
    chart.planner = plannerOf(object, "planner", experiment);
    chart.relativeTo = plannerOf(object, "relative_to", experiment);
    if (const auto on = object.optional("logarithmic_metric")) chart.logarithmicMetric = on->boolean();
    if (const auto on = object.optional("logarithmic_across")) chart.logarithmicAcross = on->boolean();
    if (const auto at = object.optional("at"))
        for (const std::string& name : at->fieldNames()) {
            const JsonValue label = at->member(name);
            chart.at[name] = valueLabel(label, namedAxis(label, name, experiment));
        }
    return chart;
}

ordered_json chartToJson(const ExperimentChart& chart) {
    ordered_json out;
    for (const auto& entry : chartKindNames)
        if (entry.value == chart.kind) out["kind"] = entry.name;
    const std::pair<const char*, const std::string&> texts[] = {
        {"metric", chart.metric},   {"across_metric", chart.acrossMetric},
        {"along", chart.along},     {"upright", chart.upright},
        {"planner", chart.planner}, {"relative_to", chart.relativeTo},
        {"panels", chart.panels}};
    for (const auto& [field, text] : texts)
        if (!text.empty()) out[field] = text;
    if (chart.logarithmicMetric) out["logarithmic_metric"] = true;
    if (chart.logarithmicAcross) out["logarithmic_across"] = true;
    if (!chart.at.empty()) out["at"] = chart.at;
    return out;
}

CellResult cellFromJson(const JsonObject& object) {
    CellResult cell;
    cell.status = object.required("status").choice(cellStatusNames);
    cell.reason = object.textOr("reason", "");
    if (const auto metrics = object.optional("metrics"))
        for (const std::string& name : metrics->fieldNames()) {
            const JsonValue value = metrics->member(name);
            if (!findMetric(name)) value.fail("no metric '" + name + "'", "a metric of this version");
            cell.metrics[name] = value.number();
        }
    return cell;
}

void addCell(nlohmann::ordered_json& out, const CellResult& cell) {
    out["status"] = statusName(cell.status);
    if (!cell.reason.empty()) out["reason"] = cell.reason;
    if (!cell.metrics.empty()) out["metrics"] = cell.metrics;
}

namespace {
std::string textOf(const JsonValue& value, const Parameter& parameter) {
    if (std::holds_alternative<bool>(parameter.defaultValue) && value.isBoolean())
        return value.boolean() ? "true" : "false";
    if (std::holds_alternative<int>(parameter.defaultValue))
        return std::to_string(value.integer(std::numeric_limits<int>::min()));
    if (std::holds_alternative<double>(parameter.defaultValue) && value.isNumber())
        return exactText(parameter.quantity, value.number());
    return value.text();
}
}  // namespace

ParameterValues parametersFromJson(const JsonValue& value, const std::vector<Parameter>& parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    const JsonObject object(value, names);
    ParameterValues values;
    for (const Parameter& parameter : parameters) {
        const auto given = object.optional(parameter.name);
        if (!given) continue;
        try {
            values[parameter.name] = readParameter(parameter, textOf(*given, parameter));
        } catch (const std::invalid_argument& error) {
            given->fail(error.what(), "a value of that parameter");
        }
    }
    return values;
}

ParameterValues unknownParametersFromJson(const JsonValue& value) {
    ParameterValues values;
    for (const std::string& name : value.fieldNames()) {
        const JsonValue given = value.member(name);
        if (given.isBoolean())
            values[name] = given.boolean();
        else if (given.raw().is_number_integer())
            values[name] = given.integer(std::numeric_limits<int>::min());
        else if (given.isNumber())
            values[name] = given.number();
        else
            values[name] = given.text();
    }
    return values;
}

nlohmann::ordered_json parametersToJson(const ParameterValues& values) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    for (const auto& [name, value] : values)
        std::visit([&, &key = name](const auto& it) { out[key] = it; }, value);
    return out;
}

void failMetric(const JsonValue& name) {
    std::vector<std::string> known;
    for (const MetricDescription& metric : metricDescriptions()) known.push_back(metric.name);
    std::string all;
    for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
    name.fail("no metric '" + name.text() + "'" + spellingHint(name.text(), known), "one of " + all);
}

nlohmann::json withoutFields(nlohmann::json object, const std::vector<std::string>& fields) {
    for (const std::string& field : fields) object.erase(field);
    return object;
}

using nlohmann::ordered_json;

namespace {

constexpr char outOfMemory[] = "OOM";

std::optional<double> numberFromJson(const JsonValue& value) {
    if (value.raw() == outOfMemory) return std::nullopt;
    if (!value.isNumber())
        value.fail("it is no number", std::string("a number in the metric's base unit, or \"") + outOfMemory +
                                          "\" where memory ran out in the source");
    return value.number();
}

}  // namespace

PrintedTable printedFromJson(const JsonValue& value, const Experiment& experiment) {
    const JsonObject object(value, {"place", "metric", "along", "at", "values"});
    PrintedTable table;
    table.place = object.required("place").text();
    const JsonValue metric = object.required("metric");
    if (!findMetric(metric.text())) failMetric(metric);
    table.metric = metric.text();
    const JsonValue along = object.required("along");
    const Axis& axis = namedAxis(along, along.text(), experiment);
    table.along = axis.name;
    if (const auto at = object.optional("at"))
        for (const std::string& name : at->fieldNames()) {
            const JsonValue label = at->member(name);
            if (name == table.along) label.fail("the table goes along that axis", "another axis");
            table.at[name] = valueLabel(label, namedAxis(label, name, experiment));
        }
    const JsonValue values = object.required("values");
    for (const std::string& planner : values.fieldNames()) {
        const JsonValue row = values.member(planner);
        const nlohmann::json name = planner;
        plannerLabel(JsonValue(name, row.file(), row.pointer()), experiment);
        for (const std::string& label : row.fieldNames()) {
            const JsonValue number = row.member(label);
            table.numbers.push_back({planner, valueLabel(number, label, axis), numberFromJson(number)});
        }
    }
    if (table.numbers.empty()) values.fail("no number is given", "at least one, by planner and value");
    return table;
}

ordered_json printedToJson(const PrintedTable& table, const Experiment& experiment) {
    ordered_json out = {{"place", table.place}, {"metric", table.metric}, {"along", table.along}};
    if (!table.at.empty()) out["at"] = table.at;
    ordered_json& values = out["values"] = ordered_json::object();
    for (const AskedPlanner& planner : experiment.planners)
        for (const AxisValue& value : experiment.axis(table.along)->values)
            for (const PrintedNumber& one : table.numbers)
                if (one.planner == planner.label && one.value == value.label)
                    values[planner.label][value.label] =
                        one.number ? ordered_json(*one.number) : ordered_json(outOfMemory);
    return out;
}

}  // namespace stagecraft::experiments
