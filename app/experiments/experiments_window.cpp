#include "app/experiments/experiments_window.h"

#include "app/actions/window_keys.h"
#include "app/experiments/builder/experiment_builder.h"
#include "app/experiments/own_experiments.h"
#include "app/experiments/paper_experiments.h"
#include "app/experiments/results_source.h"
#include "app/figures/figure_dialog.h"
#include "core/formats/native/formats.h"
#include "views/common/counted_text.h"
#include "views/experiments/claims_list.h"
#include "views/experiments/experiment_view.h"
#include "views/plan/plan_view.h"

#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stagecraft {

namespace {

constexpr int idRole = Qt::UserRole;  ///< a paper's experiment
constexpr int sideWidth = 280;
constexpr int refreshMs = 200;

/// What the columns after the first say of several claims.
void showCounts(QTreeWidgetItem& row, const std::vector<Judgement>& judgements) {
    const auto count = [&](Verdict verdict) {
        return std::count_if(judgements.begin(), judgements.end(),
                             [&](const Judgement& judgement) { return judgement.verdict == verdict; });
    };
    row.setText(1, QObject::tr("%1 of %2 claims hold").arg(count(Verdict::holds)).arg(judgements.size()));
    if (const auto undecided = count(Verdict::undecided))
        row.setText(2, QObject::tr("%1 undecided").arg(undecided));
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
    resizeOnScreen(*this, QSize(1240, 760));
    closeByKeys(*this);
    overview_ = new QTreeWidget;
    overview_->setObjectName(QStringLiteral("paperClaims"));
    overview_->setHeaderLabels({tr("Do the papers hold?"), tr("Verdict"), tr("Numbers")});
    overview_->setFrameShape(QFrame::NoFrame);
    overview_->setUniformRowHeights(true);
    setAcceptDrops(true);
    view_ = new ExperimentView;
    pages_ = new QStackedWidget;
    pages_->addWidget(overview_);
    pages_->addWidget(view_);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeSide());
    bars_ = new QVBoxLayout;
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addLayout(bars_);
    column->addWidget(pages_, 1);
    row->addLayout(column, 1);
    fillList();
    connect(overview_, &QTreeWidget::itemActivated, this, &ExperimentsWindow::choose);
    connect(view_, &ExperimentView::runRequested, this, &ExperimentsWindow::run);
    connect(view_, &ExperimentView::stopRequested, this, &ExperimentsWindow::stop);
    connect(view_, &ExperimentView::exportRequested, this, &ExperimentsWindow::exportShown);
    connect(view_, &ExperimentView::cellPicked, this,
            [this](std::size_t cell) { opener_.asProject(view_->grid(), cell); });
    connect(view_, &ExperimentView::cellPickedBeside, this,
            [this](std::size_t cell) { opener_.inWindow(view_->grid(), cell, this); });
    connect(&view_->results(), &ResultsPane::choiceChanged, this,
            [this] { rememberChart(shown_, view_->choice(), view_->grid()->experiment()); });
    connect(&opener_, &CellOpener::told, view_, &ExperimentView::setStatus);
    connect(&opener_, &CellOpener::projectMade, this, &ExperimentsWindow::projectWanted);
    connect(&opener_, &CellOpener::planShown, this, &ExperimentsWindow::planShown);
    refresh_.setSingleShot(true);
    refresh_.setInterval(refreshMs);
    connect(&refresh_, &QTimer::timeout, view_, &ExperimentView::refresh);
    connectRun();
    connectDrafts();
}

ExperimentsWindow::~ExperimentsWindow() {
    drafts_.flush();
    // An undo stack that is taken down is as at first, which is no reason to let go of the draft.
    if (builder_) builder_->undoStack()->disconnect(this);
}

QWidget* ExperimentsWindow::makeSide() {
    auto* side = new QWidget;
    side->setFixedWidth(sideWidth);
    list_ = new QTreeWidget;
    list_->setObjectName(QStringLiteral("experiments"));
    list_->setHeaderHidden(true);
    list_->setFrameShape(QFrame::NoFrame);
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) { choose(item); });
    prepareOwnList();
    auto* fresh = new QPushButton(tr("New experiment"));
    fresh->setObjectName(QStringLiteral("newExperiment"));
    fresh->setToolTip(tr("Axes, planners and claims by mouse"));
    connect(fresh, &QPushButton::clicked, this, &ExperimentsWindow::newExperiment);
    edit_ = new QPushButton;
    edit_->setObjectName(QStringLiteral("editExperiment"));
    connect(edit_, &QPushButton::clicked, this, &ExperimentsWindow::editShown);
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
    column->addWidget(fresh);
    column->addWidget(edit_);
    column->addWidget(open);
    return side;
}

void ExperimentsWindow::fillList() {
    auto* overview = new QTreeWidgetItem(list_, {tr("Do the papers hold?")});
    ownGroup_ = new QTreeWidgetItem(list_, {tr("Own")});
    ownGroup_->setFlags(Qt::ItemIsEnabled);
    for (const QString& file : OwnExperiments::files())
        ownItem(file)->setText(0, OwnExperiments::nameOf(file));
    ownGroup_->setHidden(ownGroup_->childCount() == 0);
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
    list_->ensurePolished();  // rows are as high as the style wants them, from the first layout on
    list_->expandAll();
    list_->setCurrentItem(overview);
}

void ExperimentsWindow::fillOverview() {
    if (overview_->topLevelItemCount() > 0) return;
    QTreeWidgetItem* group = nullptr;
    std::string paper;
    std::vector<Judgement> ofPaper;
    for (const PaperExperiment& one : paperExperiments()) {
        const ExperimentResults results = shippedResults(one);
        const Grid grid(results.experiment);
        const std::vector<Judgement> judgements = judgeAll(grid, results.cells);
        if (results.experiment.source.paper != paper) {
            paper = results.experiment.source.paper;
            group = new QTreeWidgetItem(overview_, {QString::fromStdString(paperTitle(paper))});
            ofPaper.clear();
        }
        ofPaper.insert(ofPaper.end(), judgements.begin(), judgements.end());
        showCounts(*group, ofPaper);
        auto* item = new QTreeWidgetItem(group, {QString::fromStdString(results.experiment.source.place +
                                                                        ": " + results.experiment.name)});
        showCounts(*item, judgements);
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
    const QString id = item->data(0, idRole).toString(), path = pathOf(item);
    if (item->treeWidget() == overview_) return showPaper(id);
    if (const PaperExperiment* paper = findPaperExperiment(id.toStdString())) {
        ExperimentResults results = shippedResults(*paper);
        shown_ = id;
        return showResults(results.experiment, std::move(results.cells),
                           tr("Results that came with the program"));
    }
    if (!path.isEmpty()) {
        const auto own =
            std::find_if(own_.begin(), own_.end(), [&](const auto& one) { return one.first == path; });
        if (own == own_.end()) return open(path);
        shown_ = path;
        showResults(own->second.experiment, own->second.cells, path);
        // What earlier runs left in the cache is part of the experiment as it is.
        if (!ExperimentResults{own->second.experiment, view_->cells()}.complete()) run_.lookUp(view_->grid());
        return;
    }
    run_.abandon();
    fillOverview();
    showPage(overview_);
}

void ExperimentsWindow::showPage(QWidget* page) {
    pages_->setCurrentWidget(page);
    const bool shown = page == view_;
    const bool own =
        shown && std::any_of(own_.begin(), own_.end(), [&](const auto& one) { return one.first == shown_; });
    edit_->setEnabled(shown);
    edit_->setText(own || !shown ? tr("Edit") : tr("Duplicate and edit"));
    edit_->setToolTip(own ? tr("Its axes, planners and claims") : tr("A copy of it as a custom experiment"));
}

void ExperimentsWindow::showResults(const Experiment& experiment, std::vector<CellResult> cells,
                                    const QString& status) {
    run_.abandon();
    view_->setRunning(false);
    view_->setGrid(std::make_shared<const Grid>(experiment));
    view_->results().setChoice(rememberedChart(shown_, experiment));
    view_->setCells(std::move(cells));
    view_->setStatus(status);
    showPage(view_);
}

void ExperimentsWindow::newExperiment() {
    list_->setCurrentItem(nullptr);
    showPage(&builder());
    builder_->beginFresh();
}

void ExperimentsWindow::editShown() {
    const auto grid = view_->grid();
    if (!grid || pages_->currentWidget() != view_) return;
    Experiment experiment = grid->experiment();
    const bool paper = findPaperExperiment(shown_.toStdString());
    if (paper) experiment.name += tr(" (copy)").toStdString();
    // Results are no experiment's file: what is edited there is saved elsewhere.
    const bool file = !paper && shown_.endsWith(QLatin1String(".experiment.json"));
    builder().begin(experiment, file ? shown_ : QString());
    showPage(builder_);
}

void ExperimentsWindow::showOpened(const QString& path, ExperimentResults results) {
    failure_->hide();
    takeOwn(path, std::move(results));
    QTreeWidgetItem* item = ownItem(path);
    list_->currentItem() == item ? choose(item) : list_->setCurrentItem(item);
}

void ExperimentsWindow::showFailure(const QString& sentence) {
    failure_->setText(sentence);
    failure_->show();
}

bool ExperimentsWindow::openFile(const QString& path) {
    try {
        showOpened(path, readExperimentOrResults(readTextFile(path.toStdString()), path.toStdString()));
        return true;
    } catch (const std::exception& error) {
        showFailure(QString::fromUtf8(error.what()));
        return false;
    }
}

void ExperimentsWindow::open(const QString& path) {
    failure_->hide();
    reading_.start(BackgroundTask::Work([this, path](const PlanningContext&) {
        auto results = std::make_shared<ExperimentResults>(
            readExperimentOrResults(readTextFile(path.toStdString()), path.toStdString()));
        return BackgroundTask::Deliver([this, path, results] { showOpened(path, std::move(*results)); });
    }));
}

void ExperimentsWindow::askForFile() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open experiment"), QString(),
                                                      tr("Experiments and results (*.json)"));
    if (!path.isEmpty()) open(path);
}

void ExperimentsWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void ExperimentsWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    open(event->mimeData()->urls().front().toLocalFile());
}

void ExperimentsWindow::connectRun() {
    connect(&reading_, &BackgroundTask::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) showFailure(failure);
    });
    connect(&run_, &SweepRun::started, this, [this] { view_->setRunning(true); });
    connect(&run_, &SweepRun::found, this, [this](const SweepRun::Cells& cells) {
        for (const auto& [cell, result] : cells) view_->addCell(cell, result);
        if (run_.isRunning()) view_->setProgress(run_.share(), run_.progress());
        if (!refresh_.isActive()) refresh_.start();
    });
    connect(&run_, &SweepRun::lookedUp, this, [this] {
        if (run_.known() == 0) return;
        view_->setStatus(tr("%L1 of %2 already known; Run computes the rest")
                             .arg(run_.known())
                             .arg(countedText(static_cast<long long>(view_->cells().size()), "plan")));
    });
    connect(&run_, &SweepRun::ended, this, [this](bool, const QString& failure) {
        refresh_.stop();
        view_->refresh();
        view_->setRunning(false);
        for (auto& [path, results] : own_)
            if (path == shown_) results.cells = view_->cells();
        view_->setStatus(failure.isEmpty() ? run_.summary() : failure);
        emit ended();
    });
}

void ExperimentsWindow::run() {
    if (!view_->grid()) return;
    view_->setCells(std::vector<CellResult>(view_->grid()->cellCount()));
    view_->setProgress(0, tr("Looking up what is known"));
    run_.start(view_->grid());
}

void ExperimentsWindow::stop() { run_.stop(); }

void ExperimentsWindow::exportShown() {
    const auto grid = view_->grid();
    if (!grid) return;
    const auto results =
        std::make_shared<const ExperimentResults>(ExperimentResults{grid->experiment(), view_->cells()});
    const FigureSource source = resultsSource(results, view_->choice());
    FigureDialog dialog({source}, std::nullopt, ExportChoice::load(), this);
    const QString path = dialog.askForFile(QDir::homePath(), [] { return QStringLiteral("results"); });
    if (path.isEmpty()) return;
    const ExportChoice choice = dialog.choice();
    try {
        writeSource(source, choice.format, choice.style, {}, path.toStdString());
        view_->setStatus(tr("Wrote %1").arg(path));
    } catch (const std::exception& error) {
        view_->setStatus(QString::fromUtf8(error.what()));
    }
}

}  // namespace stagecraft
