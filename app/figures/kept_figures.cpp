#include "app/figures/kept_figures.h"

#include "app/figures/curve_tables.h"
#include "core/base/text_parts.h"
#include "core/formats/files/kept_figure_json.h"
#include "views/figures/figure_style_json.h"

#include <algorithm>
#include <set>

namespace stagecraft::app::figures {
namespace {

using Notes = std::vector<ChartNote>;

const NotedPlan* planTitled(const DrawnProject& project, const std::string& title) {
    const auto found = std::find_if(project.plans.begin(), project.plans.end(),
                                    [&title](const NotedPlan& plan) { return plan.run->title() == title; });
    return found == project.plans.end() ? nullptr : &*found;
}

/// With a timeline. @throws std::invalid_argument
const NotedPlan& drawnPlan(const DrawnProject& project, const std::string& title) {
    const NotedPlan* plan = planTitled(project, title);
    if (!plan) throw std::invalid_argument("the project has no simulated plan '" + title + "'");
    if (!plan->run->ok())
        throw std::invalid_argument("the plan '" + title + "' has no timeline: " + plan->run->result.reason);
    return *plan;
}

/// @throws std::invalid_argument
const NotedRecording& drawnRecording(const DrawnProject& project, const std::string& title) {
    const auto found = std::ranges::find_if(
        project.recordings, [&](const NotedRecording& each) { return each.run->recording->title == title; });
    if (found == project.recordings.end())
        throw std::invalid_argument("the project has no recording '" + title + "' that can be read");
    return *found;
}

/// Nothing where they are those on the chart, which the figure then follows.
std::optional<Notes> marksBeside(const Notes& notes, const Notes& onChart) {
    if (notes == onChart) return std::nullopt;
    return notes;
}
std::optional<Notes> ownMarks(const Notes& notes, const std::string& title, const DrawnProject& project) {
    const NotedPlan* plan = planTitled(project, title);
    return plan ? marksBeside(notes, plan->notes) : notes;
}

std::vector<KeptPanel> keptPanels(const StyledFigure& figure, const DrawnProject& project) {
    std::vector<KeptPanel> panels;
    for (const PanelChoice& choice : figure.part.panels.value_or(figure.source.panels)) {
        const std::string title = figure.source.plans.at(choice.plan).toStdString();
        const auto& all = figure.part.planNotes ? *figure.part.planNotes : figure.source.planNotes;
        const Notes& notes = all.at(static_cast<std::size_t>(choice.plan));
        panels.push_back({title, nameOf(panelViewNames, choice.view), ownMarks(notes, title, project)});
    }
    return panels;
}

/// As publishedTimes() reads them; a piece without a time is kept as it is.
std::vector<KeptTime> keptTimes(const std::string& text) {
    std::vector<KeptTime> times;
    if (trimmed(text).empty()) return times;
    for (const std::string_view piece : cellsOf(text, '|')) {
        const std::size_t equals = std::min(piece.rfind('='), piece.size());
        const std::string_view time = equals < piece.size() ? piece.substr(equals + 1) : std::string_view();
        times.push_back({std::string(trimmed(piece.substr(0, equals))), std::string(trimmed(time))});
    }
    return times;
}

/// The panels that are kept, in their order, then the project's other plans, which may be added.
FigureSource panelsOf(const KeptFigure& kept, const DrawnProject& project) {
    std::vector<NotedPlan> plans;
    std::vector<PanelChoice> panels;
    for (const KeptPanel& panel : kept.panels) {
        const PanelView* view = findByName(panelViewNames, panel.view);
        if (!view)
            throw std::invalid_argument("no panel shows '" + panel.view + "'; expected " +
                                        joinNames(allNames(panelViewNames), " | "));
        NotedPlan plan = drawnPlan(project, panel.plan);
        if (panel.marks) plan.notes = *panel.marks;
        auto place = std::find_if(plans.begin(), plans.end(), [&plan](const NotedPlan& other) {
            return other.run == plan.run && other.notes == plan.notes;
        });
        if (place == plans.end()) place = plans.insert(plans.end(), std::move(plan));
        panels.push_back({static_cast<int>(place - plans.begin()), *view});
    }
    if (panels.empty()) throw std::invalid_argument("the figure has no panels");
    for (const NotedPlan& plan : project.plans)
        if (plan.run->ok() && std::none_of(kept.panels.begin(), kept.panels.end(),
                                           [&](const KeptPanel& it) { return it.plan == plan.run->title(); }))
            plans.push_back(plan);
    return panelsSource(std::move(plans), std::move(panels));
}

FigureSource ofPlan(const KeptFigure& kept, const DrawnProject& project) {
    const NotedPlan& plan = drawnPlan(project, kept.plan);
    std::vector<FigureSource> sources = planSources(plan.run, kept.marks.value_or(plan.notes));
    std::string offered;
    for (FigureSource& source : sources) {
        if (source.id.toStdString() == kept.view) return std::move(source);
        offered += (offered.empty() ? "" : ", ") + source.id.toStdString();
    }
    throw std::invalid_argument("the plan '" + kept.plan + "' has no figure '" + kept.view + "', only " +
                                offered);
}

FigureSource ofRecording(const KeptFigure& kept, const DrawnProject& project) {
    if (kept.view != "recording")
        throw std::invalid_argument("no figure '" + kept.view + "' of a recording; expected recording");
    const NotedRecording& recording = drawnRecording(project, kept.recording);
    return recordingSource(recording.run, kept.marks.value_or(recording.notes));
}

FigureSource ofProject(const KeptFigure& kept, const DrawnProject& project) {
    if (kept.view == "panels") return panelsOf(kept, project);
    if (kept.view == "cluster") return clusterSource(project.cluster, nullptr);
    if (kept.view == "bandwidth") return bandwidthSource(project.cluster);
    if (kept.view != "compare")
        throw std::invalid_argument("no figure '" + kept.view +
                                    "' without a plan; expected panels | compare | cluster | bandwidth");
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (const NotedPlan& plan : project.plans) runs.push_back(plan.run);
    if (runs.empty()) throw std::invalid_argument("the project has no plans to compare");
    return comparisonSource(std::move(runs));
}

int deviceOf(const DrawnProject& project, const std::string& id) {
    const DeviceList& devices = project.cluster->devices;
    const auto found =
        std::find_if(devices.begin(), devices.end(), [&id](const Device& device) { return device.id == id; });
    if (found == devices.end()) throw std::invalid_argument("the cluster has no GPU '" + id + "' any more");
    return static_cast<int>(found - devices.begin());
}

FigurePart partOf(const KeptFigure& kept, const DrawnProject& project) {
    FigurePart part;
    part.timeS = kept.timeS;
    part.steady = kept.steady;
    part.lanes = kept.lanes;
    for (const KeptTime& time : kept.published)
        part.published += (part.published.empty() ? "" : "|") + time.plan + "=" + time.time;
    if (!kept.memoryDevice.empty()) part.memoryDevice = deviceOf(project, kept.memoryDevice);
    if (!kept.reference.empty()) part.reference = drawnPlan(project, kept.reference).run->title();
    const auto requireLanes = [&kept](const Timeline& timeline, const std::string& what) {
        for (const int lane : kept.lanes)
            if (lane >= static_cast<int>(timeline.lanes.size()))
                throw std::invalid_argument(what + " has no lane " + std::to_string(lane) + " any more");
    };
    if (!kept.recording.empty())
        requireLanes(drawnRecording(project, kept.recording).run->recording->timeline,
                     "the recording '" + kept.recording + "'");
    if (kept.plan.empty()) return part;
    const PlanRun& run = *drawnPlan(project, kept.plan).run;
    requireLanes(run.evaluation->timeline, "the plan '" + kept.plan + "'");
    if (kept.link) {
        const auto& [from, to] = *kept.link;
        const std::optional<int> link = linkBetween(run, from, to);
        if (!link)
            throw std::invalid_argument("the link from '" + from + "' to '" + to + "' carries nothing of '" +
                                        kept.plan + "'");
        part.link = *link;
    }
    return part;
}

}  // namespace

bool canBeKept(const FigureSource& source) {
    static const std::set<QString> ofNoPlan = {QStringLiteral("panels"), QStringLiteral("compare"),
                                               QStringLiteral("cluster"), QStringLiteral("bandwidth")};
    return !source.plan.isEmpty() || !source.recording.isEmpty() || ofNoPlan.contains(source.id);
}

KeptFigure keptFigure(const std::string& name, const StyledFigure& figure, const DrawnProject& project) {
    const auto& [source, style, part, format] = figure;
    KeptFigure kept{name, source.id.toStdString(), source.plan.toStdString()};
    if (!source.plans.isEmpty()) kept.panels = keptPanels(figure, project);
    if (!part.steady) kept.timeS = part.timeS;
    kept.steady = part.steady;
    kept.lanes = part.lanes;
    if (part.memoryDevice >= 0)
        kept.memoryDevice = project.cluster->devices.at(static_cast<std::size_t>(part.memoryDevice)).id;
    if (const NotedPlan* plan = planTitled(project, kept.plan)) {
        if (part.link >= 0) kept.link = endsOfLink(*plan->run, part.link);
        kept.marks =
            ownMarks(part.notes.value_or(source.has.marks ? source.notes : plan->notes), kept.plan, project);
    }
    if (!source.recording.isEmpty()) {
        kept.recording = source.recording.toStdString();
        kept.marks =
            marksBeside(part.notes.value_or(source.notes), drawnRecording(project, kept.recording).notes);
    }
    kept.reference = part.reference;
    kept.published = keptTimes(part.published);
    kept.format = format.toStdString();
    kept.style = keptStyle(writeFigureStyle(style), name);
    return kept;
}

StyledFigure findKept(const KeptFigure& kept, const DrawnProject& project) {
    StyledFigure found;
    found.source = !kept.recording.empty() ? ofRecording(kept, project)
                   : kept.plan.empty()     ? ofProject(kept, project)
                                           : ofPlan(kept, project);
    if (!kept.style.empty()) found.style = readFigureStyle(kept.style, "style of '" + kept.name + "'");
    found.part = partOf(kept, project);
    found.format = QString::fromStdString(kept.format);
    return found;
}

std::vector<KeptFigure> withFigure(std::vector<KeptFigure> figures, KeptFigure figure) {
    const auto same = std::find_if(figures.begin(), figures.end(),
                                   [&figure](const KeptFigure& each) { return each.name == figure.name; });
    if (same == figures.end())
        figures.push_back(std::move(figure));
    else
        *same = std::move(figure);
    return figures;
}

}  // namespace stagecraft::app::figures
