#include "app/panels/setup_panel.h"

#include "app/panels/field_behaviour.h"
#include "core/base/units.h"
#include "core/model/setup_fields.h"
#include "views/common/text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>

namespace stagecraft::app::panels {
namespace {

constexpr int restMs = 500;

/// What a field of a quantity counts in.
double unitOf(const Parameter& setting) {
    return setting.quantity == Quantity::bytes ? gib : setting.quantity == Quantity::seconds ? 1e-6 : 1;
}

QSpinBox* wholeField(const Parameter& setting) {
    auto* box = new QSpinBox;
    box->setRange(static_cast<int>(setting.minimum), static_cast<int>(setting.maximum));
    return box;
}

QDoubleSpinBox* numberField(const Parameter& setting) {
    auto* box = new QDoubleSpinBox;
    box->setRange(setting.zeroMeans.empty() ? setting.minimum : 0, setting.maximum / unitOf(setting));
    box->setDecimals(2);
    if (setting.quantity == Quantity::bytes) box->setSuffix(QStringLiteral(" GiB"));
    if (setting.quantity == Quantity::seconds) box->setSuffix(QStringLiteral(" µs"));
    return box;
}

QComboBox* choiceField(const SetupField& field) {
    auto* box = new QComboBox;
    for (const std::string& label : field.choiceLabels) box->addItem(qtText(label));
    return box;
}

void showValue(QWidget* widget, const SetupField& field, const ParameterValue& value) {
    if (auto* whole = qobject_cast<QSpinBox*>(widget)) whole->setValue(std::get<int>(value));
    if (auto* number = qobject_cast<QDoubleSpinBox*>(widget))
        number->setValue(std::get<double>(value) / unitOf(field.value));
    if (auto* flag = qobject_cast<QCheckBox*>(widget)) flag->setChecked(std::get<bool>(value));
    if (auto* choice = qobject_cast<QComboBox*>(widget)) {
        const std::vector<std::string>& all = field.value.choices;
        choice->setCurrentIndex(
            static_cast<int>(std::find(all.begin(), all.end(), std::get<std::string>(value)) - all.begin()));
    }
}

ParameterValue valueOf(const QWidget* widget, const SetupField& field) {
    if (const auto* whole = qobject_cast<const QSpinBox*>(widget)) return whole->value();
    if (const auto* number = qobject_cast<const QDoubleSpinBox*>(widget))
        return number->value() * unitOf(field.value);
    if (const auto* flag = qobject_cast<const QCheckBox*>(widget)) return flag->isChecked();
    return field.value
        .choices[static_cast<std::size_t>(qobject_cast<const QComboBox*>(widget)->currentIndex())];
}

}  // namespace

SetupPanel::SetupPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      behaviour_(new FieldBehaviour(this)),
      more_(new QToolButton),
      special_(new QWidget) {
    const auto form = [](QWidget* of) {
        auto* layout = new QFormLayout(of);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(8);
        layout->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        return layout;
    };
    QFormLayout* layout = form(this);
    for (const SetupField& field : setupFields())
        if (!field.isSpecial) addRow(field, *layout);
    layout->addRow(more_);
    // In a form of their own, so that their long labels leave the other fields their width.
    layout->addRow(special_);
    QFormLayout* special = form(special_);
    for (const SetupField& field : setupFields())
        if (field.isSpecial) addRow(field, *special);
    more_->setObjectName(QStringLiteral("moreSettings"));
    more_->setText(QStringLiteral("Groups, overheads, prices"));
    more_->setToolTip(
        QStringLiteral("How many GPUs divide each layer of new plans, what passes, transfers and GPUs take "
                       "besides what is counted, and what a GPU costs"));
    more_->setCheckable(true);
    more_->setAutoRaise(true);
    more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(more_, &QToolButton::toggled, this, &SetupPanel::showSpecial);
    showSpecial(false);
    countTypedAtRest();
    connect(&workspace_, &Workspace::projectReplaced, this, &SetupPanel::show);
    connect(&workspace_, &Workspace::problemChanged, this, &SetupPanel::show);
    show();
}

void SetupPanel::addRow(const SetupField& field, QFormLayout& form) {
    const Parameter& setting = field.value;
    const QString label = qtText(setting.label);
    Row row{&field, nullptr};
    const auto changed = [this, row = rows_.size()] { apply(rows_[row]); };
    if (std::holds_alternative<bool>(setting.defaultValue)) {
        auto* box = new QCheckBox(label);
        connect(box, &QCheckBox::toggled, this, changed);
        row.widget = box;
    } else if (std::holds_alternative<std::string>(setting.defaultValue)) {
        QComboBox* box = choiceField(field);
        connect(box, &QComboBox::currentIndexChanged, this, changed);
        row.widget = box;
    } else if (std::holds_alternative<int>(setting.defaultValue)) {
        QSpinBox* box = wholeField(setting);
        connect(box, &QSpinBox::valueChanged, this, changed);
        row.widget = box;
    } else {
        QDoubleSpinBox* box = numberField(setting);
        connect(box, &QDoubleSpinBox::valueChanged, this, changed);
        row.widget = box;
    }
    if (auto* box = qobject_cast<QAbstractSpinBox*>(row.widget)) {
        box->setSpecialValueText(qtText(setting.zeroMeans));
        box->setAlignment(Qt::AlignRight);
        box->setKeyboardTracking(false);
    }
    row.widget->setObjectName(qtText(setting.name));
    row.widget->setToolTip(qtText(setting.description));
    if (qobject_cast<QCheckBox*>(row.widget)) {
        form.addRow(row.widget);
    } else {
        form.addRow(label, row.widget);
        behaviour_->applyTo(*row.widget);
    }
    rows_.push_back(row);
}

void SetupPanel::showSpecial(bool shown) {
    special_->setVisible(shown);
    more_->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
}

void SetupPanel::countTypedAtRest() {
    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(restMs);
    connect(rest, &QTimer::timeout, this, [this] {
        for (const Row& row : rows_)
            if (auto* box = qobject_cast<QAbstractSpinBox*>(row.widget))
                if (box->hasFocus() && box->hasAcceptableInput()) box->interpretText();
    });
    for (const Row& row : rows_)
        if (qobject_cast<QAbstractSpinBox*>(row.widget))
            connect(row.widget->findChild<QLineEdit*>(), &QLineEdit::textEdited, rest,
                    qOverload<>(&QTimer::start));
}

void SetupPanel::focusFirst() {
    rows_.front().widget->setFocus();
    if (auto* box = qobject_cast<QAbstractSpinBox*>(rows_.front().widget)) box->selectAll();
}

void SetupPanel::show() {
    showing_ = true;
    const TrainingSetup& setup = workspace_.problem().setup;
    for (const Row& row : rows_) {
        showValue(row.widget, *row.field, row.field->get(setup));
        row.widget->setEnabled(!row.field->applies || row.field->applies(setup));
        // What is set is never out of sight.
        if (row.field->isSpecial && row.field->get(setup) != row.field->value.defaultValue)
            more_->setChecked(true);
    }
    showing_ = false;
}

/// A field may round what it shows: only the one that a person changed has anything to say.
void SetupPanel::apply(const Row& row) {
    if (showing_) return;
    TrainingSetup setup = workspace_.problem().setup;
    row.field->set(setup, valueOf(row.widget, *row.field));
    workspace_.setSetup(setup);
}

}  // namespace stagecraft::app::panels
