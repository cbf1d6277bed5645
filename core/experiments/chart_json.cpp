#include "core/experiments/chart_json.h"

#include "core/experiments/cell_result.h"
#include "core/experiments/experiment_names.h"
#include "core/experiments/named_parts.h"
#include "core/experiments/parameters_json.h"

namespace stagecraft::experiments {

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

}  // namespace stagecraft::experiments
