#include "app/puzzles/sandbox_fields.h"

#include "views/common/flow_layout.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>

namespace stagecraft::app::puzzles {

namespace {

constexpr int fieldSpacing = 8;

/// A label and its field, which stay together where rows break.
QWidget* labelled(const QString& label, QWidget* field) {
    auto* pair = new QWidget;
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    auto* text = new QLabel(label);
    text->setBuddy(field);
    row->addWidget(text);
    row->addWidget(field);
    return pair;
}

QComboBox* choices(const QString& name, const QStringList& entries) {
    auto* box = new QComboBox;
    box->setObjectName(name);
    box->addItems(entries);
    return box;
}

}  // namespace

SandboxFields::SandboxFields(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("sandboxFields"));
    auto* row = new FlowLayout(fieldSpacing, this);
    row->setContentsMargins(0, 0, 0, 0);
    devices_ = addNumber(QStringLiteral("sandboxDevices"), tr("GPUs"), 1, mostPuzzleDevices, 4);
    microbatches_ =
        addNumber(QStringLiteral("sandboxMicrobatches"), tr("Microbatches"), 1, mostPuzzleMicrobatches, 4);
    chunks_ = addNumber(QStringLiteral("sandboxChunks"), tr("Chunks per GPU"), 1, mostPuzzleChunks, 1);
    placement_ = choices(QStringLiteral("sandboxPlacement"), {tr("round the ring"), tr("in a V")});
    row->addWidget(labelled(tr("placed"), placement_));
    kind_ = choices(QStringLiteral("sandboxKind"), {tr("whole"), tr("split")});
    row->addWidget(labelled(tr("Backwards"), kind_));
    forward_ = addNumber(QStringLiteral("sandboxForward"), tr("Forward"), 1, mostPuzzleTime, 1);
    backward_ = addNumber(QStringLiteral("sandboxBackward"), tr("Backward"), 1, mostPuzzleTime, 2);
    weight_ = addNumber(QStringLiteral("sandboxWeight"), tr("of it weight gradient"), 1, mostPuzzleTime, 1);
    transfer_ = addNumber(QStringLiteral("sandboxTransfer"), tr("Transfer"), 0, mostPuzzleTime, 0);
    memory_ = addNumber(QStringLiteral("sandboxMemory"), tr("Memory limit"), 0,
                        mostPuzzleMicrobatches * mostPuzzleChunks, 0);
    memory_->setSpecialValueText(tr("none"));
    goal_ = choices(QStringLiteral("sandboxGoal"), {tr("time"), tr("span of a GPU")});
    row->addWidget(labelled(tr("Par counts"), goal_));
    for (QComboBox* box : {placement_, kind_, goal_})
        connect(box, &QComboBox::currentIndexChanged, this, [this] {
            showFitting();
            emit puzzleChanged();
        });
    showFitting();
}

QSpinBox* SandboxFields::addNumber(const QString& name, const QString& label, int least, int most,
                                   int value) {
    auto* box = new QSpinBox;
    box->setObjectName(name);
    box->setRange(least, most);
    box->setValue(value);
    layout()->addWidget(labelled(label, box));
    connect(box, &QSpinBox::valueChanged, this, [this] {
        showFitting();
        emit puzzleChanged();
    });
    return box;
}

/// Fields that mean nothing here are away.
void SandboxFields::showFitting() {
    if (!goal_) return;
    placement_->parentWidget()->setVisible(chunks_->value() == 2);
    weight_->parentWidget()->setVisible(kind_->currentIndex() == 1);
}

Puzzle SandboxFields::puzzle() const {
    Puzzle puzzle;
    puzzle.devices = devices_->value();
    puzzle.microbatches = microbatches_->value();
    puzzle.chunks = chunks_->value();
    puzzle.placement = puzzle.chunks == 1                                      ? Placement::onePerRank
                       : puzzle.chunks == 2 && placement_->currentIndex() == 1 ? Placement::vee
                                                                               : Placement::ring;
    puzzle.split = kind_->currentIndex() == 1;
    puzzle.times = {{forward_->value(), backward_->value(), puzzle.split ? weight_->value() : 1}};
    puzzle.transfer = transfer_->value();
    puzzle.memoryLimit = memory_->value();
    puzzle.goal = goal_->currentIndex() == 1 ? PuzzleGoal::span : PuzzleGoal::makespan;
    return puzzle;
}

}  // namespace stagecraft::app::puzzles
