#include "app/shell/window_stage.h"

#include "app/actions/action_register.h"
#include "app/compare/compare_page.h"
#include "app/shell/file_controller.h"
#include "core/analysis/block_query.h"
#include "core/base/units.h"
#include "core/model/model_names.h"
#include "views/figures/figure_style.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/play_clock.h"

#include <QUndoStack>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stagecraft::app::shell {

namespace {

constexpr int lookEveryMs = 150;

std::vector<std::uint32_t> blocksFound(const std::string& query, const PlanRun& run) {
    const Timeline& timeline = run.evaluation->timeline;
    try {
        const BlockQuery search(query, run.costs->problem().cluster, run.result.plan, timeline);
        return search.find(timeline, run.evaluation->metrics.criticalPath.blocks);
    } catch (const std::exception&) {
        return {};  // of another plan than the lesson means
    }
}

/// What the chart shows instead of a field of a step; empty: what the step says.
std::string whyUnshown(const std::string& field, const WindowSetting& setting, PlanView& view) {
    const PlanViewState state = view.viewState();
    const Timeline& timeline = view.run()->evaluation->timeline;
    // Charts end at a pixel, and times are typed with few digits.
    const double toleranceS = 0.01 * (timeline.lastEndS() - timeline.firstStartS());
    const auto isAt = [toleranceS](double timeS, double askedS) {
        return std::abs(timeS - askedS) <= toleranceS;
    };
    const std::string whole = "the plan goes from " + formatSeconds(timeline.firstStartS()) + " to " +
                              formatSeconds(timeline.lastEndS());
    if (field == "time")
        return isAt(state.t0, setting.timeS->first) && isAt(state.t1, setting.timeS->second) ? "" : whole;
    if (field == "playhead") {
        const double atS = view.clock().timeS();
        const bool isSeen = atS >= state.t0 - toleranceS && atS <= state.t1 + toleranceS;
        return isSeen && isAt(atS, *setting.playheadS) ? "" : whole;
    }
    if (field == "below") return state.links == setting.links ? "" : "the plan sends nothing over a link";
    if (field == "block") {
        const auto blocks = blocksFound(setting.block, *view.run());
        return !blocks.empty() && state.selected == blocks.front() ? "" : "the plan has no such block";
    }
    const BlockColouring shown = view.gantt().scene().classes().colouring();
    if (shown == *findByName(colouringNames, setting.colour)) return "";
    return "mini-batches of this plan do not overlap; blocks are coloured by " +
           std::string(describe(shown).name);
}

}  // namespace

WindowStage::WindowStage(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                         FileController& files, QObject* parent)
    : LessonStage(parent), actions_(actions), workspace_(workspace), workbench_(workbench), files_(files) {
    // Much may change what a lesson waits for, and little of it often: it is looked at from time to time.
    looking_.setInterval(lookEveryMs);
    connect(&looking_, &QTimer::timeout, this, &WindowStage::look);
    connect(&workspace_, &Workspace::projectReplaced, this, [this] { ours_ = false; });
}

void WindowStage::watchActions() {
    for (QAction* action : actions_.all())
        connect(action, &QAction::triggered, this,
                [this, id = action->objectName()] { emit actionDone(id); });
}

void WindowStage::setWatching(bool on) {
    on ? looking_.start() : looking_.stop();
    if (!on) waiting_.reset();
}

void WindowStage::look() {
    settle();
    emit changed();
}

bool WindowStage::open(const Project& project) {
    // What was done to a lesson's own project is part of the lesson.
    if (ours_ && workspace_.path().isEmpty()) workspace_.undoStack()->setClean();
    const bool opened = files_.openInstead(project, {});
    if (opened) ours_ = true;
    return opened;
}

const PlanItem* WindowStage::planTitled(const std::string& title) const {
    if (title.empty()) return nullptr;
    for (const PlanItem& item : workspace_.plans())
        if (item.title().toStdString() == title || item.plan.name == title ||
            (item.plan.name.empty() && item.plan.planner == title))
            return &item;
    return nullptr;
}

int WindowStage::idOf(const std::string& title) const {
    const PlanItem* item = planTitled(title);
    return item ? item->id : 0;
}

void WindowStage::show(const WindowSetting& setting) {
    waiting_.reset();
    if (!setting.charts.empty()) {
        std::vector<int> ids;
        for (const std::string& title : setting.charts)
            if (const int id = idOf(title)) ids.push_back(id);
        workbench_.compareCharts(ids);
    } else if (!setting.tab.empty()) {
        setting.tab == "charts" ? workbench_.showStack()
                                : workbench_.showKey(QString::fromStdString(setting.tab));
    }
    if (const int id = idOf(setting.plan)) {
        workbench_.showPlan(id);
        waiting_ = setting;
        connect(workbench_.planView(id), &PlanView::ready, this, &WindowStage::settle, Qt::UniqueConnection);
        settle();
    }
}

void WindowStage::settle() {
    if (!waiting_) return;
    PlanView* view = workbench_.planView(idOf(waiting_->plan));
    if (!view || !view->isReady()) return;
    const WindowSetting setting = *waiting_;
    waiting_.reset();
    setCharts(*view, setting);
}

void WindowStage::setCharts(PlanView& view, const WindowSetting& setting) const {
    PlanViewState state = view.viewState();
    if (setting.timeS) std::tie(state.t0, state.t1) = *setting.timeS;
    if (!setting.timeS) state.t0 = state.t1 = 0;
    if (!setting.colour.empty()) state.colouring = *findByName(colouringNames, setting.colour);
    state.links = setting.links;
    state.selected = noBlock;
    if (!setting.block.empty())
        if (const auto blocks = blocksFound(setting.block, *view.run()); !blocks.empty())
            state.selected = blocks.front();
    view.setViewState(state);
    if (setting.playheadS) view.clock().setTime(*setting.playheadS);
}

bool WindowStage::isTab(const std::string& tab) const {
    const std::string key = workbench_.currentKey().toStdString();
    if (tab == "charts") return key == "compare" && workbench_.compare()->chartsShown();
    return key == tab;
}

bool WindowStage::isSelected(const std::string& query) const {
    PlanView* view = workbench_.planView(workbench_.currentPlan());
    if (!view || !view->isReady() || view->selectedBlock() == noBlock) return false;
    const auto found = blocksFound(query, *view->run());
    return std::find(found.begin(), found.end(), view->selectedBlock()) != found.end();
}

bool WindowStage::holds(const Deed& deed) const {
    const TrainingSetup& setup = workspace_.problem().setup;
    if (deed.microbatches && setup.microbatches != *deed.microbatches) return false;
    if (!deed.channel.empty() && setup.channel != *findByName(channelModeNames, deed.channel)) return false;
    if (!deed.tab.empty() && !isTab(deed.tab)) return false;
    if (!deed.block.empty() && !isSelected(deed.block)) return false;
    if (deed.plan.empty() && deed.schedule.empty() && deed.planner.empty()) return true;
    const PlanItem* item = workspace_.plan(workbench_.currentPlan());
    if (!item) return false;
    if (!deed.plan.empty() && idOf(deed.plan) != item->id) return false;
    if (!deed.planner.empty() && item->plan.planner != deed.planner) return false;
    const auto* policy = std::get_if<FamilySchedule>(&item->plan.schedule.order);
    return deed.schedule.empty() || (policy && policy->name == deed.schedule);
}

QString WindowStage::selectedBlock() const {
    PlanView* view = workbench_.planView(workbench_.currentPlan());
    if (!view || !view->isReady() || view->selectedBlock() == noBlock) return {};
    return QString::fromStdString(describeBlock(view->run()->evaluation->timeline, view->selectedBlock()));
}

bool WindowStage::isTitled(int plan, const std::string& title) const {
    return plan != 0 && idOf(title) == plan;
}

bool WindowStage::areCharts(const std::vector<std::string>& titles) const {
    if (!isTab("charts")) return false;
    const std::vector<int> shown = workbench_.compare()->state().plans;
    return std::equal(shown.begin(), shown.end(), titles.begin(), titles.end(),
                      [this](int plan, const std::string& title) { return isTitled(plan, title); });
}

/// The tab that is in front.
std::string WindowStage::frontInWords() const {
    if (const PlanItem* item = workspace_.plan(workbench_.currentPlan()))
        return "the tab of the plan '" + item->title().toStdString() + "' is in front";
    if (isTab("charts")) return "the charts of other plans are in front";
    return "the tab '" + workbench_.currentKey().toStdString() + "' is in front";
}

std::vector<Unshown> WindowStage::unshown(const WindowSetting& setting) const {
    std::vector<Unshown> missing;
    if (!setting.charts.empty() && !areCharts(setting.charts)) missing.push_back({"charts", frontInWords()});
    if (!setting.tab.empty() && !isTab(setting.tab)) missing.push_back({"tab", frontInWords()});
    const int plan = setting.plan.empty() ? 0 : idOf(setting.plan);
    PlanView* view = plan != 0 && workbench_.currentPlan() == plan ? workbench_.planView(plan) : nullptr;
    if (!setting.plan.empty() && !view) missing.push_back({"plan", frontInWords()});
    for (const char* field : {"time", "block", "playhead", "colour", "below"}) {
        if (!setting.lines.contains(field)) continue;
        const std::string why = !view ? "it is of a plan: 'plan: …' in the same block says of which"
                                : !view->isReady() ? "the plan has no chart"
                                                   : whyUnshown(field, setting, *view);
        if (!why.empty()) missing.push_back({field, why});
    }
    return missing;
}

bool WindowStage::isSettled() const {
    if (waiting_) return false;
    const std::shared_ptr<const PlanRun> run = runInView();
    if (run && !run->ok()) return true;  // it has no charts that could come
    PlanView* view = workbench_.planView(workbench_.currentPlan());
    return !view || view->isReady();
}

bool WindowStage::hasAction(const std::string& id) const {
    return actions_.action(QString::fromStdString(id)) != nullptr;
}

std::shared_ptr<const PlanRun> WindowStage::runInView() const {
    const PlanItem* item = workspace_.plan(workbench_.currentPlan());
    return item ? item->run : nullptr;
}

void WindowStage::addPlan(const Plan& plan) { workbench_.showPlan(workspace_.addPlan(plan)); }

}  // namespace stagecraft::app::shell
