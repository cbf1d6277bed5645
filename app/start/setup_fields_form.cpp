#include "app/start/setup_fields_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QSpinBox>

#include <algorithm>

namespace stagecraft::app::start {
namespace {

QWidget* widgetFor(const SetupField& field) {
    if (field.value.choices.empty()) {
        auto* box = new QSpinBox;
        box->setRange(static_cast<int>(field.value.minimum), static_cast<int>(field.value.maximum));
        box->setAlignment(Qt::AlignRight);
        return box;
    }
    auto* box = new QComboBox;
    for (std::size_t i = 0; i < field.value.choices.size(); ++i)
        box->addItem(QString::fromStdString(field.choiceLabels[i]),
                     QString::fromStdString(field.value.choices[i]));
    return box;
}

}  // namespace

SetupFieldsForm::SetupFieldsForm(const std::vector<std::string>& names, const TrainingSetup& start,
                                 QWidget* parent)
    : QWidget(parent) {
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->setRowWrapPolicy(QFormLayout::WrapAllRows);
    for (const SetupField& field : setupFields()) {
        if (std::ranges::find(names, field.value.name) == names.end()) continue;
        QWidget* widget = widgetFor(field);
        widget->setObjectName(QStringLiteral("setup:") + QString::fromStdString(field.value.name));
        widget->setToolTip(QString::fromStdString(field.value.description));
        layout->addRow(QString::fromStdString(field.value.label), widget);
        fields_.emplace_back(field.value.name, widget);
    }
    setSetup(start);
    for (const auto& [name, widget] : fields_) {
        if (auto* box = qobject_cast<QSpinBox*>(widget))
            connect(box, &QSpinBox::valueChanged, this, &SetupFieldsForm::changed);
        if (auto* box = qobject_cast<QComboBox*>(widget))
            connect(box, &QComboBox::currentIndexChanged, this, &SetupFieldsForm::changed);
    }
}

ParameterValues SetupFieldsForm::values() const {
    ParameterValues values;
    for (const auto& [name, widget] : fields_) {
        if (const auto* box = qobject_cast<const QSpinBox*>(widget)) values[name] = box->value();
        if (const auto* box = qobject_cast<const QComboBox*>(widget))
            values[name] = box->currentData().toString().toStdString();
    }
    return values;
}

void SetupFieldsForm::setSetup(const TrainingSetup& setup) {
    for (const SetupField& field : setupFields())
        for (const auto& [name, widget] : fields_) {
            if (name != field.value.name) continue;
            const ParameterValue value = field.get(setup);
            if (auto* box = qobject_cast<QSpinBox*>(widget)) box->setValue(std::get<int>(value));
            if (auto* box = qobject_cast<QComboBox*>(widget))
                box->setCurrentIndex(box->findData(QString::fromStdString(std::get<std::string>(value))));
        }
}

}  // namespace stagecraft::app::start
