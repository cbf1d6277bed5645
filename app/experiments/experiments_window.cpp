#include "app/experiments/experiments_window.h"

#include "app/actions/window_keys.h"
#include "app/experiments/builder/experiment_builder.h"
#include "app/experiments/claims_overview.h"
#include "app/experiments/custom_experiments.h"
#include "app/experiments/experiments_list.h"
#include "app/experiments/paper_experiments.h"
#include "app/experiments/removed_bar.h"
#include "app/experiments/results_source.h"
#include "app/figures/figure_dialog.h"
#include "core/experiments/schedule_experiment.h"
#include "core/formats/text_file.h"
#include "views/common/on_screen.h"
#include "views/common/text.h"
#include "views/experiments/experiment_view.h"
#include "views/plan/plan_view.h"

#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

namespace {

constexpr int sideWidth = 280;
constexpr int refreshMs = 200;

}  // namespace

ExperimentsWindow::ExperimentsWindow(QWidget* parent) : QWidget(parent, Qt::Window) {
    setWindowTitle(tr("Experiments — Stagecraft"));
    placeOnScreen(*this, QSize(1240, 760));
    closeByKeys(*this);
    setAcceptDrops(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeSide());
    row->addWidget(makeDocument(), 1);
    connectList();
    connectView();
    connectRun();
    connectDrafts();
    showOverview();
}

ExperimentsWindow::~ExperimentsWindow() {
    drafts_.flush();
    // An undo stack that is taken down is as at first, which is no reason to let go of the draft.
    if (builder_) builder_->undoStack()->disconnect(this);
}

QWidget* ExperimentsWindow::makeSide() {
    auto* side = new QWidget(this);
    side->setFixedWidth(sideWidth);
    list_ = new ExperimentsList(side);
    auto* fresh = new QPushButton(tr("New experiment"), side);
    fresh->setObjectName(QStringLiteral("newExperiment"));
    fresh->setToolTip(tr("Axes, planners and claims by mouse"));
    connect(fresh, &QPushButton::clicked, this, &ExperimentsWindow::newExperiment);
    edit_ = new QPushButton(side);
    edit_->setObjectName(QStringLiteral("editExperiment"));
    connect(edit_, &QPushButton::clicked, this, &ExperimentsWindow::editShown);
    auto* open = new QPushButton(tr("Open experiment…"), side);
    open->setObjectName(QStringLiteral("openExperiment"));
    open->setToolTip(tr("An experiment (*.experiment.json), or results of one"));
    connect(open, &QPushButton::clicked, this, &ExperimentsWindow::askForFile);
    failure_ = new QLabel(side);
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

QWidget* ExperimentsWindow::makeDocument() {
    auto* document = new QWidget(this);
    removed_ = new RemovedBar(document);
    pages_ = new QStackedWidget(document);
    overview_ = new ClaimsOverview(pages_);
    view_ = new ExperimentView(pages_);
    pages_->addWidget(overview_);
    pages_->addWidget(view_);
    auto* column = new QVBoxLayout(document);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(removed_);
    column->addWidget(pages_, 1);
    return document;
}

void ExperimentsWindow::connectList() {
    connect(list_, &ExperimentsList::overviewChosen, this, &ExperimentsWindow::showClaims);
    connect(list_, &ExperimentsList::paperChosen, this, &ExperimentsWindow::showPaperResults);
    connect(list_, &ExperimentsList::ownChosen, this, &ExperimentsWindow::showOwn);
    connect(list_, &ExperimentsList::removeRequested, this, &ExperimentsWindow::removeOwn);
    connect(list_, &ExperimentsList::renameRequested, this, &ExperimentsWindow::renameOwn);
    connect(overview_, &ClaimsOverview::paperChosen, list_, &ExperimentsList::showPaper);
    connect(removed_, &RemovedBar::failed, this, &ExperimentsWindow::showFailure);
    connect(removed_, &RemovedBar::putBack, this, [this](const QString& path, const QString& name) {
        list_->nameOwn(path, name);
        list_->showOwn(path);
    });
    const auto showFailed = [this](bool, const QString& failure) {
        if (!failure.isEmpty()) showFailure(failure);
    };
    connect(&reading_, &Job::ended, this, showFailed);
    connect(&shipped_, &Job::ended, this, showFailed);
    connect(&renaming_, &Job::ended, this, showFailed);
}

void ExperimentsWindow::connectView() {
    connect(view_, &ExperimentView::runRequested, this, &ExperimentsWindow::run);
    connect(view_, &ExperimentView::stopRequested, this, &ExperimentsWindow::stop);
    connect(view_, &ExperimentView::exportRequested, this, &ExperimentsWindow::exportShown);
    connect(view_, &ExperimentView::cellPicked, this,
            [this](std::size_t cell) { opener_.asProject(view_->grid(), cell); });
    connect(view_, &ExperimentView::cellPickedBeside, this,
            [this](std::size_t cell) { opener_.inWindow(view_->grid(), cell, this); });
    connect(&view_->results(), &ResultsPane::choiceChanged, this,
            [this] { rememberChart(shown_, view_->choice(), view_->grid()->experiment()); });
    connect(&opener_, &CellOpener::statusChanged, view_, &ExperimentView::setStatus);
    connect(&opener_, &CellOpener::projectMade, this, &ExperimentsWindow::projectWanted);
    connect(&opener_, &CellOpener::planShown, this, &ExperimentsWindow::planShown);
    refresh_.setSingleShot(true);
    refresh_.setInterval(refreshMs);
    connect(&refresh_, &QTimer::timeout, view_, &ExperimentView::refresh);
}

void ExperimentsWindow::showOverview() { list_->showOverview(); }

void ExperimentsWindow::showPaper(const QString& id) { list_->showPaper(id); }

void ExperimentsWindow::showClaims() {
    run_.abandon();
    overview_->fill();
    showPage(overview_);
}

void ExperimentsWindow::showPaperResults(const QString& id) {
    // Thousands of cells take longer to read than a window may be silent.
    shipped_.start([id](const JobContext&) { return shippedResults(*findPaperExperiment(id.toStdString())); },
                   [this, id](ExperimentResults results) {
                       shown_ = id;
                       showResults(results.experiment, std::move(results.cells),
                                   tr("Results that came with the program"));
                   });
}

void ExperimentsWindow::showOwn(const QString& path) {
    shipped_.abandon();
    const auto own = own_.find(path);
    if (own == own_.end()) return open(path);
    shown_ = path;
    showResults(own->second.experiment, own->second.cells, path);
    // What earlier runs left in the cache is part of the experiment as it is.
    if (!ExperimentResults{own->second.experiment, view_->cells()}.complete()) run_.lookUp(view_->grid());
}

void ExperimentsWindow::showPage(QWidget* page) {
    shipped_.abandon();  // what was chosen before this
    pages_->setCurrentWidget(page);
    const bool shown = page == view_;
    const bool own = shown && own_.count(shown_);
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

void ExperimentsWindow::newScheduleExperiment(const Problem& problem) {
    list_->setCurrentItem(nullptr);
    showPage(&builder());
    builder_->begin(schedulesOverMicrobatches(problem), {});
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
    list_->showOwn(path);
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
    reading_.start(
        [path](const JobContext&) {
            return readExperimentOrResults(readTextFile(path.toStdString()), path.toStdString());
        },
        [this, path](ExperimentResults results) { showOpened(path, std::move(results)); });
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
        if (const auto own = own_.find(shown_); own != own_.end()) own->second.cells = view_->cells();
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
    Job* writing = Job::once(this);
    connect(writing, &Job::ended, this, [this, path](bool, const QString& failure) {
        view_->setStatus(failure.isEmpty() ? tr("Wrote %1").arg(path) : failure);
    });
    writing->start(
        [source, choice, path] { writeSource(source, choice.format, choice.style, {}, path.toStdString()); });
}

ExperimentBuilder& ExperimentsWindow::builder() {
    if (builder_) return *builder_;
    builder_ = new ExperimentBuilder(
        [this]() -> std::optional<NamedProblem> { return openProject_ ? openProject_() : std::nullopt; });
    pages_->addWidget(builder_);
    connect(builder_, &ExperimentBuilder::runRequested, this, &ExperimentsWindow::runDraft);
    connect(builder_, &ExperimentBuilder::closeRequested, this, &ExperimentsWindow::closeBuilder);
    connect(builder_, &ExperimentBuilder::begun, &drafts_, &DraftKeeper::begin);
    connect(builder_, &ExperimentBuilder::looked, this, &ExperimentsWindow::keepDraft);
    // Which comes after the draft was looked at.
    connect(builder_->undoStack(), &QUndoStack::cleanChanged, this, &ExperimentsWindow::keepDraft);
    connect(builder_, &ExperimentBuilder::saved, this, &ExperimentsWindow::takeSaved);
    return *builder_;
}

void ExperimentsWindow::takeSaved(const QString& path, const Experiment& experiment) {
    const QString kept = drafts_.path();
    drafts_.begin(path);
    if (!kept.isEmpty() && kept != path) {
        QFile::remove(kept);
        dropOwn(kept);
    }
    takeOwn(path, emptyResults(experiment));
}

void ExperimentsWindow::keepDraft() {
    // What cannot be written yet is kept as it last could be.
    if (const auto experiment = builder_->experiment())
        drafts_.take(*experiment, builder_->undoStack()->isClean());
}

void ExperimentsWindow::connectDrafts() {
    connect(&drafts_, &DraftKeeper::kept, this, [this](const QString& path, const QString& name) {
        own_.erase(path);  // read anew when it is looked at
        list_->nameOwn(path, name);
    });
    connect(&drafts_, &DraftKeeper::removed, this, &ExperimentsWindow::dropOwn);
    connect(&drafts_, &DraftKeeper::failed, this, &ExperimentsWindow::showFailure);
}

void ExperimentsWindow::closeBuilder() {
    const QString draft = drafts_.flush();
    list_->holds(draft) ? list_->showOwn(draft) : list_->showCurrent();
}

void ExperimentsWindow::runDraft(const Experiment& experiment) {
    QString path = drafts_.flush();
    if (path.isEmpty()) path = builder_->path();
    Experiment run = experiment;
    try {
        // What was not saved is kept all the same: a run that is stopped continues after the next start.
        if (path.isEmpty() || CustomExperiments::isKept(path) || !builder_->undoStack()->isClean()) {
            path = CustomExperiments::keep(experiment, path);
            builder_->setPath(path);
            drafts_.begin(path);
            run = movedTo(experiment, QFileInfo(path).absolutePath().toStdString());
        }
    } catch (const std::exception& error) {
        return builder_->say(QString::fromUtf8(error.what()));
    }
    showOpened(path, emptyResults(run));
    this->run();
}

void ExperimentsWindow::takeOwn(const QString& path, ExperimentResults results) {
    list_->nameOwn(path, QString::fromStdString(results.experiment.name));
    own_.insert_or_assign(path, std::move(results));
}

void ExperimentsWindow::dropOwn(const QString& path) {
    own_.erase(path);
    list_->dropOwn(path);
}

void ExperimentsWindow::removeOwn(const QString& path) {
    if (drafts_.path() == path) {
        drafts_.flush();
        drafts_.leave();
    }
    try {
        removed_->remove(path);
    } catch (const std::exception& error) {
        return showFailure(QString::fromUtf8(error.what()));
    }
    const bool seen = shown_ == path || list_->isCurrent(path) || !list_->currentItem();
    dropOwn(path);
    if (seen) showOverview();
}

void ExperimentsWindow::renameOwn(const QString& path, const QString& name) {
    if (builder_ && pages_->currentWidget() == builder_ && drafts_.path() == path)
        return builder_->rename(name);
    renaming_.start([path, name](const JobContext&) { CustomExperiments::rename(path, name); },
                    [this, path, name] {
                        list_->nameOwn(path, name);
                        if (const auto own = own_.find(path); own != own_.end())
                            own->second.experiment.name = name.toStdString();
                        if (shown_ == path && pages_->currentWidget() == view_ && !isRunning()) showOwn(path);
                    });
}

}  // namespace stagecraft::app::experiments
