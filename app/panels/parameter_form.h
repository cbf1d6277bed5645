#pragma once

#include "core/model/parameters.h"

#include <QWidget>

namespace stagecraft {

/// Fields for parameters, made from their descriptions alone.
class ParameterForm : public QWidget {
    Q_OBJECT

public:
    explicit ParameterForm(const std::vector<Parameter>& parameters, QWidget* parent = nullptr);
    const ParameterValues& values() const { return values_; }

private:
    QWidget* fieldFor(const Parameter& parameter);
    ParameterValues values_;
};

}  // namespace stagecraft
