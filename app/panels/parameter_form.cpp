#include "app/panels/parameter_form.h"

#include "app/panels/field_behaviour.h"
#include "core/editing/choice_label.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>

#include <algorithm>
#include <stdexcept>

namespace stagecraft::app::panels {

ParameterForm::ParameterForm(const std::vector<Parameter>& parameters, QWidget* parent)
    : ParameterForm(parameters, {}, parent) {}

ParameterForm::~ParameterForm() { stopListeningToChildren(*this); }

ParameterForm::ParameterForm(const std::vector<Parameter>& parameters, const ParameterValues& values,
                             QWidget* parent)
    : QWidget(parent), parameters_(parameters), values_(defaultValues(parameters)) {
    for (const auto& [name, value] : values)
        if (values_.contains(name)) values_[name] = value;
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    // Labels are above their fields: the panel is narrow, and labels are as long as they have to be.
    layout->setRowWrapPolicy(QFormLayout::WrapAllRows);
    auto* behaviour = new FieldBehaviour(this);
    for (const Parameter& parameter : parameters_) {
        QWidget* field = fieldFor(parameter);
        field->setObjectName(QString::fromStdString(parameter.name));
        field->setToolTip(QString::fromStdString(parameter.description));
        behaviour->applyTo(*field);
        if (parameter.isFile) field = withFileButton(static_cast<QLineEdit*>(field), parameter);
        const QString label = QString::fromStdString(parameter.label);
        // A check box carries its label itself.
        if (std::holds_alternative<bool>(parameter.defaultValue)) {
            static_cast<QCheckBox*>(field)->setText(label);
            layout->addRow(field);
        } else {
            auto* words = new QLabel(label, this);
            words->setBuddy(field);
            layout->addRow(words, field);
        }
    }
}

QWidget* ParameterForm::fieldFor(const Parameter& parameter) {
    ParameterValue& value = values_.at(parameter.name);
    if (const bool* chosen = std::get_if<bool>(&value)) {
        auto* box = new QCheckBox(this);
        box->setChecked(*chosen);
        connect(box, &QCheckBox::toggled, this, [this, &value](bool on) {
            value = on;
            emit changed();
        });
        return box;
    }
    if (const int* chosen = std::get_if<int>(&value)) {
        auto* box = new QSpinBox(this);
        box->setRange(static_cast<int>(parameter.minimum), static_cast<int>(parameter.maximum));
        // Qt shows it at the minimum.
        if (parameter.minimum == 0) box->setSpecialValueText(QString::fromStdString(parameter.zeroMeans));
        box->setValue(*chosen);
        box->setAlignment(Qt::AlignRight);
        connect(box, &QSpinBox::valueChanged, this, [this, &value](int number) {
            value = number;
            emit changed();
        });
        return box;
    }
    if (const double* chosen = std::get_if<double>(&value)) {
        if (parameter.quantity != Quantity::plain) return lineFor(parameter);
        auto* box = new QDoubleSpinBox(this);
        box->setDecimals(4);
        box->setRange(parameter.minimum, parameter.maximum);
        box->setValue(*chosen);
        box->setAlignment(Qt::AlignRight);
        connect(box, &QDoubleSpinBox::valueChanged, this, [this, &value](double number) {
            value = number;
            emit changed();
        });
        return box;
    }
    return parameter.choices.empty() ? lineFor(parameter) : choiceFor(parameter);
}

void ParameterForm::setValue(const std::string& name, const ParameterValue& value) {
    const auto known = values_.find(name);
    if (known == values_.end() || known->second == value) return;
    known->second = value;
    const Parameter& parameter = *std::find_if(parameters_.begin(), parameters_.end(),
                                               [&](const Parameter& each) { return each.name == name; });
    auto* field = findChild<QWidget*>(QString::fromStdString(name));
    const QSignalBlocker quiet(field);
    const QString text = QString::fromStdString(toText(parameter, value));
    if (auto* check = qobject_cast<QCheckBox*>(field)) check->setChecked(std::get<bool>(value));
    if (auto* box = qobject_cast<QSpinBox*>(field)) box->setValue(std::get<int>(value));
    if (auto* box = qobject_cast<QDoubleSpinBox*>(field)) box->setValue(std::get<double>(value));
    const auto isTyping = [](const QLineEdit* line) {
        return line && line->hasFocus() && line->isModified();
    };
    if (auto* box = qobject_cast<QComboBox*>(field); box && !isTyping(box->lineEdit())) {
        box->setCurrentIndex(box->findData(text));
        if (box->isEditable()) box->setEditText(text);
    }
    if (auto* line = qobject_cast<QLineEdit*>(field); line && !isTyping(line)) line->setText(text);
}

QWidget* ParameterForm::lineFor(const Parameter& parameter) {
    auto* line = new QLineEdit(QString::fromStdString(toText(parameter, values_.at(parameter.name))), this);
    if (std::holds_alternative<double>(parameter.defaultValue)) line->setAlignment(Qt::AlignRight);
    connect(line, &QLineEdit::editingFinished, this, [this, line, &parameter] {
        const QString error = take(parameter, line->text());
        line->setProperty("invalid", !error.isEmpty());
        line->setToolTip(error.isEmpty() ? QString::fromStdString(parameter.description) : error);
        line->style()->unpolish(line);
        line->style()->polish(line);
    });
    return line;
}

QWidget* ParameterForm::withFileButton(QLineEdit* line, const Parameter& parameter) {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto* button = new QPushButton(tr("Browse…"));
    button->setAutoDefault(false);
    button->setAccessibleName(tr("Browse for %1").arg(QString::fromStdString(parameter.label)));
    line->setPlaceholderText(tr("none"));
    layout->addWidget(line, 1);
    layout->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, line, &parameter] {
        const QString chosen = QFileDialog::getOpenFileName(this, QString::fromStdString(parameter.label),
                                                            QFileInfo(line->text()).absolutePath());
        if (chosen.isEmpty()) return;
        line->setText(chosen);
        emit line->editingFinished();
    });
    return row;
}

QWidget* ParameterForm::choiceFor(const Parameter& parameter) {
    auto* box = new QComboBox(this);
    // What may be typed is shown as it is typed, all else by its name.
    for (const std::string& choice : parameter.choices)
        box->addItem(QString::fromStdString(parameter.othersToo ? choice : choiceLabel(choice)),
                     QString::fromStdString(choice));
    box->setEditable(parameter.othersToo);
    box->setInsertPolicy(QComboBox::NoInsert);
    const QString chosen = QString::fromStdString(std::get<std::string>(values_.at(parameter.name)));
    box->setCurrentIndex(box->findData(chosen));
    if (parameter.othersToo) box->setEditText(chosen);
    const auto taken = [this, box, &parameter] {
        take(parameter, parameter.othersToo ? box->currentText() : box->currentData().toString());
    };
    if (parameter.othersToo) connect(box->lineEdit(), &QLineEdit::editingFinished, this, taken);
    connect(box, &QComboBox::currentIndexChanged, this, taken);
    return box;
}

QString ParameterForm::take(const Parameter& parameter, const QString& text) {
    try {
        ParameterValue read = readParameter(parameter, text.toStdString());
        ParameterValue& value = values_.at(parameter.name);
        if (read == value) return {};
        value = std::move(read);
        emit changed();
        return {};
    } catch (const std::invalid_argument& error) {
        return QString::fromStdString(error.what());
    }
}

}  // namespace stagecraft::app::panels
