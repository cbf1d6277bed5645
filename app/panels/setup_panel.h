#pragma once

#include "app/document/workspace.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace stagecraft::app {

/// Edits the training setup; every change is an edit of the workspace that can be undone.
class SetupPanel : public QWidget {
    Q_OBJECT

public:
    explicit SetupPanel(Workspace& workspace, QWidget* parent = nullptr);
    void focusFirst();

private:
    void describeFields();
    void connectFields();
    void show();
    void apply();

    Workspace& workspace_;
    QSpinBox* microbatches_;
    QComboBox* mode_;
    QComboBox* optimizer_;
    QComboBox* channel_;
    QDoubleSpinBox* memoryLimit_;
    QCheckBox* overlaps_;
    bool showing_ = false;
};

}  // namespace stagecraft::app
