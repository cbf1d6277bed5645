#include "app/panels/parameter_form.h"

#include "app/panels/field_habits.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QSpinBox>

namespace stagecraft {

ParameterForm::ParameterForm(const std::vector<Parameter>& parameters, QWidget* parent)
    : QWidget(parent), values_(defaultValues(parameters)) {
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    // Labels stand above their fields: the panel is narrow, and labels are as long as they have to be.
    layout->setRowWrapPolicy(QFormLayout::WrapAllRows);
    auto* habits = new FieldHabits(this);
    for (const Parameter& parameter : parameters) {
        QWidget* field = fieldFor(parameter);
        field->setObjectName(QString::fromStdString(parameter.name));
        field->setToolTip(QString::fromStdString(parameter.description));
        habits->applyTo(*field);
        const QString label = QString::fromStdString(parameter.label);
        // A check box carries its label itself.
        if (std::holds_alternative<bool>(parameter.defaultValue)) {
            static_cast<QCheckBox*>(field)->setText(label);
            layout->addRow(field);
        } else {
            layout->addRow(label, field);
        }
    }
}

QWidget* ParameterForm::fieldFor(const Parameter& parameter) {
    ParameterValue& value = values_.at(parameter.name);
    if (const bool* chosen = std::get_if<bool>(&value)) {
        auto* box = new QCheckBox;
        box->setChecked(*chosen);
        connect(box, &QCheckBox::toggled, this, [&value](bool on) { value = on; });
        return box;
    }
    if (const int* chosen = std::get_if<int>(&value)) {
        auto* box = new QSpinBox;
        box->setRange(static_cast<int>(parameter.minimum), static_cast<int>(parameter.maximum));
        box->setValue(*chosen);
        box->setAlignment(Qt::AlignRight);
        connect(box, &QSpinBox::valueChanged, this, [&value](int number) { value = number; });
        return box;
    }
    if (const double* chosen = std::get_if<double>(&value)) {
        auto* box = new QDoubleSpinBox;
        box->setDecimals(4);
        box->setRange(parameter.minimum, parameter.maximum);
        box->setValue(*chosen);
        box->setAlignment(Qt::AlignRight);
        connect(box, &QDoubleSpinBox::valueChanged, this, [&value](double number) { value = number; });
        return box;
    }
    auto* box = new QComboBox;
    for (const std::string& choice : parameter.choices) box->addItem(QString::fromStdString(choice));
    box->setCurrentText(QString::fromStdString(std::get<std::string>(value)));
    connect(box, &QComboBox::currentTextChanged, this,
            [&value](const QString& text) { value = text.toStdString(); });
    return box;
}

}  // namespace stagecraft
