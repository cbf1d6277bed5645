#pragma once

#include "app/rooms.h"
#include "core/model/setup_fields.h"

#include <QWidget>

#include <string>
#include <vector>

namespace stagecraft::app::start {

/// A few fields of the training setup, before there is a project.
class SetupFieldsForm : public QWidget {
    Q_OBJECT

public:
    /// @param names of setupFields(): whole numbers and choices @param start what they show at first
    SetupFieldsForm(const std::vector<std::string>& names, const TrainingSetup& start,
                    QWidget* parent = nullptr);
    /// Of its fields.
    ParameterValues values() const;
    /// Shows these values where it has a field for them; changed() follows if any is another.
    void setSetup(const TrainingSetup& setup);

signals:
    void changed();

private:
    std::vector<std::pair<std::string, QWidget*>> fields_;
};

}  // namespace stagecraft::app::start
