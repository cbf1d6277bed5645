#include "app/experiments/builder/planner_ticks.h"

#include "app/panels/parameter_form.h"
#include "core/planners/added_planners.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::experiments {

namespace {

constexpr int formColumns = 2;

QPushButton* quiet(const QString& text, const char* name) {
    auto* button = new QPushButton(text);
    button->setProperty("quiet", true);
    button->setObjectName(QLatin1String(name));
    return button;
}

std::string freshLabel(const std::vector<AskedPlanner>& asked, const std::string& wanted) {
    const auto taken = [&](const std::string& label) {
        return std::any_of(asked.begin(), asked.end(), [&](const auto& one) { return one.label == label; });
    };
    std::string label = wanted;
    for (int number = 2; taken(label); ++number) label = wanted + " " + std::to_string(number);
    return label;
}

}  // namespace

PlannerTicks::PlannerTicks(QWidget* parent) : QWidget(parent) {
    error_ = new QLabel;
    error_->setObjectName(QStringLiteral("plannersError"));
    error_->setProperty("role", "error");
    error_->setWordWrap(true);
    error_->hide();
    rows_ = new QVBoxLayout(this);
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(8);
    rows_->addWidget(makeHead());
    rows_->addWidget(error_);
    rebuild();
}

PlannerTicks::~PlannerTicks() { stopListeningToChildren(*this); }

QWidget* PlannerTicks::makeHead() {
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    auto* title = new QLabel(tr("Planners"));
    title->setProperty("role", "heading");
    QPushButton* all = quiet(tr("All"), "allPlanners");
    all->setToolTip(tr("Ticks every planner"));
    QPushButton* none = quiet(tr("None"), "noPlanners");
    row->addWidget(title);
    row->addWidget(all);
    row->addWidget(none);
    row->addStretch();
    connect(all, &QPushButton::clicked, this, [this] {
        change([](std::vector<AskedPlanner>& asked) {
            for (const auto& planner : allPlanners()) {
                const PlannerDescription& is = planner->description();
                const bool there = std::any_of(asked.begin(), asked.end(),
                                               [&](const auto& one) { return one.planner == is.id; });
                if (!there) asked.push_back({freshLabel(asked, is.title), is.id, {}});
            }
        });
    });
    connect(none, &QPushButton::clicked, this,
            [this] { change([](std::vector<AskedPlanner>& asked) { asked.clear(); }); });
    return head;
}

void PlannerTicks::setPlanners(const std::vector<AskedPlanner>& asked) {
    if (asked == asked_) return;
    // What a person types into a form comes back here; the form stays as it is.
    const auto sameRows = [&] {
        return asked.size() == asked_.size() &&
               std::equal(asked.begin(), asked.end(), asked_.begin(), [](const auto& a, const auto& b) {
                   return a.planner == b.planner && a.label == b.label;
               });
    };
    const bool keep = sameRows() && isAncestorOf(focusWidget());
    asked_ = asked;
    if (!keep) rebuild();
}

void PlannerTicks::showError(const QString& sentence) {
    error_->setText(sentence);
    error_->setVisible(!sentence.isEmpty());
}

void PlannerTicks::change(const std::function<void(std::vector<AskedPlanner>&)>& how) {
    std::vector<AskedPlanner> asked = asked_;
    how(asked);
    if (asked != asked_) emit edited(asked);
}

void PlannerTicks::rebuild() {
    if (content_) {
        // The button that was clicked may be in it.
        content_->hide();
        content_->deleteLater();
    }
    content_ = new QWidget;
    auto* grid = new QGridLayout(content_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    for (int column = 0; column < formColumns; ++column) grid->setColumnStretch(column, 1);
    int place = 0;
    const auto add = [&](const AskedPlanner& shown, int asked) {
        const bool open = asked >= 0 && open_.contains(shown.label);
        if (open && place % formColumns) ++place;
        grid->addWidget(makeRow(shown, asked), place / formColumns, place % formColumns, 1,
                        open ? formColumns : 1);
        place += open ? formColumns : 1;
        if (!open) return;
        grid->addWidget(makeForm(asked), place / formColumns, 0, 1, formColumns);
        place += formColumns;
    };
    // In the order of the register, each with what is asked of it besides; then programs that a file names.
    std::vector<AskedPlanner> known;
    for (const auto& planner : allPlanners())
        known.push_back({planner->description().title, planner->description().id, {}});
    for (const Planner* planner : addedPlanners())
        known.push_back({planner->description().title, planner->description().id, {}});
    for (const AskedPlanner& asked : asked_)
        if (std::none_of(known.begin(), known.end(),
                         [&](const auto& one) { return one.planner == asked.planner; }))
            known.push_back(asked);
    for (const AskedPlanner& each : known) {
        bool some = false;
        for (std::size_t i = 0; i < asked_.size(); ++i)
            if (asked_[i].planner == each.planner) {
                add(asked_[i], static_cast<int>(i));
                some = true;
            }
        if (!some) add(each, -1);
    }
    rows_->addWidget(content_);
}

QWidget* PlannerTicks::makeRow(const AskedPlanner& shown, int asked) {
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    auto* tick = new QCheckBox(QString::fromStdString(shown.label));
    tick->setObjectName(QStringLiteral("planner:") + QString::fromStdString(shown.label));
    tick->setChecked(asked >= 0);
    const Planner* planner = findPlanner(shown.planner);  // null: a program that has not run yet
    tick->setToolTip(QString::fromStdString(planner ? planner->description().summary : shown.planner));
    row->addWidget(tick);
    connect(tick, &QCheckBox::toggled, this, [this, shown, asked](bool on) {
        change([&](std::vector<AskedPlanner>& all) {
            if (on)
                all.push_back({freshLabel(all, shown.label), shown.planner, {}});
            else
                all.erase(all.begin() + asked);
        });
    });
    if (asked >= 0) {
        auto* parameters = new QToolButton;
        parameters->setObjectName(QStringLiteral("parameters:") + QString::fromStdString(shown.label));
        const bool open = open_.contains(shown.label);
        parameters->setText(open ? tr("Hide") : tr("Parameters"));
        parameters->setProperty("role", "muted");
        if (!shown.values.empty() && !open)
            parameters->setText(tr("Parameters (%1)").arg(shown.values.size()));
        connect(parameters, &QToolButton::clicked, this, [this, label = shown.label, open] {
            open ? void(open_.erase(label)) : void(open_.insert(label));
            rebuild();
        });
        row->addWidget(parameters);
    }
    row->addStretch();
    return widget;
}

QWidget* PlannerTicks::makeForm(int asked) {
    const auto index = static_cast<std::size_t>(asked);
    const AskedPlanner& shown = asked_[index];
    const Planner* planner = findPlanner(shown.planner);
    const std::vector<Parameter> parameters =
        planner ? planner->description().parameters : std::vector<Parameter>();
    auto* frame = new QFrame;
    frame->setFrameShape(QFrame::StyledPanel);
    auto* label = new QLineEdit(QString::fromStdString(shown.label));
    label->setObjectName(QStringLiteral("plannerLabel"));
    connect(label, &QLineEdit::editingFinished, this, [this, asked, label, before = shown.label] {
        if (label->text().toStdString() == before) return;
        open_.erase(before);
        open_.insert(label->text().toStdString());
        emit renamed(asked, label->text());
    });
    auto* again = quiet(tr("Add a variant"), "askAgain");
    again->setToolTip(tr("The same planner with other parameters, under another label"));
    connect(again, &QPushButton::clicked, this, [this, index] {
        change([&](std::vector<AskedPlanner>& all) {
            AskedPlanner copy = all[index];
            copy.label = freshLabel(all, copy.label);
            open_.insert(copy.label);
            all.insert(all.begin() + static_cast<std::ptrdiff_t>(index) + 1, copy);
        });
    });
    auto* head = new QHBoxLayout;
    head->addWidget(new QLabel(tr("Label")));
    head->addWidget(label, 1);
    head->addWidget(again);
    auto* form = new ParameterForm(parameters, shown.values);
    connect(form, &ParameterForm::changed, this, [this, index, form, parameters] {
        change([&](std::vector<AskedPlanner>& all) {
            all[index].values.clear();
            for (const Parameter& parameter : parameters)
                if (const ParameterValue& value = form->values().at(parameter.name);
                    value != parameter.defaultValue)
                    all[index].values[parameter.name] = value;
        });
    });
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    column->addLayout(head);
    column->addWidget(form);
    return frame;
}

}  // namespace stagecraft::app::experiments
