#pragma once

#include "app/document/workspace.h"

#include <QWidget>

#include <vector>

class QFormLayout;
class QToolButton;

namespace stagecraft::model {
struct SetupField;
}

namespace stagecraft::app::panels {

class FieldBehaviour;

/// Edits the training setup, a row for each of setupFields(); every change is an edit of the workspace that
/// can be undone.
class SetupPanel : public QWidget {
    Q_OBJECT

public:
    explicit SetupPanel(Workspace& workspace, QWidget* parent = nullptr);
    void focusFirst();

private:
    struct Row {
        const model::SetupField* field;
        QWidget* widget;
    };

    void addRow(const model::SetupField& field, QFormLayout& form);
    /// The rows of what few people change.
    void showSpecial(bool shown);
    /// What is typed counts once the hand rests, without Return; each digit alone would be planned for.
    void countTypedAtRest();
    void show();
    void apply(const Row& row);

    Workspace& workspace_;
    FieldBehaviour* behaviour_;
    std::vector<Row> rows_;
    QToolButton* more_;
    QWidget* special_;  ///< what `more_` shows
    bool showing_ = false;
};

}  // namespace stagecraft::app::panels
