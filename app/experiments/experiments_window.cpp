#include "app/experiments/experiments_window.h"

#include "app/experiments/paper_experiments.h"
#include "app/experiments/sweep_files.h"
#include "app/figures/figure_dialog.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/runner.h"
#include "core/formats/formats.h"
#include "core/formats/json_reader.h"
#include "views/experiments/claims_list.h"
#include "views/experiments/experiment_view.h"
#include "views/gantt/plan_view.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stagecraft {

namespace {

constexpr int idRole = Qt::UserRole;        ///< a paper's experiment
constexpr int pathRole = Qt::UserRole + 1;  ///< an own one
constexpr int sideWidth = 280;
constexpr int refreshMs = 200;

/// Results that a file holds, or an experiment with nothing run.
ExperimentResults openExperimentOrResults(const std::string& path) {
    const std::string text = readTextFile(path);
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const nlohmann::json document = parseJson(text, path);
    if (document.is_object() && document.value("format", "") == resultsFormat)
        return readResults(text, path, folder);
    ExperimentResults results{readExperiment(text, path, folder), {}};
    results.cells.resize(Grid(results.experiment).cellCount());
    return results;
}

QString countText(const std::vector<Judgement>& judgements) {
    const auto holding = std::count_if(judgements.begin(), judgements.end(), [](const Judgement& judgement) {
        return judgement.verdict == Verdict::holds;
    });
    return QObject::tr("%1 of %2 claims hold").arg(holding).arg(judgements.size());
}

ExperimentResults shippedResults(const PaperExperiment& paper) {
    if (!paper.results.empty()) return readResults(paper.results, paper.id, {});
    ExperimentResults results{paper.experiment(), {}};
    results.cells.resize(Grid(results.experiment).cellCount());
    return results;
}

}  // namespace

ExperimentsWindow::ExperimentsWindow(QWidget* parent) : QWidget(parent, Qt::Window) {
    setWindowTitle(tr("Experiments — Stagecraft"));
    resize(1240, 760);
    overview_ = new QTreeWidget;
    overview_->setObjectName(QStringLiteral("paperClaims"));
    overview_->setHeaderLabels({tr("Do the papers hold?"), tr("Verdict"), tr("Numbers")});
    overview_->setFrameShape(QFrame::NoFrame);
    overview_->setUniformRowHeights(true);
    view_ = new ExperimentView;
    pages_ = new QStackedWidget;
    pages_->addWidget(overview_);
    pages_->addWidget(view_);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeSide());
    row->addWidget(pages_, 1);
    fillList();
    connect(overview_, &QTreeWidget::itemActivated, this, &ExperimentsWindow::choose);
    connect(view_, &ExperimentView::runRequested, this, &ExperimentsWindow::run);
    connect(view_, &ExperimentView::stopRequested, this, &ExperimentsWindow::stop);
    connect(view_, &ExperimentView::exportRequested, this, &ExperimentsWindow::exportShown);
    connect(view_, &ExperimentView::cellPicked, this, &ExperimentsWindow::lookAt);
    refresh_.setSingleShot(true);
    refresh_.setInterval(refreshMs);
    connect(&refresh_, &QTimer::timeout, view_, &ExperimentView::refresh);
    connectTask();
}

ExperimentsWindow::~ExperimentsWindow() = default;

QWidget* ExperimentsWindow::makeSide() {
    auto* side = new QWidget;
    side->setFixedWidth(sideWidth);
    list_ = new QTreeWidget;
    list_->setObjectName(QStringLiteral("experiments"));
    list_->setHeaderHidden(true);
    list_->setFrameShape(QFrame::NoFrame);
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) { choose(item); });
    auto* open = new QPushButton(tr("Open experiment…"));
    open->setObjectName(QStringLiteral("openExperiment"));
    open->setToolTip(tr("An experiment (*.experiment.json), or results of one"));
    connect(open, &QPushButton::clicked, this, &ExperimentsWindow::askForFile);
    failure_ = new QLabel;
    failure_->setProperty("role", "error");
    failure_->setWordWrap(true);
    failure_->setTextFormat(Qt::PlainText);
    failure_->hide();
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(8, 8, 8, 12);
    column->addWidget(list_, 1);
    column->addWidget(failure_);
    column->addWidget(open);
    return side;
}

void ExperimentsWindow::fillList() {
    auto* overview = new QTreeWidgetItem(list_, {tr("Do the papers hold?")});
    QTreeWidgetItem* group = nullptr;
    std::string paper;
    for (const PaperExperiment& one : paperExperiments()) {
        const Experiment experiment = one.experiment();
        if (experiment.source.paper != paper) {
            paper = experiment.source.paper;
            group = new QTreeWidgetItem(list_, {QString::fromStdString(paperTitle(paper))});
            group->setFlags(Qt::ItemIsEnabled);
        }
        auto* item = new QTreeWidgetItem(group, {QString::fromStdString(experiment.name).section(": ", 1)});
        item->setToolTip(0, QString::fromStdString(experiment.source.place + ": " + experiment.about));
        item->setData(0, idRole, QString::fromStdString(one.id));
    }
    list_->expandAll();
    list_->setCurrentItem(overview);
}

void ExperimentsWindow::fillOverview() {
    if (overview_->topLevelItemCount() > 0) return;
    QTreeWidgetItem* group = nullptr;
    std::string paper;
    for (const PaperExperiment& one : paperExperiments()) {
        const ExperimentResults results = shippedResults(one);
        const Grid grid(results.experiment);
        const std::vector<Judgement> judgements = judgeAll(grid, results.cells);
        if (results.experiment.source.paper != paper) {
            paper = results.experiment.source.paper;
            group = new QTreeWidgetItem(overview_, {QString::fromStdString(paperTitle(paper))});
        }
        auto* item = new QTreeWidgetItem(
            group, {QString::fromStdString(results.experiment.source.place + ": " + results.experiment.name),
                    countText(judgements)});
        item->setData(0, idRole, QString::fromStdString(one.id));
        for (std::size_t i = 0; i < judgements.size(); ++i) {
            auto* claim = new QTreeWidgetItem(
                item, {QString::fromStdString(results.experiment.claims[i].text),
                       verdictText(judgements[i].verdict), QString::fromStdString(judgements[i].because)});
            claim->setData(0, idRole, QString::fromStdString(one.id));
            for (int column = 0; column < 3; ++column) claim->setToolTip(column, claim->text(column));
        }
    }
    overview_->expandAll();
    overview_->setColumnWidth(0, 520);
    overview_->resizeColumnToContents(1);
}

void ExperimentsWindow::showOverview() { list_->setCurrentItem(list_->topLevelItem(0)); }

void ExperimentsWindow::showPaper(const QString& id) {
    for (QTreeWidgetItemIterator it(list_); *it; ++it)
        if ((*it)->data(0, idRole).toString() == id) return list_->setCurrentItem(*it);
}

void ExperimentsWindow::choose(QTreeWidgetItem* item) {
    if (!item) return;
    const QString id = item->data(0, idRole).toString(), path = item->data(0, pathRole).toString();
    if (item->treeWidget() == overview_) return showPaper(id);
    if (const PaperExperiment* paper = findPaperExperiment(id.toStdString())) {
        ExperimentResults results = shippedResults(*paper);
        return showResults(results.experiment, std::move(results.cells),
                           tr("Results that came with the program"));
    }
    for (const auto& [file, results] : own_)
        if (file == path) return showResults(results.experiment, results.cells, file);
    task_.abandon();
    fillOverview();
    pages_->setCurrentWidget(overview_);
}

void ExperimentsWindow::showResults(const Experiment& experiment, std::vector<CellResult> cells,
                                    const QString& status) {
    task_.abandon();
    view_->setRunning(false);
    view_->setGrid(std::make_shared<const Grid>(experiment));
    view_->setCells(std::move(cells));
    view_->setStatus(status);
    pages_->setCurrentWidget(view_);
}

bool ExperimentsWindow::openFile(const QString& path) {
    failure_->hide();
    try {
        ExperimentResults results = openExperimentOrResults(path.toStdString());
        std::erase_if(own_, [&](const auto& one) { return one.first == path; });
        auto* item = new QTreeWidgetItem(list_, {QString::fromStdString(results.experiment.name)});
        own_.emplace_back(path, std::move(results));
        item->setToolTip(0, path);
        item->setData(0, pathRole, path);
        list_->setCurrentItem(item);
        return true;
    } catch (const std::exception& error) {
        failure_->setText(QString::fromUtf8(error.what()));
        failure_->show();
        return false;
    }
}

void ExperimentsWindow::askForFile() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open experiment"), QString(),
                                                      tr("Experiments and results (*.json)"));
    if (!path.isEmpty()) openFile(path);
}

void ExperimentsWindow::connectTask() {
    connect(&task_, &BackgroundTask::started, view_, [this] { view_->setRunning(true); });
    connect(&task_, &BackgroundTask::ended, this, [this](bool stopped, const QString& failure) {
        refresh_.stop();
        view_->refresh();
        view_->setRunning(false);
        if (!failure.isEmpty())
            view_->setStatus(failure);
        else if (stopped)
            view_->setStatus(tr("Stopped after %L1 plans; Run goes on from there").arg(done_));
        emit ended();
    });
}

void ExperimentsWindow::run() {
    const auto grid = view_->grid();
    if (!grid) return;
    done_ = 0;
    view_->setCells(std::vector<CellResult>(grid->cellCount()));
    view_->setProgress(0, tr("Running"));
    task_.start(BackgroundTask::TellingWork([this, grid](const PlanningContext& context,
                                                         const BackgroundTask::Tell& tell) {
        std::optional<ResultCache> cache;
        try {
            cache.emplace(usualCacheFile(), programRevision());
        } catch (const InputError&) {  // without a cache folder it runs as well
        }
        SweepOptions options;
        options.stop = context.stop;
        options.cache = cache ? &*cache : nullptr;
        options.done = [&](std::size_t cell, const CellResult& result, bool) {
            tell([this, grid, cell, result] {
                if (view_->grid() != grid) return;
                view_->addCell(cell, result);
                ++done_;
                const double share = static_cast<double>(done_) / static_cast<double>(grid->cellCount());
                view_->setProgress(share, tr("%L1 of %L2 plans").arg(done_).arg(grid->cellCount()));
                if (!refresh_.isActive()) refresh_.start();
            });
        };
        runCells(*grid, allCells(*grid), options);
        context.throwIfStopped();
        return BackgroundTask::Deliver([this] { view_->setStatus(tr("%L1 plans, all done").arg(done_)); });
    }));
}

void ExperimentsWindow::stop() { task_.stop(); }

void ExperimentsWindow::exportShown() {
    const auto grid = view_->grid();
    if (!grid) return;
    const auto results =
        std::make_shared<const ExperimentResults>(ExperimentResults{grid->experiment(), view_->cells()});
    FigureSource source{QStringLiteral("experiment"),
                        QString::fromStdString(grid->experiment().name),
                        QStringLiteral("results"),
                        {},
                        {},
                        {}};
    source.has.height = true;
    source.draw = [grid, results, choice = view_->choice()](const FigureStyle& style, const FigurePart&) {
        ResultsFigureOptions options;
        options.widthMm = style.widthMm;
        options.heightMm = style.heightMm;
        options.fontPt = style.fontPt;
        options.legend = style.legend;
        return inStyle(resultsFigure(*grid, results->cells, choice, options), style);
    };
    source.tables = {
        {QStringLiteral("csv"), tr("CSV (all results as a table)"), QStringLiteral("csv"),
         [results](const FigurePart&, const std::filesystem::path& path) {
             writeFileAtomically(path, resultsCsv(*results));
         }},
        {QStringLiteral("json"), tr("JSON (results with the experiment)"), QStringLiteral("json"),
         [results](const FigurePart&, const std::filesystem::path& path) {
             writeFileAtomically(path, writeResults(*results));
         }}};
    FigureDialog dialog({source}, std::nullopt, ExportChoice::load(), this);
    const bool wanted = dialog.exec() == QDialog::Accepted;
    ExportChoice choice = dialog.choice();
    choice.save();
    if (!wanted) return;
    QString folder = QFileInfo(choice.folder).isDir() ? choice.folder : QDir::homePath();
    QString path = QFileDialog::getSaveFileName(this, dialog.windowTitle(),
                                                folder + "/results." + dialog.suffix(), dialog.filter());
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += '.' + dialog.suffix();
    try {
        writeSource(source, choice.format, choice.style, {}, path.toStdString());
        view_->setStatus(tr("Wrote %1").arg(path));
    } catch (const std::exception& error) {
        view_->setStatus(QString::fromUtf8(error.what()));
    }
}

void ExperimentsWindow::lookAt(std::size_t cell) {
    const auto grid = view_->grid();
    view_->setStatus(tr("Planning %1").arg(QString::fromStdString(grid->describe(grid->pointOf(cell)))));
    looking_.start(BackgroundTask::Work([this, grid, cell](const PlanningContext& context) {
        auto run = std::make_shared<const PlanRun>(runOfCell(*grid, cell, context));
        return BackgroundTask::Deliver([this, grid, cell, run] {
            auto* plan = new PlanView(this);
            plan->setWindowFlag(Qt::Window);
            plan->setAttribute(Qt::WA_DeleteOnClose);
            plan->setWindowTitle(
                QString::fromStdString(grid->experiment().planners[grid->plannerOf(cell)].label + ", " +
                                       grid->describe(grid->pointOf(cell))));
            plan->resize(1100, 640);
            plan->setRun(run);
            plan->show();
            view_->setStatus({});
            emit planShown(plan);
        });
    }));
}

}  // namespace stagecraft
