#include "app/start/start_page.h"

#include "app/experiments/paper_experiments.h"
#include "app/start/sample_card.h"
#include "app/start/sample_grid.h"
#include "app/start/tab_order.h"
#include "core/planners/planned_run.h"
#include "core/schedules/families.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QHash>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <numeric>

namespace stagecraft::app::start {
namespace {

constexpr int cardColumns = 3;
constexpr int testbedColumns = 4;
constexpr int scheduleColumns = 6;
constexpr int experimentColumns = 2;
constexpr int mostWidth = 1440, pageMargin = 40, sideWidth = 240, sideSpacing = 40;

/// Below others.
QVBoxLayout* newSection(QWidget* group) {
    auto* column = new QVBoxLayout(group);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(8);
    return column;
}

QPushButton* quietButton(const QString& text, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setProperty("quiet", true);
    button->setProperty("listed", true);
    return button;
}

struct Entry {
    QString id, name, tip;
};

/// The papers' experiments, whose files are read once.
const std::vector<Entry>& experimentEntries() {
    static const std::vector<Entry> entries = [] {
        std::vector<Entry> all;
        for (const PaperExperiment& paper : paperExperiments()) {
            const Experiment read = paper.experiment();
            all.push_back({QString::fromStdString(paper.id), QString::fromStdString(read.name),
                           QString::fromStdString(read.source.place + "\n" + read.about)});
        }
        return all;
    }();
    return entries;
}

/// By sample, those that pictures showed: they are worked out once, whichever window asked.
QHash<QString, std::shared_ptr<const PlanRun>>& picturedRuns() {
    static QHash<QString, std::shared_ptr<const PlanRun>> runs;
    return runs;
}

void showPicture(SampleCard& card, std::shared_ptr<const PlanRun> run) {
    picturedRuns().insert(card.objectName().section(':', 1), run);
    card.setRun(std::move(run));
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("startPage"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    // Each widget begins where it stays: one that moves is styled anew, with all that is on it.
    auto* page = new QWidget(viewport());
    auto* centred = new QHBoxLayout(page);
    centred->setContentsMargins(0, 0, 0, 0);
    auto* inner = new QWidget(page);
    inner->setMaximumWidth(mostWidth);
    centred->addStretch();
    centred->addWidget(inner, 1000);
    centred->addStretch();
    auto* content = new QVBoxLayout(inner);
    content->setContentsMargins(pageMargin, 32, pageMargin, 24);
    content->setSpacing(24);
    content->addWidget(makeHeader(inner));
    auto* columns = new QHBoxLayout;
    content->addLayout(columns, 1);
    columns->setSpacing(sideSpacing);
    auto* main = new QVBoxLayout;
    columns->addLayout(main, 1);
    main->setSpacing(16);
    samples_ = makeSamples(inner);
    side_ = makeSide(inner);
    main->addWidget(samples_);
    main->addWidget(makeSchedules(inner));
    main->addWidget(makeGrid(inner));
    main->addWidget(makeTestbeds(inner));
    main->addWidget(makeReproduce(inner));
    main->addStretch();
    columns->addWidget(side_);
    setWidget(page);
    for (Flow& flow : flows_) arrange(flow, mostWidth);
    orderTabs();
    workOutPictures();
}

/// As the page is read: the samples, what is beside them, and the rest below.
void StartPage::orderTabs() {
    QList<QWidget*> stops;
    gatherStops(*samples_->layout(), stops);
    gatherStops(*side_->layout(), stops);
    gatherStops(*widget()->layout(), stops);
    orderTabsAs(stops);
}

StartPage::Flow& StartPage::addFlow(QGridLayout* grid, int mostColumns) {
    return flows_.emplace_back(Flow{grid, mostColumns, {}, 0});
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    const int room = std::min(viewport()->width(), mostWidth) - 2 * pageMargin - sideWidth - sideSpacing;
    for (Flow& flow : flows_) arrange(flow, room);
    findChild<SampleGrid*>()->fitInto(room);
}

void StartPage::arrange(Flow& flow, int room) const {
    const auto widthIn = [&flow](int columns) {
        std::vector<int> least(static_cast<std::size_t>(columns), 0);
        for (std::size_t i = 0; i < flow.widgets.size(); ++i) {
            const QWidget& widget = *flow.widgets[i];
            int& width = least[i % least.size()];
            width = std::max(
                width, widget.minimumWidth() > 0 ? widget.minimumWidth() : widget.minimumSizeHint().width());
        }
        return std::accumulate(least.begin(), least.end(), (columns - 1) * flow.grid->horizontalSpacing());
    };
    int columns = flow.mostColumns;
    while (columns > 1 && widthIn(columns) > room) --columns;
    if (columns == flow.columns) return;
    flow.columns = columns;
    for (QWidget* widget : flow.widgets) flow.grid->removeWidget(widget);
    for (int i = 0; i < static_cast<int>(flow.widgets.size()); ++i)
        flow.grid->addWidget(flow.widgets[static_cast<std::size_t>(i)], i / columns, i % columns);
}

QWidget* StartPage::makeHeader(QWidget* parent) {
    auto* header = new QWidget(parent);
    auto* layout = new QVBoxLayout(header);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(newParagraph(tr("Stagecraft"), "title", header));
    layout->addWidget(newParagraph(
        tr("Plan pipeline-parallel training: take a GPU cluster and the layers of a network, run "
           "planners on them, and see what every GPU does when, and how much memory it takes."),
        "muted", header));
    return header;
}

QWidget* StartPage::makeSamples(QWidget* parent) {
    auto* group = new QWidget(parent);
    auto* column = new QVBoxLayout(group);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(16);
    column->addWidget(newParagraph(tr("Start with a sample"), "heading", group));
    auto* grid = new QGridLayout;
    grid->setSpacing(16);
    column->addLayout(grid);
    Flow& flow = addFlow(grid, cardColumns);
    for (const Sample& sample : samples()) {
        if (sample.testbed) continue;
        auto* card = new SampleCard(sample, group);
        connect(card, &QAbstractButton::clicked, this, [this, id = sample.id] { emit sampleChosen(id); });
        flow.widgets.push_back(card);
    }
    return group;
}

QWidget* StartPage::makeSchedules(QWidget* parent) {
    auto* group = new QWidget(parent);
    QVBoxLayout* column = newSection(group);
    column->addWidget(newParagraph(tr("One network under every pipeline schedule"), "heading", group));
    auto* grid = new QGridLayout;
    grid->setSpacing(0);
    column->addLayout(grid);
    Flow& flow = addFlow(grid, scheduleColumns);
    const Sample& sample = *findSample(everyScheduleSample);
    const std::vector<Plan>& plans = sample.project->plans;
    for (int i = 0; i < static_cast<int>(plans.size()); ++i) {
        const Plan& plan = plans[static_cast<std::size_t>(i)];
        const std::string& policy = std::get<FamilySchedule>(plan.schedule.order).name;
        QPushButton* button = quietButton(QString::fromStdString(plan.name), group);
        button->setObjectName(QStringLiteral("schedule:") + QString::fromStdString(policy));
        if (const ScheduleFamily* family = findScheduleFamily(policy))
            button->setToolTip(QString::fromStdString(family->title + "\n" + family->paper));
        connect(button, &QPushButton::clicked, this,
                [this, i] { emit sampleChosen(everyScheduleSample, i); });
        flow.widgets.push_back(button);
    }
    return group;
}

QWidget* StartPage::makeGrid(QWidget* parent) {
    auto* group = new QWidget(parent);
    QVBoxLayout* column = newSection(group);
    column->addWidget(
        newParagraph(tr("ResNet-50 at 1000×1000 on other GPUs, links and memories"), "heading", group));
    column->addWidget(
        newParagraph(tr("The problems of MadPipe's Sec. 5, and the samples per second of its plans. A "
                        "click opens and plans one."),
                     "muted", group));
    auto* grid = new SampleGrid(madPipeCells(), group);
    connect(grid, &SampleGrid::chosen, this, &StartPage::madPipeCellChosen);
    column->addWidget(grid);
    return group;
}

QWidget* StartPage::makeTestbeds(QWidget* parent) {
    auto* group = new QWidget(parent);
    QVBoxLayout* column = newSection(group);
    // One block a testbed: samples of the same cluster, named by their network.
    QString block;
    for (const Sample& sample : samples()) {
        if (!sample.testbed) continue;
        const QString bed = sample.title.section(QStringLiteral(" on "), 1);
        if (block != bed) {
            auto* grid = new QGridLayout;
            grid->setSpacing(0);
            column->addWidget(newParagraph(tr("Testbed: %1").arg(bed), "heading", group));
            column->addLayout(grid);
            addFlow(grid, testbedColumns);
            block = bed;
        }
        QPushButton* button = quietButton(sample.title.section(QStringLiteral(" on "), 0, 0), group);
        button->setObjectName(QStringLiteral("sample:") + sample.id);
        button->setToolTip(QStringLiteral("%1\n%2\n%3").arg(sample.title, sample.facts, sample.origin));
        connect(button, &QPushButton::clicked, this, [this, id = sample.id] { emit sampleChosen(id); });
        flows_.back().widgets.push_back(button);
    }
    return group;
}

QWidget* StartPage::makeReproduce(QWidget* parent) {
    auto* group = new QWidget(parent);
    QVBoxLayout* column = newSection(group);
    column->addWidget(newParagraph(tr("Reproduce"), "heading", group));
    column->addWidget(
        newParagraph(tr("Figures and tables of the five papers as experiments that run at a click, and which "
                        "of their claims hold."),
                     "muted", group));
    auto* all = new QPushButton(tr("Do the papers hold?"), group);
    all->setObjectName(QStringLiteral("reproduce"));
    connect(all, &QPushButton::clicked, this, [this] { emit experimentChosen({}); });
    column->addWidget(all, 0, Qt::AlignLeft);
    QPushButton* measured = quietButton(tr("How near are predictions to runs that others measured?"), group);
    measured->setObjectName(QStringLiteral("measured"));
    connect(measured, &QPushButton::clicked, this, &StartPage::measuredRequested);
    column->addWidget(measured, 0, Qt::AlignLeft);
    auto* grid = new QGridLayout;
    grid->setSpacing(0);
    Flow& flow = addFlow(grid, experimentColumns);
    for (const Entry& entry : experimentEntries()) {
        QPushButton* button = quietButton(entry.name, group);
        button->setObjectName(QStringLiteral("experiment:") + entry.id);
        button->setToolTip(entry.tip);
        connect(button, &QPushButton::clicked, this, [this, id = entry.id] { emit experimentChosen(id); });
        flow.widgets.push_back(button);
    }
    column->addLayout(grid);
    return group;
}

QWidget* StartPage::makeSide(QWidget* parent) {
    auto* side = new QWidget(parent);
    side->setFixedWidth(sideWidth);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(newParagraph(tr("Or with your own"), "heading", side));
    auto* plan = new QPushButton(tr("Plan a model…"), side);
    plan->setObjectName(QStringLiteral("newPlan"));
    plan->setProperty("primary", true);
    plan->setToolTip(tr("A model, machines, and what you want of a plan, in one dialogue"));
    setActionOfTip(*plan, "file.newPlan");
    connect(plan, &QPushButton::clicked, this, &StartPage::newPlanRequested);
    auto* open = new QPushButton(lineIcon(QStringLiteral("open")), tr("Open…"), side);
    open->setToolTip(
        tr("A project, a plan, a layer profile (Stagecraft or PipeDream graph.txt), a cluster, an "
           "experiment, or how a run is configured (arguments of Megatron-LM, torchtitan's or DeepSpeed's "
           "file); or drop the file on the window"));
    auto* fresh = new QPushButton(lineIcon(QStringLiteral("new")), tr("New project"), side);
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    connect(fresh, &QPushButton::clicked, this, &StartPage::newRequested);
    auto* experiment = new QPushButton(lineIcon(QStringLiteral("compare")), tr("New experiment"), side);
    experiment->setObjectName(QStringLiteral("newExperiment"));
    experiment->setToolTip(tr("Vary what you like, and compare planners over all of it"));
    connect(experiment, &QPushButton::clicked, this, &StartPage::newExperimentRequested);
    auto* recording = new QPushButton(lineIcon(QStringLiteral("recording")), tr("Look at a real run…"), side);
    recording->setObjectName(QStringLiteral("openRecording"));
    recording->setToolTip(
        tr("The folder of a run's traces, a file for each rank: what ran when, why ranks were "
           "idle, and what other schedules would gain"));
    connect(recording, &QPushButton::clicked, this, &StartPage::recordingRequested);
    for (QPushButton* button : {plan, open, recording, fresh, experiment}) layout->addWidget(button);
    layout->addWidget(newParagraph(tr("A configuration of Megatron-LM, torchtitan or DeepSpeed: paste it in "
                                      "\"Plan a model\", or drop its file here."),
                                   "muted", side));
    error_ = new QLabel(side);
    error_->setObjectName(QStringLiteral("startError"));
    error_->setWordWrap(true);
    error_->setTextFormat(Qt::PlainText);
    error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    error_->hide();
    layout->addWidget(error_);
    layout->addSpacing(16);
    layout->addWidget(newParagraph(tr("New to pipelining?"), "heading", side));
    auto* lessons = new QPushButton(lineIcon(QStringLiteral("present")), tr("Take a lesson"), side);
    lessons->setObjectName(QStringLiteral("lessons"));
    lessons->setToolTip(tr("Lessons of a few minutes each, in this window"));
    connect(lessons, &QPushButton::clicked, this, &StartPage::lessonsRequested);
    layout->addWidget(lessons);
    layout->addSpacing(16);
    layout->addWidget(newParagraph(tr("Recent"), "heading", side));
    recent_ = new QVBoxLayout;
    recent_->setSpacing(0);
    layout->addLayout(recent_);
    layout->addStretch();
    setRecent({});
    return side;
}

void StartPage::setRecent(const QStringList& files) {
    while (QLayoutItem* item = recent_->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (const QString& file : files) {
        QPushButton* button =
            quietButton(QFileInfo(file).fileName().section('.', 0, 0), recent_->parentWidget());
        button->setToolTip(QDir::toNativeSeparators(file));
        connect(button, &QPushButton::clicked, this, [this, file] { emit recentChosen(file); });
        recent_->addWidget(button);
    }
    if (files.isEmpty())
        recent_->addWidget(
            newParagraph(tr("Projects that you save appear here."), "muted", recent_->parentWidget()));
    if (widget()) orderTabs();
}

void StartPage::showError(const QString& message) {
    QPalette palette;
    palette.setColor(QPalette::WindowText, Theme::current().error);
    error_->setPalette(palette);
    error_->setText(message);
    error_->setVisible(!message.isEmpty());
}

void StartPage::workOutPictures() {
    connect(&jobs_, &PlanningJobs::finished, this,
            [this](int job, const std::shared_ptr<const PlanRun>& run) {
                for (auto* card : findChildren<SampleCard*>())
                    if (card->property("job").toInt() == job) showPicture(*card, run);
            });
    for (auto* card : findChildren<SampleCard*>()) {
        const Sample* sample = findSample(card->objectName().section(':', 1));
        if (const auto run = picturedRuns().value(sample->id)) {
            card->setRun(run);
            continue;
        }
        const auto work = [project = sample->project](const WorkContext& context) {
            auto costs = std::make_shared<const CostModel>(project->problem);
            if (!project->plans.empty())
                return evaluatePlan(std::move(costs), project->plans.front(), context);
            return runAndEvaluate(*allPlanners().front(), std::move(costs), {}, context);
        };
        card->setProperty("job", jobs_.start(sample->id, work));
    }
}

}  // namespace stagecraft::app::start
