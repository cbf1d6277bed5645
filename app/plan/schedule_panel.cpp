#include "app/plan/schedule_panel.h"

#include "app/document/custom_schedules.h"
#include "app/panels/parameter_form.h"
#include "core/editing/plan_edit.h"
#include "core/runs/arranged_stages.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/offered_families.h"
#include "core/runs/standing.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/timeline/plan_thumbnail.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::plan {

namespace {

constexpr QSize thumbnailSize{88, 42};
constexpr int rowsSeen = 7;  // the list scrolls beyond

QString metricText(const PlanRun& run, const char* id) {
    const Metric& metric = catalogueMetric(id);
    const MeasuredPlan measured = run.measured();
    return qtText(metric.text(metric.compared, metric.of(measured), measured));
}

constexpr std::size_t differencesSaid = 3;  // the others are in the tooltip

/// The block in which a device does what differs; noBlock where none is of its own.
quint32 blockOf(const PlanRun& run, const DeviceDifference& difference) {
    if (!difference.found) return noBlock;
    const Timeline& timeline = run.evaluation->timeline;
    // Of plans whose mini-batches overlap these are counted on.
    const bool goesOn = run.costs->problem().setup.mode == TrainingMode::asynchronous;
    const int each = run.costs->problem().setup.microbatches;
    Task wanted = *difference.found;
    const int iteration = goesOn ? wanted.microbatch / each : 0;
    wanted.microbatch -= iteration * each;
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.computeLaneOf(difference.device))];
    const auto isIt = [&wanted](const Task& task) {
        const bool whole = task.kind == TaskKind::backward && wanted.kind != TaskKind::forward;
        return (task.kind == wanted.kind || whole) && task.stage == wanted.stage &&
               task.microbatch == wanted.microbatch && task.slice == wanted.slice;
    };
    for (quint32 block = lane.firstBlock; block < lane.endBlock; ++block) {
        const std::vector<Task> tasks = editing::orderedTasks(timeline, block);
        if (timeline.iteration[block] == iteration && std::any_of(tasks.begin(), tasks.end(), isIt))
            return block;
    }
    return noBlock;
}

/// Whether the families come out the same for both plans, whichever each has.
bool samePartition(const PlanRun& a, const PlanRun& b) {
    Plan plan = a.result.plan;
    const Plan& other = b.result.plan;
    plan.planner = other.planner;
    plan.name = other.name;
    plan.parameters = other.parameters;
    plan.schedule = other.schedule;
    plan.claims = other.claims;
    return plan == other && a.costs->problem() == b.costs->problem();
}

/// What is set of a family's parameters: by the plan, or of a program by a person, whose plan spells out the
/// order alone; else the defaults.
ParameterValues settingsIn(const Plan& plan, const AnyFamily& family,
                           const std::map<std::string, ParameterValues>& programSettings) {
    if (family.builtIn()) return planners::settingsIn(plan, *family.builtIn());
    ParameterValues values = defaultValues(family.settings());
    if (const auto set = programSettings.find(family.id()); set != programSettings.end())
        for (auto& [name, value] : values)
            if (const auto own = set->second.find(name); own != set->second.end()) value = own->second;
    return values;
}

/// "the schedule 'zb-v' does not apply: 4 stages on 4 devices…" without what the row says already.
QString reasonIn(const std::string& sentence) {
    static const std::string marker = "does not apply: ";
    const std::size_t found = sentence.find(marker);
    return qtText(found == std::string::npos ? sentence : sentence.substr(found + marker.size()));
}

}  // namespace

SchedulePanel::SchedulePanel(QWidget* parent)
    : QWidget(parent),
      list_(new QListWidget),
      own_(new QLabel),
      about_(new QLabel),
      arrange_(new QPushButton),
      chunks_(new QSpinBox),
      equalLayers_(new QPushButton(tr("Equal layers under it"))),
      compare_(new QPushButton(tr("Compare schedules"))),
      experiment_(new QPushButton(tr("Over microbatches"))),
      ownName_(new QLineEdit),
      keep_(new QPushButton(tr("Keep order"))) {
    layOut();
    connect(list_, &QListWidget::currentRowChanged, this, [this] {
        showFamily();
        if (!showing_) propose();
    });
    connect(list_, &QListWidget::itemClicked, this, &SchedulePanel::request);
    connect(list_, &QListWidget::itemActivated, this, &SchedulePanel::request);
    connect(arrange_, &QPushButton::clicked, this, [this] {
        if (const Row* row = current()) emit arrangementRequested(*row->family.builtIn(), chosenChunks());
    });
    connect(chunks_, &QSpinBox::valueChanged, this, &SchedulePanel::showArrangement);
    connect(equalLayers_, &QPushButton::clicked, this, [this] {
        if (const Row* row = current())
            emit equalLayersRequested(*row->family.builtIn(), defaultValues(row->family.settings()));
    });
    connect(compare_, &QPushButton::clicked, this, [this] {
        std::vector<Plan> plans;
        for (const Row& row : rows_)
            if (row.applies && !isPlansOwn(row)) plans.push_back(row.plan);
        emit comparisonRequested(plans);
    });
    connect(experiment_, &QPushButton::clicked, this, &SchedulePanel::experimentRequested);
    connect(ownName_, &QLineEdit::textChanged, this,
            [this](const QString& name) { keep_->setEnabled(!name.trimmed().isEmpty()); });
    connect(ownName_, &QLineEdit::returnPressed, this, &SchedulePanel::keep);
    connect(keep_, &QPushButton::clicked, this, &SchedulePanel::keep);
    connect(own_, &QLabel::linkActivated, this, &SchedulePanel::showDifference);
    showFamily();
}

SchedulePanel::~SchedulePanel() = default;

void SchedulePanel::layOut() {
    list_->setObjectName(QStringLiteral("scheduleList"));
    list_->setAccessibleName(tr("Schedule families"));
    list_->setIconSize(thumbnailSize);
    list_->setWordWrap(true);
    list_->setUniformItemSizes(false);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setMinimumHeight(rowsSeen * (thumbnailSize.height() + 12));
    list_->installEventFilter(this);
    own_->setObjectName(QStringLiteral("recognisedSchedule"));
    own_->setWordWrap(true);
    own_->setTextFormat(Qt::RichText);
    own_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    about_->setObjectName(QStringLiteral("scheduleAbout"));
    about_->setWordWrap(true);
    about_->setProperty("role", "muted");
    equalLayers_->setObjectName(QStringLiteral("scheduleEqualLayers"));
    equalLayers_->setToolTip(
        tr("Adds a plan of equally many layers a stage, with the stages where this schedule "
           "places them"));
    compare_->setObjectName(QStringLiteral("compareSchedules"));
    compare_->setToolTip(tr("Adds this partition under each schedule that takes it, and compares them"));
    column_ = new QVBoxLayout(this);
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(6);
    column_->addWidget(own_);
    column_->addWidget(list_);
    column_->addWidget(about_);
    layOutArranging();
    column_->addWidget(equalLayers_, 0, Qt::AlignLeft);
    column_->addWidget(compare_, 0, Qt::AlignLeft);
    experiment_->setObjectName(QStringLiteral("scheduleExperiment"));
    experiment_->setToolTip(
        tr("An experiment: every schedule on stages of equal time, over one to eight microbatches a device"));
    column_->addWidget(experiment_, 0, Qt::AlignLeft);
    ownName_->setObjectName(QStringLiteral("customScheduleName"));
    ownName_->setPlaceholderText(tr("Name for this order"));
    ownName_->setAccessibleName(tr("Name for this order"));
    keep_->setObjectName(QStringLiteral("keepSchedule"));
    keep_->setEnabled(false);
    keep_->setToolTip(
        tr("Keeps what each device runs as a schedule of your own, for other plans of as many stages, "
           "devices and microbatches"));
    auto* row = new QHBoxLayout;
    row->addWidget(ownName_, 1);
    row->addWidget(keep_);
    column_->addLayout(row);
    auto* forget = new QAction(tr("Delete this schedule of your own"), list_);
    forget->setObjectName(QStringLiteral("forgetSchedule"));
    forget->setShortcut(QKeySequence::Delete);
    forget->setShortcutContext(Qt::WidgetShortcut);
    list_->addAction(forget);
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(forget, &QAction::triggered, this, &SchedulePanel::forget);
    connect(list_, &QListWidget::currentRowChanged, forget,
            [this, forget] { forget->setEnabled(current() && current()->family.custom()); });
}

void SchedulePanel::layOutArranging() {
    arrange_->setObjectName(QStringLiteral("scheduleArrange"));
    arrange_->setToolTip(
        tr("Keeps this plan's cuts and GPUs, and places the stages as this schedule needs them"));
    chunks_->setObjectName(QStringLiteral("scheduleChunks"));
    chunks_->setAccessibleName(tr("Stages per GPU"));
    chunks_->setToolTip(tr("Stages per GPU"));
    chunks_->setRange(2, 64);
    auto* arranging = new QHBoxLayout;
    arranging->addWidget(arrange_);
    arranging->addWidget(chunks_);
    arranging->addStretch();
    column_->addLayout(arranging);
}

void SchedulePanel::keep() {
    if (const QString name = ownName_->text().trimmed(); !name.isEmpty()) emit keepRequested(name);
}

void SchedulePanel::forget() {
    const Row* row = current();
    if (!row || !row->family.custom()) return;
    std::error_code ignored;
    std::filesystem::remove(customScheduleFile(customSchedulesFolder(), row->family.custom()->name), ignored);
    reload();
}

void SchedulePanel::reload() {
    if (run_) work();
}

void SchedulePanel::setPlan(std::shared_ptr<const PlanRun> run) {
    if (!run || !run->ok() || run == run_) return;
    const bool same = run_ && samePartition(*run_, *run);
    run_ = std::move(run);
    recognise();
    if (same)
        showOwn();
    else
        work();
}

SchedulePanel::Row SchedulePanel::rowOf(const AnyFamily& family, const Plan& own, const PlanRun& run,
                                        double scale) {
    Row row{family, run.ok(), standingOf(run) == Standing::fits, run.result.plan, {}, {}, {}};
    const ScheduleFamily* builtIn = family.builtIn();
    std::string unfit = builtIn ? whyNotForNetwork(*builtIn, run.costs->problem().profile) : "";
    const bool isOwn = builtIn && isUnder(own, *builtIn);
    if (builtIn && unfit.empty()) {
        unfit = whyNotForStages(*builtIn, own);
        if (unfit.empty()) unfit = whyNothingToHide(*builtIn, run.costs->problem().profile, own.stages);
        row.arrangement = qtText(arrangementOf(own, *builtIn, defaultValues(settingsOf(*builtIn))));
    }
    if (!isOwn && !unfit.empty()) row.applies = false;
    if (!row.applies) {
        row.numbers = unfit.empty() ? reasonIn(run.result.reason) : qtText(unfit);
        return row;
    }
    const QString numbers = tr("%1 bubbles\n%2 · %3")
                                .arg(metricText(run, "bubble_fraction"), metricText(run, "iteration_time_s"),
                                     metricText(run, "peak_memory_bytes"));
    row.numbers = row.fits ? numbers : numbers + QStringLiteral(", ") + standingName(standingOf(run));
    row.thumbnail = views::timeline::planThumbnail(run.evaluation->timeline, thumbnailSize, scale);
    return row;
}

void SchedulePanel::work() {
    programJob_.abandon();
    showing_ = true;
    list_->clear();
    rows_.clear();
    showing_ = false;
    compare_->setEnabled(false);
    about_->setText(tr("Simulating this partition under each schedule…"));
    job_.start(
        [costs = run_->costs, plan = run_->result.plan, title = run_->title(), scale = devicePixelRatioF(),
         programSettings = programSettings_, self = this](const views::common::JobContext& context) {
            const std::vector<AnyFamily> families = allFamilies(customSchedulesFolder());
            for (std::size_t i = 0; i < families.size(); ++i) {
                const AnyFamily& family = families[i];
                const PlanRun run = family.evaluateUnder(costs, plan, title,
                                                         settingsIn(plan, family, programSettings), context);
                context.handOver([self, row = rowOf(family, plan, run, scale)] { self->addRow(row); });
                context.report(static_cast<double>(i + 1) / static_cast<double>(families.size()));
            }
        },
        [this] {
            compare_->setEnabled(true);
            showOwn();
        });
}

void SchedulePanel::recognise() {
    own_->clear();
    own_->setToolTip({});
    own_->hide();
    recognised_ = {};
    recognising_.start(
        [run = run_](const views::common::JobContext& context) -> std::optional<RecognisedSchedule> {
            try {
                return recognisedSchedule(*run, customSchedulesIn(customSchedulesFolder()), context);
            } catch (const std::invalid_argument&) {
                return std::nullopt;  // a pattern that repeats has no order
            }
        },
        [this](const std::optional<RecognisedSchedule>& recognised) {
            if (recognised) showRecognised(*recognised);
        });
}

void SchedulePanel::showRecognised(const RecognisedSchedule& recognised) {
    recognised_ = recognised;
    QStringList lines{qtText(recognitionText(recognised)).toHtmlEscaped()}, all;
    if (!recognised.nearest.empty()) {
        const NearSchedule& near = recognised.nearest.front();
        for (std::size_t i = 0; i < near.difference.devices.size(); ++i) {
            const DeviceDifference& each = near.difference.devices[i];
            const std::string& device =
                run_->costs->problem().cluster.devices[static_cast<std::size_t>(each.device)].id;
            const QString text = (qtText(device) + QStringLiteral(": ") +
                                  qtText(differenceText(each, near, run_->result.plan.stages)))
                                     .toHtmlEscaped();
            all << text;
            if (i < differencesSaid) lines << QStringLiteral("<a href=\"%1\">%2</a>").arg(i).arg(text);
        }
        if (near.difference.devices.size() > differencesSaid)
            lines << tr("and %1 more").arg(near.difference.devices.size() - differencesSaid);
    }
    own_->setText(lines.join(QStringLiteral("<br>")));
    own_->setToolTip(all.join(QStringLiteral("<br>")));
    own_->show();
}

void SchedulePanel::showDifference(const QString& place) {
    const DeviceDifference& chosen = recognised_.nearest.front().difference.devices[place.toUInt()];
    if (const quint32 block = blockOf(*run_, chosen); block != noBlock) emit blockWanted(block);
}

QString SchedulePanel::textOf(const Row& row, bool isOwn) {
    const QString title = qtText(row.family.title());
    return (isOwn ? tr("✓ %1").arg(title) : title) + QLatin1Char('\n') + row.numbers;
}

void SchedulePanel::addRow(const Row& row) {
    rows_.push_back(row);
    showing_ = true;
    new QListWidgetItem(list_);
    showRow(static_cast<int>(rows_.size()) - 1, false);
    showing_ = false;
}

void SchedulePanel::showRow(int number, bool isOwn) {
    const Row& row = rows_[static_cast<std::size_t>(number)];
    QListWidgetItem* item = list_->item(number);
    item->setText(textOf(row, isOwn));
    item->setToolTip(qtText(row.family.about()));
    item->setIcon(row.applies ? QIcon(QPixmap::fromImage(row.thumbnail)) : QIcon());
    item->setData(Qt::ForegroundRole, row.applies ? QVariant() : QBrush(Theme::current().mutedText));
}

/// What a program answered with other parameters; the plan takes it if the list is still there.
void SchedulePanel::replaceRow(const Row& row) {
    const auto same = [&](const Row& other) { return other.family.id() == row.family.id(); };
    const auto found = std::find_if(rows_.begin(), rows_.end(), same);
    if (found == rows_.end()) return;
    *found = row;
    showRow(static_cast<int>(found - rows_.begin()), false);
    if (current() == &*found) request();
}

/// The program of the row that the list is at, with the parameters of the form.
void SchedulePanel::runProgram() {
    const Row* row = current();
    if (!row || !form_ || !run_) return;
    programSettings_[row->family.id()] = form_->values();
    about_->setText(tr("Running %1…").arg(qtText(row->family.title())));
    programJob_.start(
        [family = row->family, costs = run_->costs, plan = run_->result.plan, title = run_->title(),
         values = form_->values(), scale = devicePixelRatioF(),
         self = this](const views::common::JobContext& context) {
            const PlanRun run = family.evaluateUnder(costs, plan, title, values, context);
            context.handOver([self, row = rowOf(family, plan, run, scale)] { self->replaceRow(row); });
        },
        [this] { showFamily(); });
}

bool SchedulePanel::isPlansOwn(const Row& row) const {
    if (const ScheduleFamily* family = row.family.builtIn()) return isUnder(run_->result.plan, *family);
    return row.applies && row.plan.schedule == run_->result.plan.schedule;
}

/// The list is at the plan's own schedule.
void SchedulePanel::showOwn() {
    showing_ = true;
    int own = -1;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const bool isOwn = isPlansOwn(rows_[row]);
        if (isOwn) own = static_cast<int>(row);
        showRow(static_cast<int>(row), isOwn);
    }
    list_->setCurrentRow(own);
    showing_ = false;
    showFamily();
}

const SchedulePanel::Row* SchedulePanel::current() const {
    const int row = list_->currentRow();
    return row >= 0 && row < static_cast<int>(rows_.size()) ? &rows_[static_cast<std::size_t>(row)] : nullptr;
}

void SchedulePanel::showFamily() {
    const Row* row = current();
    equalLayers_->setVisible(row && !row->applies && row->family.builtIn() &&
                             row->family.builtIn()->deviceOrders);
    showArrangement();
    if (!row) {
        if (!job_.isRunning()) about_->setText(tr("This plan's order is its own."));
        delete std::exchange(form_, nullptr);
        return;
    }
    about_->setText(qtText(row->family.about()));
    showParameters();
}

ParameterValues SchedulePanel::chosenChunks() const {
    ParameterValues values = defaultValues(current()->family.settings());
    if (const auto chunks = values.find(runs::chunksParameter); chunks != values.end())
        chunks->second = chunks_->value();
    return values;
}

void SchedulePanel::showArrangement() {
    const Row* row = current();
    const bool offered = row && !row->applies && !row->arrangement.isEmpty();
    arrange_->setVisible(offered);
    chunks_->setVisible(offered && row->family.builtIn()->placement == Placement::ring);
    if (!offered) return;
    arrange_->setText(qtText(arrangementOf(run_->result.plan, *row->family.builtIn(), chosenChunks())));
}

ParameterValues SchedulePanel::valuesOf(const AnyFamily& family) const {
    return settingsIn(run_->result.plan, family, programSettings_);
}

void SchedulePanel::showParameters() {
    const AnyFamily& family = current()->family;
    // How many chunks a device gets is the partition's, not to be set here. Whether a program takes the
    // partition may depend on its parameters.
    const ScheduleFamily* builtIn = family.builtIn();
    const std::vector<Parameter> parameters = builtIn ? builtIn->parameters : family.settings();
    const bool wanted = !parameters.empty() && (current()->applies || !builtIn);
    const ParameterValues values = valuesOf(family);
    if (form_ && wanted && formOf_ == family.id()) {
        for (const Parameter& parameter : parameters)
            form_->setValue(parameter.name, values.at(parameter.name));
        return;
    }
    delete std::exchange(form_, nullptr);
    if (!wanted) return;
    formOf_ = family.id();
    form_ = new ParameterForm(parameters, values);
    column_->insertWidget(column_->indexOf(equalLayers_), form_);
    connect(form_, &ParameterForm::changed, this,
            builtIn ? &SchedulePanel::request : &SchedulePanel::runProgram);
}

Plan SchedulePanel::planUnder(const Row& row) const {
    const ScheduleFamily* family = row.family.builtIn();
    if (!family) {
        Plan plan = run_->result.plan;
        plan.schedule = row.plan.schedule;
        return plan;
    }
    ParameterValues values = valuesOf(row.family);
    if (form_)
        for (const auto& [name, value] : form_->values()) values[name] = value;
    return underSchedule(run_->result.plan, *family, values);
}

void SchedulePanel::propose() {
    const Row* row = current();
    if (!row || !row->applies || !run_) return;
    const Plan plan = planUnder(*row);
    if (plan == run_->result.plan)
        emit withdrawn();
    else
        emit proposed(plan, qtText(row->family.title()));
}

void SchedulePanel::request() {
    const Row* row = current();
    if (!row || !row->applies || !run_) return;
    const Plan plan = planUnder(*row);
    if (!(plan == run_->result.plan)) emit requested(plan, qtText(row->family.title()));
}

/// The pictures are in the colours of the theme.
void SchedulePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) reload();
}

bool SchedulePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched != list_) return QWidget::eventFilter(watched, event);
    const bool key = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    const int pressed = key ? static_cast<QKeyEvent*>(event)->key() : 0;
    // The chart has these keys too.
    if (event->type() == QEvent::ShortcutOverride &&
        (pressed == Qt::Key_Home || pressed == Qt::Key_End || pressed == Qt::Key_Escape)) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::KeyPress && pressed == Qt::Key_Escape && run_) {
        showOwn();
        emit withdrawn();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace stagecraft::app::plan
