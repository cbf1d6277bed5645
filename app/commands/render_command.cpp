#include "app/commands/colouring_option.h"
#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/offscreen.h"
#include "app/commands/pictures.h"
#include "app/commands/pixels.h"
#include "views/common/theme.h"
#include "views/compare/compare_view.h"
#include "views/pattern/pattern_view.h"
#include "views/profile/profile_view.h"
#include "views/topology/topology_view.h"

#include <QApplication>

#include <charconv>

namespace stagecraft::app {

namespace {

enum class RenderedView { topology, profile, plan, pattern, compare };
constexpr EnumName<RenderedView> renderedViewNames[] = {{RenderedView::topology, "topology"},
                                                        {RenderedView::profile, "profile"},
                                                        {RenderedView::plan, "plan"},
                                                        {RenderedView::pattern, "pattern"},
                                                        {RenderedView::compare, "compare"}};
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

std::unique_ptr<QWidget> compareWidget(PlanRuns runs) {
    auto view = std::make_unique<CompareView>();
    view->setRuns(std::move(runs));
    return view;
}

template <class ViewWidget>
std::unique_ptr<QWidget> withRun(std::unique_ptr<ViewWidget> view, const Run& run) {
    view->setRun(run);
    return view;
}

std::unique_ptr<QWidget> widgetFor(RenderedView view, const PlansInput& input, const Run& run,
                                   const PlanViewState& state) {
    const Problem& problem = input.costs->problem();
    if (view == RenderedView::topology) {
        auto widget = std::make_unique<TopologyView>();
        widget->setCluster(problem.cluster);
        return withRun(std::move(widget), run);
    }
    if (view == RenderedView::profile) {
        auto widget = std::make_unique<ProfileView>();
        widget->setProfile(problem.profile);
        return withRun(std::move(widget), run);
    }
    if (view == RenderedView::pattern) return withRun(std::make_unique<PatternView>(), run);
    return chartsOf(run, state);
}

int runRender(const Arguments& arguments, std::ostream&, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const std::string target = arguments.required("out");
    if (!arguments.has("view"))
        throw UsageError("--view is missing; expected " + joinNames(allNames(renderedViewNames), " | "));
    const RenderedView view = *arguments.choice("view", renderedViewNames);
    const QSize size = pictureSize(arguments.text("size").value_or("1600x1000"));
    const ThemeChoice theme = arguments.choice("theme", themeNames).value_or(ThemeChoice::light);
    const PlansInput input = plansFrom(path);
    const Run shown = view == RenderedView::compare ? nullptr : shownRun(arguments, input, path, err);
    if ((view == RenderedView::plan || view == RenderedView::pattern) && !shown)
        chosenPlan(arguments, input.plans, path);  // says that there is no plan
    if (view == RenderedView::pattern) requirePattern(*shown);
    ensureApplication();
    applyTheme(*qApp, theme);
    PlanViewState state;
    state.colouring = chosenColouring(arguments);
    state.predictions = arguments.has("predictions");
    const std::unique_ptr<QWidget> widget = view == RenderedView::compare
                                                ? compareWidget(reopenedPlans(input, path, err))
                                                : widgetFor(view, input, shown, state);
    writePicture(target, pictureOf(*widget, size));
    return exitDone;
}

}  // namespace

Command renderCommand() {
    return {"render",
            {"PROJECT --view topology|profile|plan|pattern|compare --out F.png [OPTIONS]"},
            "Draws the picture that the window would show.",
            {{"view", "VIEW", joinNames(allNames(renderedViewNames), " | ")},
             {"out", "F.png", "the file to write"},
             {"size", "WxH", "in pixels; default 1600x1000"},
             {"theme", "NAME", joinNames(allNames(themeNames), " | ")},
             planOption,
             colouringOption,
             predictionsOption},
            &runRender};
}

}  // namespace stagecraft::app
