#pragma once

#include "app/rooms.h"
#include "core/base/parameters.h"

#include <QWidget>

class QLineEdit;

namespace stagecraft::app::panels {

/// Fields for parameters, made from their descriptions alone. Numbers with a unit are typed with it.
class ParameterForm : public QWidget {
    Q_OBJECT

public:
    explicit ParameterForm(const std::vector<Parameter>& parameters, QWidget* parent = nullptr);
    ~ParameterForm() override;
    /// Starting from values other than the defaults; those that are missing have their default.
    ParameterForm(const std::vector<Parameter>& parameters, const ParameterValues& values,
                  QWidget* parent = nullptr);
    /// The last value of each field that could be read.
    const ParameterValues& values() const { return values_; }
    /// Shows another value without a signal, unless a person is typing there.
    void setValue(const std::string& name, const ParameterValue& value);

signals:
    /// A value was changed by a person. A text that cannot be read is marked in its place, and changes
    /// nothing.
    void changed();

private:
    QWidget* fieldFor(const Parameter& parameter);
    QWidget* lineFor(const Parameter& parameter);
    QWidget* choiceFor(const Parameter& parameter);
    /// A line with a button beside it that looks for the file.
    QWidget* withFileButton(QLineEdit* line, const Parameter& parameter);
    /// @return why not, where the text cannot be read; empty if it was taken
    QString take(const Parameter& parameter, const QString& text);

    const std::vector<Parameter> parameters_;
    ParameterValues values_;
};

}  // namespace stagecraft::app::panels
