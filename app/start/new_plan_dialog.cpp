#include "app/start/new_plan_dialog.h"

#include "app/document/file_names.h"
#include "app/document/workspace.h"
#include "app/panels/parameter_form.h"
#include "app/profile/dialog_parts.h"
#include "app/start/goal_choice.h"
#include "app/start/memory_notice.h"
#include "app/start/setup_fields_form.h"
#include "app/start/source_list.h"
#include "app/start/tab_order.h"
#include "core/base/counted.h"
#include "core/generation/generated_profile.h"
#include "core/model/prices.h"
#include "views/common/on_screen.h"
#include "views/common/text.h"
#include "views/common/widgets.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft::app::start {
namespace {

/// Of machines of which a template has one: a pipeline across servers is what people come for.
constexpr int usualServers = 2;
constexpr const char* serversParameter = "servers";
constexpr const char* isChosen = "isChosen";  // a property
/// Of the setup, what decides how much memory a plan takes.
const std::vector<std::string>& setupNames() {
    static const std::vector<std::string> names = {"microbatches", "zero", "recomputation"};
    return names;
}

QScrollArea* newFormRoom() {
    auto* room = new QScrollArea;
    room->setWidgetResizable(true);
    room->setFrameShape(QFrame::NoFrame);
    room->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return room;
}

/// What a person has set and another model has too: what is of the network alone goes with it.
ParameterValues keptValues(const ParameterForm* form, const std::vector<Parameter>& before,
                           const ParameterValues& proposed) {
    ParameterValues kept;
    if (!form) return kept;
    ParameterValues usual = defaultValues(before);
    for (const auto& [name, value] : proposed) usual[name] = value;
    const auto isOfAll = [](const std::string& name) {
        const std::vector<Parameter>& all = timingParameters();
        return name == "sequence_length" || std::ranges::find(all, name, &Parameter::name) != all.end();
    };
    for (const auto& [name, value] : form->values())
        if (isOfAll(name) && value != usual[name]) kept.insert({name, value});
    return kept;
}

/// "64 microbatches of 1 sample, 8,192 tokens each, bf16 on H100-SXM5-80GB".
QString settingsText(const PlanDraft& draft) {
    const Problem& problem = draft.problem;
    QString text = QObject::tr("%1 of %2")
                       .arg(countedText(problem.setup.microbatches, "microbatch", "microbatches"),
                            countedText(problem.profile.microbatchSize, "sample"));
    const auto given = [&](const char* name) {
        const auto value = draft.modelValues.find(name);
        if (value == draft.modelValues.end()) return QString();
        const int* number = std::get_if<int>(&value->second);
        return qtText(number ? grouped(*number) : toText(value->second));
    };
    if (const QString tokens = given("sequence_length"); !tokens.isEmpty())
        text += QObject::tr(", %1 tokens each").arg(tokens);
    if (const QString precision = given("precision"); !precision.isEmpty())
        text += QObject::tr(", %1 on %2").arg(precision, given("gpu"));
    return text;
}

QString layoutSearchText(const Problem& problem, LayoutAim aim) {
    QString text = QObject::tr(
                       "%1 in an iteration on %2. Microbatches, ZeRO and recomputation are searched too, "
                       "whatever the settings say.")
                       .arg(countedText(static_cast<int>(problem.samplesPerIteration()), "sample"),
                            countedText(problem.cluster.deviceCount(), "GPU"));
    if (aim == LayoutAim::cheapest)
        text += QLatin1Char(' ') +
                (hasPrices(problem) ? QObject::tr("The cheapest is counted in dollars, at the GPUs' prices.")
                                    : QObject::tr("The cheapest is counted in GPU seconds: a cluster's file "
                                                  "may say what each of its GPUs costs."));
    if (aim == LayoutAim::fastestOfPlannersToo)
        text += QLatin1Char(' ') +
                QObject::tr(
                    "Then each planner is run wherever it may have a faster plan, which takes minutes on a "
                    "server and hours on many.");
    return text;
}

}  // namespace

NewPlanDialog::NewPlanDialog(QWidget* parent)
    : QDialog(parent),
      models_(zooModels()),
      machines_(templateMachines()),
      modelList_(new SourceList(tr("M&odel"), QStringLiteral("models"), tr("Find a model"))),
      machineList_(new SourceList(tr("M&achines"), QStringLiteral("machines"),
                                  tr("Find a machine, a GPU or a network"))),
      modelRoom_(newFormRoom()),
      machineRoom_(newFormRoom()),
      setup_(new SetupFieldsForm(setupNames(), newPlannedProblem().setup)),
      count_(new QSpinBox),
      more_(new QToolButton),
      forms_(new QWidget),
      goals_(new GoalChoice),
      memory_(new MemoryNotice),
      plan_(new QPushButton) {
    setWindowTitle(tr("Plan a model"));
    setObjectName(QStringLiteral("newPlanDialog"));
    setAcceptDrops(true);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(16, 16, 16, 16);
    grid->setHorizontalSpacing(24);
    grid->setVerticalSpacing(12);
    grid->addWidget(modelList_, 0, 0);
    grid->addWidget(machineList_, 0, 1);
    grid->addWidget(makeMore(), 1, 0, 1, 2);
    grid->addWidget(goals_, 2, 0, 1, 2);
    grid->addWidget(memory_, 3, 0, 1, 2);
    grid->addWidget(makeButtons(), 4, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(0, 1);
    addButtons(*modelList_);
    addButtons(*machineList_);
    addCount();
    fillLists();
    connectParts();
    showModel();
    showMachines();
    placeOnScreen(*this, QSize(860, 640));
    modelList_->field().setFocus();
}

void NewPlanDialog::fillLists() {
    for (const ModelSource& model : models_) modelList_->add(model.title, model.tip);
    for (const MachineSource& kind : machines_) machineList_->add(kind.title, kind.tip);
}

void NewPlanDialog::addButtons(SourceList& list) {
    const bool isModel = &list == modelList_;
    auto* open = new QPushButton(tr("Open a file…"));
    open->setObjectName(isModel ? QStringLiteral("openModel") : QStringLiteral("openMachines"));
    open->setToolTip(
        isModel ? tr("A config.json of Hugging Face, an ONNX model, a profile, or the script that trains "
                     "it; or drop it here")
                : tr("A cluster, or what machines print: nvidia-smi topo -m, a host list, NCCL's "
                     "or hwloc's XML, …; or drop it here"));
    connect(open, &QPushButton::clicked, this, &NewPlanDialog::chooseFiles);
    list.below().addWidget(open);
    auto* pasteButton = new QPushButton(tr("Paste"));
    pasteButton->setObjectName(isModel ? QStringLiteral("pasteModel") : QStringLiteral("pasteMachines"));
    pasteButton->setToolTip(
        isModel ? tr("A config.json, or how a model is trained: Megatron-LM's arguments, from the clipboard")
                : tr("What nvidia-smi topo -m or another program printed, from the clipboard"));
    connect(pasteButton, &QPushButton::clicked, this, &NewPlanDialog::paste);
    list.below().addWidget(pasteButton);
    list.below().addStretch();
    for (QPushButton* button : list.findChildren<QPushButton*>()) button->setAutoDefault(false);
    list.field().installEventFilter(this);
}

void NewPlanDialog::addCount() {
    count_->setObjectName(QStringLiteral("machineCount"));
    count_->setAlignment(Qt::AlignRight);
    auto* label = new QLabel;
    label->setObjectName(QStringLiteral("countLabel"));
    label->setBuddy(count_);
    machineList_->below().addWidget(label);
    machineList_->below().addWidget(count_);
}

QWidget* NewPlanDialog::makeMore() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    more_->setObjectName(QStringLiteral("more"));
    more_->setAutoRaise(true);
    more_->setCheckable(true);
    more_->setArrowType(Qt::RightArrow);
    more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    more_->setText(tr("Settings"));
    more_->setToolTip(
        tr("Sequence length, microbatches, precision, the network between servers and the rest"));
    auto* row = new QHBoxLayout(forms_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(24);
    auto* setupRoom = newFormRoom();
    setupRoom->setWidget(setup_);
    for (QScrollArea* room : {modelRoom_, machineRoom_, setupRoom}) row->addWidget(room, 1);
    forms_->setMinimumHeight(120);
    forms_->setMaximumHeight(200);
    forms_->hide();
    column->addWidget(more_);
    column->addWidget(forms_);
    return part;
}

QWidget* NewPlanDialog::makeButtons() {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    plan_->setProperty("primary", true);
    plan_->setDefault(true);
    plan_->setObjectName(QStringLiteral("planModel"));
    buttons->addButton(plan_, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(plan_, &QPushButton::clicked, this, &NewPlanDialog::plan);
    return buttons;
}

void NewPlanDialog::connectParts() {
    connect(modelList_, &SourceList::chosen, this, &NewPlanDialog::showModel);
    connect(machineList_, &SourceList::chosen, this, &NewPlanDialog::showMachines);
    connect(count_, &QSpinBox::valueChanged, this, [this] {
        count_->setProperty(isChosen, true);
        ask();
    });
    connect(setup_, &SetupFieldsForm::changed, this, &NewPlanDialog::ask);
    connect(more_, &QToolButton::toggled, this, &NewPlanDialog::showMore);
    connect(goals_, &GoalChoice::changed, this, [this] {
        searching_.abandon();
        if (ready_) showKnown();
        showPlanButton();
    });
    connect(goals_, &GoalChoice::configuredChanged, this, &NewPlanDialog::ask);
    connect(memory_, &MemoryNotice::remedyChosen, this, &NewPlanDialog::applyRemedy);
    connect(&opener_, &DocumentOpener::opened, this, &NewPlanDialog::take);
    connect(&searching_, &Job::statusChanged, this, [this](const QString& sentence) {
        memory_->showFinding(tr("Searching: an iteration of %1").arg(sentence), true);
    });
    connect(&searching_, &Job::ended, this, &NewPlanDialog::showSearchEnd);
    wait_.setSingleShot(true);
    wait_.setInterval(typingPauseMs);
    connect(&wait_, &QTimer::timeout, this, &NewPlanDialog::start);
    connect(&drafting_, &Job::ended, this, [this](bool isStopped, const QString& failure) {
        if (isStopped) return;
        ready_ = failure.isEmpty();
        if (!ready_) {
            draft_ = {};
            // That of a configuration begins with the name of its file.
            memory_->showError(goals_->configuration() ? failure
                                                       : failure.left(1).toUpper() + failure.mid(1));
        }
        showPlanButton();
        if (std::exchange(wanted_, false) && plan_->isEnabled()) plan();
    });
}

const ModelSource& NewPlanDialog::model() const {
    const int index = modelList_->current();
    return index < 0 ? opened_.models[static_cast<std::size_t>(-1 - index)]
                     : models_[static_cast<std::size_t>(index)];
}

const MachineSource& NewPlanDialog::machines() const {
    const int index = machineList_->current();
    return index < 0 ? opened_.machines[static_cast<std::size_t>(-1 - index)]
                     : machines_[static_cast<std::size_t>(index)];
}

void NewPlanDialog::showModel() {
    if (modelList_->isAny()) {
        const std::vector<Parameter>& parameters = model().parameters;
        const ParameterValues kept = keptValues(modelForm_, modelParameters_, proposed_);
        modelParameters_ = parameters;
        proposed_.clear();
        modelForm_ = new ParameterForm(parameters, kept);
        modelRoom_->setWidget(modelForm_);
        connect(modelForm_, &ParameterForm::changed, this, &NewPlanDialog::ask);
        orderTabs();
    }
    ask();
}

void NewPlanDialog::showMachines() {
    if (machineList_->isAny()) {
        std::vector<Parameter> besides = machines().parameters;
        std::erase_if(besides,
                      [this](const Parameter& parameter) { return parameter.name == machines().count; });
        machineForm_ = new ParameterForm(besides);
        machineRoom_->setWidget(machineForm_);
        connect(machineForm_, &ParameterForm::changed, this, &NewPlanDialog::ask);
        orderTabs();
        showCount();
    }
    ask();
}

/// As the dialogue is read.
void NewPlanDialog::orderTabs() {
    QList<QWidget*> stops;
    gatherStops(*layout(), stops);
    orderTabsAs(stops);
}

/// How many there are of the machines, where that can be said; as many as before if a person has said so.
void NewPlanDialog::showCount() {
    const std::vector<Parameter>& all = machines().parameters;
    const auto number = std::ranges::find(all, machines().count, &Parameter::name);
    const bool isKnown = number != all.end();
    auto* label = machineList_->findChild<QLabel*>(QStringLiteral("countLabel"));
    label->setVisible(isKnown);
    count_->setVisible(isKnown);
    if (!isKnown) return;
    const bool isSame = count_->accessibleName() == qtText(number->label);
    const int usual = std::get<int>(number->defaultValue);
    const QSignalBlocker quiet(count_);
    label->setText(QLatin1Char('&') + qtText(number->label));
    count_->setAccessibleName(qtText(number->label));
    count_->setToolTip(qtText(number->description));
    count_->setRange(static_cast<int>(number->minimum), static_cast<int>(number->maximum));
    if (isSame && count_->property(isChosen).toBool()) return;
    const bool isOfServers = number->name == serversParameter && !machines().isNumbered;
    count_->setValue(isOfServers ? std::max(usual, usualServers) : usual);
    count_->setProperty(isChosen, false);
}

void NewPlanDialog::showMore() {
    more_->setArrowType(more_->isChecked() ? Qt::DownArrow : Qt::RightArrow);
    forms_->setVisible(more_->isChecked());
}

void NewPlanDialog::showPlanButton() {
    const bool isConfigured = goals_->configuration() != nullptr;
    const bool isMade = isConfigured || goals_->searchesLayouts();  // by no planner
    const bool plansNothing = !isMade && plannersFor(goals_->goal(), draft_.problem.setup).empty();
    plan_->setText(searching_.isRunning() ? tr("Take the best so far")
                   : plansNothing         ? tr("Open project")
                                          : tr("Plan"));
    setup_->setEnabled(!isConfigured);
    const bool isPending = wait_.isActive() || drafting_.isRunning();
    plan_->setEnabled(isPending || (ready_ && (plansNothing || isMade || !draft_.outlook.cannotFit())));
}

void NewPlanDialog::ask() {
    ready_ = wanted_ = false;
    drafting_.abandon();
    searching_.abandon();
    memory_->setRefusal({});
    memory_->clearButtons();
    if (!modelList_->isAny() || !machineList_->isAny()) {
        wait_.stop();
        memory_->showError(modelList_->isAny() ? tr("No machines have this in their name or description.")
                                               : tr("No model has this in its name or description."));
        showPlanButton();
        return;
    }
    wait_.start();
    showPlanButton();
}

PlanRequest NewPlanDialog::request() const {
    PlanRequest request{model(),
                        machines(),
                        {},
                        {},
                        {},
                        setup_->values(),
                        goals_->configuration(),
                        QFileInfo(goals_->configurationName()).fileName().toStdString()};
    request.modelValues = modelForm_->values();
    request.machineValues = machineForm_->values();
    if (!request.machines.count.empty()) request.machineValues[request.machines.count] = count_->value();
    const ParameterValues usual = defaultValues(request.model.parameters);
    for (auto& [name, value] : request.modelValues) {
        const auto given = proposed_.find(name);
        if (value != (given != proposed_.end() ? given->second : usual.at(name)))
            request.said.insert(name);
        else
            value = usual.at(name);  // a proposal that is not made again leaves nothing behind
    }
    return request;
}

void NewPlanDialog::start() {
    constexpr int patienceMs = 400;
    QTimer::singleShot(patienceMs, this, [this] {
        if (drafting_.isRunning()) memory_->showBusy();
    });
    drafting_.start([asked = request()](const JobContext& context) { return draftOf(asked, context); },
                    [this](const PlanDraft& draft) { showDraft(draft); });
}

void NewPlanDialog::showDraft(const PlanDraft& draft) {
    draft_ = draft;
    ParameterValues changed = std::exchange(proposed_, draft.proposed);
    changed.insert(draft.proposed.begin(), draft.proposed.end());
    for (const auto& [name, proposed] : changed)
        if (const auto value = draft.modelValues.find(name); value != draft.modelValues.end())
            modelForm_->setValue(name, value->second);
    more_->setText(tr("Settings: %1").arg(settingsText(draft)));
    showKnown();
}

void NewPlanDialog::showKnown() {
    if (draft_.configured)
        showConfigured();
    else if (goals_->searchesLayouts())
        memory_->showFinding(layoutSearchText(draft_.problem, goals_->layoutAim()), true);
    else
        memory_->showOutlook(draft_.outlook, draft_.remedies);
}

/// What a configuration gives, and what of it was understood.
void NewPlanDialog::showConfigured() {
    goals_->showItems(draft_.configured->items);
    const QString layout = qtText(layoutInWords(*draft_.configured));
    if (!draft_.check) {
        memory_->showFinding(tr("%1\nIt cannot run: %2").arg(layout, qtText(draft_.failure)), false);
        return;
    }
    const ConfigurationCheck& check = *draft_.check;
    QString text = tr("%1\nFits: %2\n%3 MFU %4; %5.")
                       .arg(layout, qtText(check.memory), qtText(check.bounds), qtText(check.utilisation),
                            qtText(check.time));
    if (!check.violations.empty()) {
        const std::size_t others = check.violations.size() - 1;
        text += tr("\nThe plan is invalid: %1").arg(qtText(check.violations.front()));
        if (others > 0) text += tr("; and %1").arg(countedText(others, "violation more", "violations more"));
    }
    memory_->showFinding(text, check.fits && check.violations.empty());
}

void NewPlanDialog::applyRemedy(int index) {
    const MemoryRemedy remedy = draft_.remedies[static_cast<std::size_t>(index)];
    setup_->setSetup(remedy.setup);
    if (remedy.machines > 0) count_->setValue(remedy.machines);
    plan_->setFocus();
}

void NewPlanDialog::plan() {
    if (!ready_) {
        wanted_ = wait_.isActive() || drafting_.isRunning();
        return;
    }
    if (goals_->searchesLayouts()) return search();
    Project project;
    project.name = draft_.problem.profile.name;
    project.problem = draft_.problem;
    if (draft_.configured) {
        project.plans = {draft_.configured->plan};
        project.origins = {originOf(*draft_.configured)};
    }
    emit planWanted(project, goals_->goal());
}

void NewPlanDialog::search() {
    if (searching_.isRunning()) return searching_.takeBest();
    searching_.start(
        [asked = request(), draft = draft_, aim = goals_->layoutAim(),
         mostSeconds = goals_->mostSeconds()](const JobContext& context) {
            AutoQuestion question = questionOf(asked, draft);
            if (aim == LayoutAim::cheapest) question.limits.objective = AutoObjective::money;
            question.limits.mostSeconds = mostSeconds;
            return searchLayouts(std::move(question), aim == LayoutAim::fastestOfPlannersToo, context);
        },
        [this](const LayoutSearch& found) {
            if (found.hasPlan())
                emit layoutFound(found);
            else
                memory_->showFinding(tr("There is no plan: %1").arg(qtText(found.answer.reason)), false);
        });
    memory_->showFinding(tr("Searching…"), true);
    showPlanButton();
}

void NewPlanDialog::showSearchEnd(bool isStopped, const QString& failure) {
    if (!failure.isEmpty())
        memory_->showError(failure);
    else if (isStopped)
        showKnown();
    showPlanButton();
}

void NewPlanDialog::reject() {
    if (searching_.isRunning())
        searching_.stop();
    else
        QDialog::reject();
}

void NewPlanDialog::chooseFiles() {
    openFiles(QFileDialog::getOpenFileNames(this, tr("Open"), QDir::homePath(), anyFilter()));
}

void NewPlanDialog::openFiles(const QStringList& paths) {
    if (paths.isEmpty()) return;
    memory_->setRefusal({});
    opener_.open(paths);
}

void NewPlanDialog::paste() {
    const QString text = QGuiApplication::clipboard()->text();
    if (text.trimmed().isEmpty())
        memory_->setRefusal(
            tr("The clipboard holds no text; expected what nvidia-smi topo -m prints, a host "
               "list or another topology, or how a model is trained"));
    else {
        memory_->setRefusal({});
        opener_.openText(text, tr("clipboard"));
    }
}

void NewPlanDialog::take(const QString& path, const OpenedDocument& document) {
    PlanSources sources = planSourcesOf(path, document);
    // Of several files each that is refused stays named; what is chosen takes the notice away.
    QStringList refusals{memory_->refusal(), sources.error};
    refusals.removeAll(QString());
    if (sources.model) {
        opened_.models.push_back(std::move(*sources.model));
        modelList_->addFirst(opened_.models.back().title, opened_.models.back().tip);
    }
    if (sources.machines) {
        opened_.machines.push_back(std::move(*sources.machines));
        machineList_->addFirst(opened_.machines.back().title, opened_.machines.back().tip);
    }
    if (const auto* configured = std::get_if<OpenedConfiguration>(&document))
        goals_->setConfiguration(configured->configuration, path);
    memory_->setRefusal(refusals.join(QLatin1Char('\n')));
}

void NewPlanDialog::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void NewPlanDialog::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    openFiles(paths);
}

void NewPlanDialog::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Paste)) return paste();
    QDialog::keyPressEvent(event);
}

/// Several lines are no word to search for.
bool NewPlanDialog::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Paste) &&
        QGuiApplication::clipboard()->text().trimmed().contains(QLatin1Char('\n'))) {
        paste();
        return true;
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace stagecraft::app::start
