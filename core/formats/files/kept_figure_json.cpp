#include "core/formats/files/kept_figure_json.h"

#include "core/formats/files/note_json.h"
#include "core/formats/json_writer.h"

#include <set>

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

std::string nameFrom(const JsonValue& value, const std::string& what) {
    const std::string& name = value.text();
    if (name.empty()) value.fail("the " + what + " is empty", "at least one character");
    return name;
}

/// On the chart of the object's plan; nothing if it does not say.
std::optional<std::vector<ChartNote>> marksFrom(const JsonObject& object) {
    if (const auto marks = object.optional("marks")) return notesFromJson(*marks);
    return std::nullopt;
}

KeptPanel panelFrom(const JsonValue& value) {
    const JsonObject object(value, {"plan", "view", "marks"});
    KeptPanel panel;
    panel.plan = nameFrom(object.required("plan"), "name of the plan");
    panel.view = object.textOr("view", panel.view);
    panel.marks = marksFrom(object);
    return panel;
}

std::optional<std::pair<double, double>> timeFrom(const JsonObject& object) {
    const auto from = object.optional("from_s"), to = object.optional("to_s");
    if (!from && !to) return std::nullopt;
    const double start = object.required("from_s").nonNegative(), end = object.required("to_s").nonNegative();
    if (end <= start) to->fail("the stretch ends before it begins", "more than 'from_s'");
    return std::pair(start, end);
}

std::optional<std::pair<std::string, std::string>> linkFrom(const JsonObject& object) {
    const auto link = object.optional("link");
    if (!link) return std::nullopt;
    const std::vector<JsonValue> ends = link->elements();
    if (ends.size() != 2) link->fail("a link has two ends", "[\"FROM\", \"TO\"]");
    return std::pair(ends[0].text(), ends[1].text());
}

KeptFigure figureFrom(const JsonValue& value) {
    const JsonObject object(
        value, {"name", "view", "plan", "panels", "from_s", "to_s", "steady", "lanes", "memory_device",
                "link", "reference", "published", "marks", "format", "style", "recording"});
    KeptFigure figure;
    figure.name = nameFrom(object.required("name"), "name of the figure");
    figure.view = object.textOr("view", figure.view);
    figure.plan = object.textOr("plan", "");
    figure.recording = object.textOr("recording", "");
    if (!figure.plan.empty() && !figure.recording.empty())
        object.required("recording").fail("a figure is of a plan or of a recording", "one of the two");
    if (const auto panels = object.optional("panels"))
        for (const JsonValue& entry : panels->elements()) figure.panels.push_back(panelFrom(entry));
    figure.timeS = timeFrom(object);
    figure.steady = object.booleanOr("steady", false);
    if (const auto lanes = object.optional("lanes"))
        for (const JsonValue& entry : lanes->elements()) figure.lanes.push_back(entry.integer(0));
    figure.memoryDevice = object.textOr("memory_device", "");
    figure.link = linkFrom(object);
    figure.reference = object.textOr("reference", "");
    if (const auto published = object.optional("published"))
        for (const JsonValue& entry : published->elements()) {
            const JsonObject time(entry, {"plan", "time"});
            figure.published.push_back(
                {nameFrom(time.required("plan"), "name of the plan"), time.required("time").text()});
        }
    figure.marks = marksFrom(object);
    figure.format = object.textOr("format", "");
    if (const auto style = object.optional("style")) {
        if (!style->isObject()) style->fail("no figure style", "an object, as in a *.figure-style.json file");
        figure.style = formatJson(style->raw());
    }
    return figure;
}

void addMarks(ordered_json& out, const std::optional<std::vector<ChartNote>>& marks) {
    if (marks) out["marks"] = toJson(*marks);
}

ordered_json toJson(const KeptPanel& panel) {
    ordered_json out = {{"plan", panel.plan}, {"view", panel.view}};
    addMarks(out, panel.marks);
    return out;
}

ordered_json toJson(const KeptFigure& figure) {
    ordered_json out = {{"name", figure.name}, {"view", figure.view}};
    if (!figure.plan.empty()) out["plan"] = figure.plan;
    if (!figure.recording.empty()) out["recording"] = figure.recording;
    for (const KeptPanel& panel : figure.panels) out["panels"].push_back(toJson(panel));
    if (figure.timeS) {
        out["from_s"] = figure.timeS->first;
        out["to_s"] = figure.timeS->second;
    }
    if (figure.steady) out["steady"] = true;
    if (!figure.lanes.empty()) out["lanes"] = figure.lanes;
    if (!figure.memoryDevice.empty()) out["memory_device"] = figure.memoryDevice;
    if (figure.link) out["link"] = {figure.link->first, figure.link->second};
    if (!figure.reference.empty()) out["reference"] = figure.reference;
    for (const KeptTime& time : figure.published)
        out["published"].push_back({{"plan", time.plan}, {"time", time.time}});
    addMarks(out, figure.marks);
    if (!figure.format.empty()) out["format"] = figure.format;
    if (!figure.style.empty()) out["style"] = nlohmann::json::parse(figure.style);
    return out;
}

}  // namespace

std::vector<KeptFigure> keptFiguresFromJson(const JsonValue& value) {
    std::vector<KeptFigure> figures;
    std::set<std::string> names;
    for (const JsonValue& entry : value.elements()) {
        figures.push_back(figureFrom(entry));
        const std::string& name = figures.back().name;
        if (!names.insert(name).second)
            entry.member("name").fail("another figure is called '" + name + "'", "a name of its own");
    }
    return figures;
}

std::string keptStyle(std::string_view text, const std::string& file) {
    return formatJson(parseJson(text, file));
}

ordered_json toJson(const std::vector<KeptFigure>& figures) {
    ordered_json out = ordered_json::array();
    for (const KeptFigure& figure : figures) out.push_back(toJson(figure));
    return out;
}

}  // namespace stagecraft::formats
