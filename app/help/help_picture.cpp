#include "app/help/help_picture.h"

#include "app/document/samples.h"
#include "app/figures/figure_source.h"
#include "core/planners/planned_run.h"
#include "core/formats/json_reader.h"
#include "views/figures/figure_style_json.h"

#include <algorithm>
#include <map>

namespace stagecraft::app::help {

namespace {

/// @param plan by its title; empty: the first
std::shared_ptr<const PlanRun> picturedRun(const HelpPicture& picture, const QString& plan,
                                           const Project& project) {
    const auto& plans = project.plans;
    std::size_t index = 0;
    if (!plan.isEmpty())
        while (index < plans.size() && plans[index].name != plan.toStdString() &&
               plans[index].planner != plan.toStdString())
            ++index;
    if (index == plans.size()) {
        if (plan.isEmpty()) return nullptr;
        throw InputError("figure", "sample " + picture.sample.toStdString(),
                         "no plan '" + plan.toStdString() + "'", "");
    }
    const auto costs = std::make_shared<const CostModel>(project.problem);
    return std::make_shared<const PlanRun>(
        reopenPlan(costs, plans[index], project.origins.empty() ? PlanOrigin{} : project.origins[index]));
}

const Project& projectOf(const HelpPicture& picture) {
    const Sample* sample = findSample(picture.sample);
    if (!sample) throw InputError("figure", "", "no sample '" + picture.sample.toStdString() + "'", "");
    return *sample->project;
}

/// The timelines of its plan and of the one with it.
FigureSource panelsOf(const HelpPicture& picture) {
    std::vector<NotedPlan> plans;
    std::vector<PanelChoice> panels;
    for (const auto& run : helpPictureRuns(picture)) {
        panels.push_back({static_cast<int>(plans.size()), PanelView::schedule});
        plans.push_back({run, {}});
    }
    return panelsSource(std::move(plans), std::move(panels));
}

FigureSource sourceOf(const HelpPicture& picture) {
    const Project& project = projectOf(picture);
    const std::shared_ptr<const PlanRun> run = picturedRun(picture, picture.plan, project);
    std::vector<FigureSource> sources;
    if (run && run->ok()) sources = planSources(run);
    if (picture.view == QLatin1String("panels")) sources.push_back(panelsOf(picture));
    sources.push_back(clusterSource(std::make_shared<const Cluster>(project.problem.cluster), run));
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const FigureSource& source) { return source.id == picture.view; });
    if (found == sources.end())
        throw InputError("figure", "sample " + picture.sample.toStdString(),
                         "nothing to draw as '" + picture.view.toStdString() + "'", "");
    return *found;
}

FigureStyle styleOf(const HelpPicture& picture, double pageMm) {
    constexpr double widest = 170, letterPt = 8;
    nlohmann::json style = nlohmann::json::parse(picture.style);
    if (!style.contains("width_mm")) style["width_mm"] = std::clamp(pageMm, narrowestMm, widest);
    if (!style.contains("font_pt")) style["font_pt"] = letterPt;
    style["format"] = "stagecraft/figure-style";
    style["version"] = 1;
    return readFigureStyle(style.dump(), "figure");
}

}  // namespace

QString HelpPicture::command() const {
    QString command = QStringLiteral("stagecraft export samples/%1.stagecraft.json").arg(sample);
    const QString option = view == QLatin1String("panels") ? QStringLiteral("panel") : QStringLiteral("plan");
    for (const QString& name : {plan, with})
        if (!name.isEmpty()) command += QStringLiteral(" --%1 \"%2\"").arg(option, name);
    return command + (isPlaying() ? QStringLiteral(" --format frames --out FOLDER")
                                  : QStringLiteral(" --view %1 --out F.pdf").arg(view));
}

std::vector<std::shared_ptr<const PlanRun>> helpPictureRuns(const HelpPicture& picture) {
    const Project& project = projectOf(picture);
    std::vector<std::shared_ptr<const PlanRun>> runs{picturedRun(picture, picture.plan, project)};
    if (!picture.with.isEmpty()) runs.push_back(picturedRun(picture, picture.with, project));
    for (const auto& run : runs)
        if (!run || !run->ok())
            throw InputError("figure", "sample " + picture.sample.toStdString(), "no plan to play", "");
    return runs;
}

HelpPicture readHelpPicture(const QString& block, const std::string& place) {
    const nlohmann::json document = parseJson(block.toStdString(), place);
    const JsonObject object(JsonValue(document, place),
                            {"sample", "plan", "with", "view", "caption", "style"});
    HelpPicture picture;
    picture.sample = QString::fromStdString(object.required("sample").text());
    picture.plan = QString::fromStdString(object.textOr("plan", ""));
    picture.with = QString::fromStdString(object.textOr("with", ""));
    picture.view = QString::fromStdString(object.textOr("view", "schedule"));
    picture.caption = QString::fromStdString(object.textOr("caption", ""));
    picture.style = document.value("style", nlohmann::json::object()).dump();
    return picture;
}

const Figure& drawHelpPicture(const HelpPicture& picture, double pageMm) {
    struct Drawn {
        std::string style;
        Figure figure;
    };
    // One of each: a dock that is dragged wider asks for every width on the way.
    static std::map<QString, Drawn> latest;
    const FigureStyle style = styleOf(picture, pageMm);
    const std::string text = writeFigureStyle(style);
    const QString key = QStringList{picture.sample, picture.plan, picture.with, picture.view,
                                    QString::fromStdString(picture.style)}
                            .join('\n');
    Drawn& drawn = latest[key];
    if (drawn.style != text) drawn = {text, sourceOf(picture).draw(style, {})};
    return drawn.figure;
}

}  // namespace stagecraft::app::help
