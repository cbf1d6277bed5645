#pragma once

#include "app/rooms.h"
#include "core/puzzles/puzzle.h"

#include <QWidget>

class QComboBox;
class QSpinBox;

namespace stagecraft::app::puzzles {

/// The numbers of a custom puzzle.
class SandboxFields : public QWidget {
    Q_OBJECT

public:
    explicit SandboxFields(QWidget* parent = nullptr);
    /// What the fields say; it may have faults (puzzleFaults).
    Puzzle puzzle() const;

signals:
    void puzzleChanged();

private:
    QSpinBox* addNumber(const QString& name, const QString& label, int least, int most, int value);
    void showFitting();

    QSpinBox *devices_, *microbatches_, *chunks_, *forward_, *backward_, *weight_, *transfer_, *memory_;
    QComboBox *kind_ = nullptr, *placement_ = nullptr, *goal_ = nullptr;
};

}  // namespace stagecraft::app::puzzles
