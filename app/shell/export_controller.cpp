#include "app/shell/export_controller.h"

#include "app/document/file_name.h"
#include "app/document/samples.h"
#include "app/compare/compare_page.h"
#include "app/figures/figure_dialog.h"
#include "app/pareto/pareto_page.h"
#include "app/plan/plan_page.h"
#include "app/shell/message_time.h"
#include "app/training/training_page.h"
#include "views/common/caption.h"
#include "views/common/job.h"
#include "views/pattern/pattern_view.h"
#include "views/plan/resource_charts.h"
#include "views/resources/link_chart.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStatusBar>

namespace stagecraft::app {
namespace {

const QString profileSuffix = QStringLiteral(".profile.json");

FigurePart shownPart(PlanView& view) {
    const std::pair<double, double> range = view.visibleRange();
    FigurePart part;
    const Timeline& timeline = view.run()->evaluation->timeline;
    const bool all = range.first <= timeline.firstStartS() && range.second >= timeline.lastEndS();
    if (range.first < range.second && !all) part.timeS = range;
    part.lanes = view.visibleLanes();
    if (part.lanes.size() == timeline.lanes.size()) part.lanes.clear();
    part.memoryDevice = view.viewState().memoryDevice;
    if (const LinkScene& links = view.resources().links().scene(); links.data && links.link >= 0)
        part.link = links.data->links[static_cast<std::size_t>(links.link)].index;
    return part;
}

/// While sliders of What if or of the memory limit have been moved the chart shows another plan than the
/// document has.
bool chartShowsTrial(Workbench& workbench) {
    const PlanItem* item = workbench.planInView();
    PlanView* view = item ? workbench.planView(item->id) : nullptr;
    return view && view->run() && item->run && view->run()->evaluation != item->run->evaluation;
}

}  // namespace

ExportController::ExportController(Workspace& workspace, Workbench& workbench, QMainWindow& window)
    : QObject(&window),
      workspace_(workspace),
      workbench_(workbench),
      window_(window),
      all_(new AllFigures(workspace, window)) {
    connect(all_, &AllFigures::exported, this, &ExportController::exported);
    connect(all_, &AllFigures::failed, this, &ExportController::failed);
}

bool ExportController::canExport() const {
    if (!workspace_.isOpen()) return false;
    const QString key = workbench_.currentKey();
    if (key == QLatin1String("cluster")) return !workspace_.problem().cluster.devices.empty();
    if (key == QLatin1String("compare")) return !workspace_.plans().empty();
    if (key == QLatin1String("training")) return workbench_.training()->hasResults();
    if (key == QLatin1String("pareto")) return workbench_.pareto()->hasResults();
    const PlanItem* item = workbench_.planInView();
    return workbench_.currentPlan() != 0 && item && item->run && item->run->ok();
}

QString ExportController::folder() const { return proposedFolder(workspace_.path()); }

std::vector<FigureSource> ExportController::sourcesInView() const {
    const QString key = workbench_.currentKey();
    const PlanItem* item = workbench_.planInView();
    const std::shared_ptr<const PlanRun> run = item && item->run && item->run->ok() ? item->run : nullptr;
    if (key == QLatin1String("cluster")) {
        const auto problem = workspace_.sharedProblem();
        const std::shared_ptr<const Cluster> cluster(problem, &problem->cluster);
        return {clusterSource(cluster, run, workbench_.topology()->scene().folding()),
                bandwidthSource(cluster)};
    }
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (const PlanItem& each : workspace_.plans())
        if (each.run) runs.push_back(each.run);
    if (key == QLatin1String("compare")) {
        ComparePage& compare = *workbench_.compare();
        std::vector<FigureSource> sources = {comparisonSource(runs)};
        if (FigureSource panels = panelsOf(compare.stack().chosen()); !panels.plans.isEmpty())
            sources.insert(compare.chartsShown() ? sources.begin() : sources.end(), std::move(panels));
        return sources;
    }
    if (key == QLatin1String("training")) {
        TrainingPage& page = *workbench_.training();
        if (!page.hasResults()) return {};
        return {trainingSource(page.job().reached().runs, page.view().options())};
    }
    if (key == QLatin1String("pareto")) {
        ParetoPage& page = *workbench_.pareto();
        if (!page.hasResults()) return {};
        return {paretoSource(page.job().reached(), page.job().problem(), page.view().chart().options())};
    }
    if (!run) return {};
    std::vector<FigureSource> sources = planSources(run, item->notes);
    sources.push_back(panelsOf({item->id}));
    if (runs.size() > 1) sources.push_back(comparisonSource(runs));
    // What is in view comes first.
    if (workbench_.planPage(item->id)->patternShown()) std::swap(sources[0], sources[1]);
    return sources;
}

FigureSource ExportController::panelsOf(const std::vector<int>& ids) const {
    std::vector<NotedPlan> plans;
    std::vector<PanelChoice> panels;
    const auto add = [&](const PlanItem& item, bool shown) {
        if (!item.run || !item.run->ok()) return;
        const int plan = static_cast<int>(plans.size());
        if (shown) panels.push_back({plan, PanelView::schedule});
        if (ids.size() == 1 && shown) panels.push_back({plan, PanelView::memory});
        plans.push_back({item.run, item.notes});
    };
    for (const int id : ids)
        if (const PlanItem* item = workspace_.plan(id)) add(*item, true);
    for (const PlanItem& item : workspace_.plans())
        if (std::find(ids.begin(), ids.end(), item.id) == ids.end()) add(item, false);
    return panelsSource(std::move(plans), std::move(panels));
}

std::optional<FigurePart> ExportController::partInView() const {
    if (workbench_.currentKey() == QLatin1String("compare")) {
        FigurePart part;
        if (const auto range = workbench_.compare()->stack().visibleRange(); range.first < range.second)
            part.timeS = range;
        return part;
    }
    const PlanItem* item = workbench_.planInView();
    PlanView* view = item ? workbench_.planView(item->id) : nullptr;
    if (!view || !view->isReady() || chartShowsTrial(workbench_)) return std::nullopt;
    return shownPart(*view);
}

void ExportController::exportInView() {
    std::vector<FigureSource> sources = sourcesInView();
    if (sources.empty()) return;
    FigureDialog dialog(std::move(sources), partInView(), ExportChoice::load(), &window_);
    if (workbench_.currentKey().startsWith(QLatin1String("plan")) && chartShowsTrial(workbench_))
        dialog.setRemark(
            tr("The chart in the window shows a change that has not been applied. Figures and tables show "
               "the plan without it."));
    dialog.offerKeeping(
        {}, [this](const QString& name, const StyledFigure& figure) { return keep(name, figure); });
    const QString path = dialog.askForFile(folder(), [this, &dialog] {
        const PlanItem* item = workbench_.planInView();
        QStringList parts{workspace_.title()};
        if (item && workbench_.currentKey().startsWith(QLatin1String("plan"))) parts << item->title();
        if (!dialog.source().fileName.isEmpty()) parts << dialog.source().fileName;
        return fileNameOf(parts.join('-'));
    });
    if (!path.isEmpty()) exportTo(path, dialog.choice());
    const PlanItem* item = workbench_.planInView();
    if (dialog.editedNotes() && item) workspace_.setNotes(item->id, *dialog.editedNotes(), tr("Mark figure"));
}

QString ExportController::keep(const QString& name, const StyledFigure& figure) {
    const KeptFigure kept = keptFigure(name.toStdString(), figure, all_->drawn());
    const std::vector<KeptFigure>& before = workspace_.figures();
    const bool replaces = std::any_of(before.begin(), before.end(),
                                      [&kept](const KeptFigure& each) { return each.name == kept.name; });
    workspace_.setFigures(withFigure(before, kept), tr("Keep figure %1").arg(name));
    return replaces
               ? tr("Kept in place of the earlier '%1'.").arg(name)
               : tr("Kept as '%1': it is listed under Figures, and \"Remake kept figures\" in the File menu "
                    "draws it again.")
                     .arg(name);
}

void ExportController::openKept(const QString& name) {
    const std::vector<KeptFigure>& figures = workspace_.figures();
    const auto kept = std::find_if(figures.begin(), figures.end(), [&name](const KeptFigure& each) {
        return QString::fromStdString(each.name) == name;
    });
    if (kept == figures.end()) return;
    StyledFigure figure;
    try {
        figure = findKept(*kept, all_->drawn());
    } catch (const std::exception& reason) {
        emit failed(
            {{}, {}, tr("The figure %1 cannot be drawn: %2").arg(name, QString::fromUtf8(reason.what()))});
        return;
    }
    ExportChoice choice = ExportChoice::load();
    const ExportChoice usual = choice;
    choice.style = figure.style;
    choice.part = figure.part;
    if (!figure.format.isEmpty()) choice.format = figure.format;
    FigureDialog dialog({figure.source}, figure.part, choice, &window_);
    dialog.offerKeeping(name,
                        [this](const QString& wanted, const StyledFigure& now) { return keep(wanted, now); });
    const QString path = dialog.askForFile(folder(), [&name] { return fileNameOf(name); });
    const ExportChoice made = dialog.choice();
    ExportChoice next = usual;
    if (made.format != figure.format) next.format = made.format;
    next.folder = made.folder;
    next.save();  // the style stays this figure's own
    if (path.isEmpty()) return;
    writeAway(path, [source = figure.source, made, path] {
        writeSource(source, made.format, made.style, *made.part, path.toStdString());
    });
}

void ExportController::exportTo(const QString& path, const ExportChoice& choice) {
    const std::vector<FigureSource> sources = sourcesInView();
    if (sources.empty()) return;
    const auto chosen = std::find_if(sources.begin(), sources.end(),
                                     [&](const FigureSource& each) { return each.id == choice.figure; });
    const FigureSource source = chosen == sources.end() ? sources.front() : *chosen;
    const FigurePart part = choice.part ? *choice.part : partInView().value_or(FigurePart{});
    writeAway(path, [source, choice, part, path] {
        writeSource(source, choice.format, choice.style, part, path.toStdString());
    });
}

void ExportController::writeAway(const QString& path, std::function<void()> write) {
    Job* job = Job::once(this);
    connect(job, &Job::ended, this, [this, path](bool, const QString& failure) {
        if (failure.isEmpty())
            window_.statusBar()->showMessage(tr("Exported %1").arg(QDir::toNativeSeparators(path)),
                                             messageMs);
        else
            emit failed({path, {}, failure});
        emit exported(path);
    });
    job->start(std::move(write));
}

void ExportController::copyPicture() {
    PlanView* plan = workbench_.planView(workbench_.currentPlan());
    PlanPage* page = workbench_.planPage(workbench_.currentPlan());
    constexpr double scale = 2;  // sharp when it is enlarged on a slide
    if (page && page->patternShown()) {
        QGuiApplication::clipboard()->setImage(
            withCaption(page->pattern()->picture().picture(scale), plan->caption(), scale, window_.font()));
    } else if (plan) {
        QGuiApplication::clipboard()->setImage(plan->picture(scale));
    } else if (workbench_.currentKey() == QLatin1String("pareto")) {
        QGuiApplication::clipboard()->setPixmap(workbench_.pareto()->view().chart().grab());
    } else if (workbench_.currentKey() == QLatin1String("training")) {
        QGuiApplication::clipboard()->setPixmap(workbench_.training()->view().picture());
    } else {
        QWidget* shown = workbench_.currentWidget();
        // Of the cluster the drawing, without the palette and the panels beside it.
        if (workbench_.currentKey() == QLatin1String("cluster")) shown = workbench_.topology()->canvas();
        QGuiApplication::clipboard()->setPixmap(shown->grab());
    }
    window_.statusBar()->showMessage(tr("Copied as a picture"), messageMs);
}

void ExportController::saveProfile() {
    const QString name = fileNameOf(QString::fromStdString(workspace_.problem().profile.name));
    QString path = QFileDialog::getSaveFileName(
        &window_, tr("Save profile"), folder() + '/' + (name.isEmpty() ? tr("layers") : name) + profileSuffix,
        tr("Layer profiles (*%1)").arg(profileSuffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".json"))) path += profileSuffix;
    writeAway(path, [path, profile = workspace_.sharedProblem()] {
        writeFileAtomically(path.toStdString(), writeProfile(profile->profile));
    });
}

}  // namespace stagecraft::app
