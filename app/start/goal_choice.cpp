#include "app/start/goal_choice.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "views/common/text.h"
#include "views/common/widgets.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QRadioButton>

#include <algorithm>

namespace stagecraft::app::start {
namespace {

constexpr int shownItems = 6;  // lines

struct ItemHeading {
    ItemKind kind;
    const char* text;
};
/// In the order in which a person wants to know.
constexpr ItemHeading itemHeadings[] = {
    {ItemKind::unknown, QT_TRANSLATE_NOOP("GoalChoice", "Not understood")},
    {ItemKind::notModelled, QT_TRANSLATE_NOOP("GoalChoice", "Not modelled")},
    {ItemKind::understood, QT_TRANSLATE_NOOP("GoalChoice", "Understood")},
    {ItemKind::withoutMeaning, QT_TRANSLATE_NOOP("GoalChoice", "No meaning for planning")}};

QString lineOf(const ConfigurationItem& item) {
    QString line = qtText(item.argument) + QStringLiteral(": ") + qtText(item.text);
    if (!item.place.empty()) line += QStringLiteral(" (%1)").arg(qtText(item.place));
    return line;
}

}  // namespace

GoalChoice::GoalChoice(QWidget* parent)
    : QWidget(parent),
      goals_(new QButtonGroup(this)),
      layouts_(new QRadioButton(tr("Search layouts"))),
      configured_(new QRadioButton(tr("As configured"))),
      searched_(new QWidget),
      objective_(new QComboBox),
      withinLabel_(new QLabel(tr("&within"))),
      within_(new QDoubleSpinBox),
      about_(newParagraph({}, "muted")),
      counts_(newLine({}, "heading")),
      items_(new QPlainTextEdit) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    grid->addWidget(newLine(tr("Plan"), "heading"), 0, 0, 1, 2);
    const int ofPlanners = static_cast<int>(planningGoals().size());
    const auto add = [&](QRadioButton* button, QLabel* about, int id) {
        button->setAccessibleDescription(about->text());
        button->setToolTip(about->text());
        const int row = grid->rowCount();
        goals_->addButton(button, id);
        grid->addWidget(button, row, 0);
        grid->addWidget(about, row, 1);
    };
    layouts_->setObjectName(QStringLiteral("goal:layouts"));
    for (int i = 0; i < ofPlanners; ++i) {
        const PlanningGoal& goal = planningGoals()[static_cast<std::size_t>(i)];
        // What plans nothing comes last.
        if (goal.id == "none") {
            add(layouts_,
                newParagraph(tr("Tries parallelism, microbatches, cuts and schedules; proves how much better "
                                "those could be"),
                             "muted"),
                ofPlanners);
            grid->addWidget(makeSearched(), grid->rowCount(), 1);
        }
        auto* button = new QRadioButton(QString::fromStdString(goal.title));
        button->setObjectName(QStringLiteral("goal:") + QString::fromStdString(goal.id));
        add(button, newParagraph(QString::fromStdString(goal.summary), "muted"), i);
    }
    configured_->setObjectName(QStringLiteral("goal:configured"));
    add(configured_, about_, ofPlanners + 1);
    counts_->setObjectName(QStringLiteral("configurationCounts"));
    grid->addWidget(counts_, grid->rowCount(), 0, 1, 2);
    setUpItems();
    grid->addWidget(items_, grid->rowCount(), 0, 1, 2);
    goals_->buttons().front()->setChecked(true);
    showConfigured();
    showSearched();
    connect(layouts_, &QRadioButton::toggled, this, &GoalChoice::showSearched);
    connect(goals_, &QButtonGroup::idToggled, this, [this](int, bool isOn) {
        if (isOn) emit changed();
    });
    connect(configured_, &QRadioButton::toggled, this, [this] {
        showConfigured();
        emit configuredChanged();
    });
}

void GoalChoice::setUpItems() {
    items_->setObjectName(QStringLiteral("configurationItems"));
    items_->setAccessibleName(tr("What became of the configuration's arguments"));
    items_->setReadOnly(true);
    items_->setTabChangesFocus(true);
    items_->setLineWrapMode(QPlainTextEdit::NoWrap);
    items_->setFixedHeight((shownItems + 1) * items_->fontMetrics().lineSpacing());
}

QWidget* GoalChoice::makeSearched() {
    constexpr double mostWithinS = 1e6;
    objective_->setObjectName(QStringLiteral("searchedFor"));
    objective_->setAccessibleName(tr("What layouts are searched for"));
    objective_->addItems({tr("For the fastest plan"), tr("For the cheapest plan"),
                          tr("For the fastest plan, with every planner")});
    objective_->setToolTip(
        tr("The time of an iteration, or what it costs: dollars where each GPU's price is "
           "known, else GPU seconds. With every planner: those are run too, wherever one may be faster, "
           "which takes minutes on a server and hours on many"));
    within_->setObjectName(QStringLiteral("searchedWithin"));
    within_->setAccessibleName(tr("Seconds that an iteration takes at most"));
    within_->setRange(0, mostWithinS);
    within_->setDecimals(3);
    within_->setSuffix(tr(" s"));
    within_->setSpecialValueText(tr("any time"));
    within_->setAlignment(Qt::AlignRight);
    within_->setToolTip(tr("An iteration takes no longer than that; 0: as long as it takes"));
    withinLabel_->setBuddy(within_);
    auto* row = new QHBoxLayout(searched_);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(objective_);
    row->addWidget(withinLabel_);
    row->addWidget(within_);
    row->addStretch();
    connect(objective_, &QComboBox::currentIndexChanged, this, [this] {
        showSearched();
        emit changed();
    });
    connect(within_, &QDoubleSpinBox::valueChanged, this, &GoalChoice::changed);
    return searched_;
}

void GoalChoice::showSearched() {
    searched_->setVisible(layouts_->isChecked());
    const bool isCheapest = layoutAim() == LayoutAim::cheapest;
    withinLabel_->setVisible(isCheapest);
    within_->setVisible(isCheapest);
}

LayoutAim GoalChoice::layoutAim() const { return static_cast<LayoutAim>(objective_->currentIndex()); }

double GoalChoice::mostSeconds() const {
    return layoutAim() == LayoutAim::cheapest && within_->value() > 0 ? within_->value() : infinity;
}

const PlanningGoal& GoalChoice::goal() const {
    if (configured_->isChecked() || layouts_->isChecked()) return *findPlanningGoal("none");
    return planningGoals()[static_cast<std::size_t>(goals_->checkedId())];
}

bool GoalChoice::searchesLayouts() const { return layouts_->isChecked(); }

void GoalChoice::setConfiguration(std::shared_ptr<const Configuration> configuration, const QString& name) {
    configuration_ = std::move(configuration);
    name_ = name;
    about_->setText(tr("The stages, groups, schedule and batch that %1 says; nothing is chosen")
                        .arg(QFileInfo(name).fileName()));
    configured_->setAccessibleDescription(about_->text());
    configured_->setToolTip(about_->text());
    showItems(configuration_->items);
    const bool isNew = !configured_->isChecked();
    configured_->setChecked(true);
    showConfigured();
    if (!isNew) emit configuredChanged();
}

std::shared_ptr<const Configuration> GoalChoice::configuration() const {
    return configured_->isChecked() ? configuration_ : nullptr;
}

void GoalChoice::showItems(const std::vector<ConfigurationItem>& items) {
    QStringList counts, lines;
    for (const ItemHeading& heading : itemHeadings) {
        const auto count = std::ranges::count(items, heading.kind, &ConfigurationItem::kind);
        if (count == 0) continue;
        counts << QStringLiteral("%1 %2").arg(qtText(grouped(count)), tr(heading.text).toLower());
        lines << tr(heading.text);
        for (const ConfigurationItem& item : items)
            if (item.kind == heading.kind) lines << QStringLiteral("    ") + lineOf(item);
    }
    counts_->setText(tr("Arguments: %1").arg(counts.join(QStringLiteral(", "))));
    items_->setPlainText(lines.join(QLatin1Char('\n')));
}

void GoalChoice::showConfigured() {
    const bool isKnown = configuration_ != nullptr, isChosen = isKnown && configured_->isChecked();
    configured_->setVisible(isKnown);
    about_->setVisible(isKnown);
    counts_->setVisible(isChosen);
    items_->setVisible(isChosen);
}

}  // namespace stagecraft::app::start
