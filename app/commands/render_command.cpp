#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/pictures.h"
#include "core/planners/planned_run.h"
#include "views/common/theme.h"
#include "views/compare/compare_view.h"
#include "views/pattern/pattern_view.h"
#include "views/profile/profile_view.h"
#include "views/topology/topology_view.h"

#include <QApplication>

#include <charconv>

namespace stagecraft::app::commands {

namespace {

constexpr EnumName<ThemeChoice> themeNames[] = {{ThemeChoice::light, "light"}, {ThemeChoice::dark, "dark"}};

using Run = std::shared_ptr<const PlanRun>;

QSize pictureSize(const std::string& text) {
    if (const auto size = pixelsFrom(text, 200, 16384)) return *size;
    throw UsageError("--size cannot be '" + text +
                     "'; expected WIDTHxHEIGHT in pixels, each from 200 to 16384");
}

/// The plan that colours the cluster and the profile or is shown: the chosen one, else the first; null if
/// there is none.
Run shownRun(const Arguments& arguments, const PlansInput& input, const std::string& path,
             std::ostream& err) {
    if (input.plans.empty() && !arguments.has("plan")) return nullptr;
    const std::size_t index = arguments.has("plan") ? chosenPlan(arguments, input.plans, path) : 0;
    checkAge(input, index, path, err);
    return std::make_shared<const PlanRun>(reopenPlan(input.costs, input.plans[index], input.origins[index]));
}

/// What is asked for, and of what.
struct Rendering {
    const Arguments& arguments;
    const std::string& path;
    std::ostream& err;
    mutable std::optional<PlansInput> read = std::nullopt;

    const PlansInput& input() const { return read ? *read : read.emplace(plansFrom(path)); }
    const Problem& problem() const { return input().costs->problem(); }
    Run run() const { return shownRun(arguments, input(), path, err); }
    /// @throws UsageError if there is no plan
    Run neededRun() const {
        Run found = run();
        if (!found) chosenPlan(arguments, input().plans, path);  // says that there is none
        return found;
    }
};

using Picture = std::unique_ptr<QWidget>;

template <class ViewWidget>
Picture withRun(std::unique_ptr<ViewWidget> view, const Run& run) {
    view->setRun(run);
    return view;
}

Picture clusterPicture(const Rendering& asked) {
    auto view = std::make_unique<TopologyView>();
    view->setCluster(asked.problem().cluster);
    return withRun(std::move(view), asked.run());
}

Picture profilePicture(const Rendering& asked) {
    auto view = std::make_unique<ProfileView>();
    view->setProfile(asked.problem().profile);
    return withRun(std::move(view), asked.run());
}

Picture planPicture(const Rendering& asked) {
    PlanViewState state;
    state.colouring = chosenColouring(asked.arguments);
    state.predictions = asked.arguments.has("predictions");
    return chartsOf(asked.neededRun(), state);
}

Picture patternPicture(const Rendering& asked) {
    const Run run = asked.neededRun();
    requirePattern(*run);
    return withRun(std::make_unique<PatternView>(), run);
}

Picture comparePicture(const Rendering& asked) {
    auto view = std::make_unique<CompareView>();
    view->setRuns(reopenedPlans(asked.input(), asked.path, asked.err));
    return view;
}

Picture recordingPicture(const Rendering& asked) {
    PlanViewState state;
    state.colouring = chosenColouring(asked.arguments);
    return chartsOf(readRecorded(recordedFiles(asked.path)), state);
}

using MakePicture = Picture (*)(const Rendering&);
/// What can be drawn, by its name.
constexpr EnumName<MakePicture> pictures[] = {{clusterPicture, "topology"}, {profilePicture, "profile"},
                                              {planPicture, "plan"},        {patternPicture, "pattern"},
                                              {comparePicture, "compare"},  {recordingPicture, "recording"}};

int runRender(const Arguments& arguments, std::ostream&, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const std::string target = arguments.required("out");
    if (!arguments.has("view"))
        throw UsageError("--view is missing; expected " + joinNames(allNames(pictures), " | "));
    const MakePicture draw = *arguments.choice("view", pictures);
    const QSize size = pictureSize(arguments.text("size").value_or("1600x1000"));
    const ThemeChoice theme = arguments.choice("theme", themeNames).value_or(ThemeChoice::light);
    ensureApplication();
    applyTheme(*qApp, theme);
    const Picture picture = draw({arguments, path, err});
    writePicture(target, pictureOf(*picture, size));
    return exitDone;
}

}  // namespace

Command renderCommand() {
    return {"render",
            {"PROJECT|RECORDING --view " + joinNames(allNames(pictures), "|") + " --out F.png [OPTIONS]"},
            "Draws the picture that the window would show. A recording is a file or a folder with a file for "
            "each rank.",
            {{"view", "VIEW", joinNames(allNames(pictures), " | ")},
             {"out", "F.png", "the file to write"},
             {"size", "WxH", "in pixels; default 1600x1000"},
             {"theme", "NAME", joinNames(allNames(themeNames), " | ")},
             planOption,
             colouringOption,
             predictionsOption},
            &runRender};
}

}  // namespace stagecraft::app::commands
