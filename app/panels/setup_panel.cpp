#include "app/panels/setup_panel.h"

#include "app/panels/field_habits.h"
#include "core/base/units.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QTimer>

namespace stagecraft::app {
namespace {

constexpr int mostMicrobatches = 1'000'000;
constexpr double mostGib = 1e6;
constexpr int restMs = 500;

}  // namespace

SetupPanel::SetupPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      microbatches_(new QSpinBox),
      mode_(new QComboBox),
      optimizer_(new QComboBox),
      channel_(new QComboBox),
      memoryLimit_(new QDoubleSpinBox),
      overlaps_(new QCheckBox(tr("AllReduce overlaps"))) {
    describeFields();
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    layout->addRow(tr("Microbatches"), microbatches_);
    layout->addRow(tr("Mode"), mode_);
    layout->addRow(tr("Optimizer"), optimizer_);
    layout->addRow(tr("Channels"), channel_);
    layout->addRow(tr("Memory limit"), memoryLimit_);
    layout->addRow(overlaps_);
    connectFields();
    connect(&workspace_, &Workspace::projectReplaced, this, &SetupPanel::show);
    connect(&workspace_, &Workspace::problemChanged, this, &SetupPanel::show);
    show();
}

void SetupPanel::describeFields() {
    microbatches_->setObjectName(QStringLiteral("microbatches"));
    microbatches_->setRange(1, mostMicrobatches);
    microbatches_->setAlignment(Qt::AlignRight);
    microbatches_->setKeyboardTracking(false);
    microbatches_->setToolTip(tr("M: microbatches of an iteration"));
    mode_->setObjectName(QStringLiteral("mode"));
    mode_->addItems({tr("synchronous"), tr("asynchronous")});
    mode_->setToolTip(tr("Synchronous: an update at the end of each iteration, before the next begins"));
    optimizer_->setObjectName(QStringLiteral("optimizer"));
    optimizer_->addItems({tr("SGD"), tr("momentum"), tr("Adam")});
    optimizer_->setToolTip(tr("Its state takes 0, 1 or 2 times the bytes of the parameters"));
    channel_->setObjectName(QStringLiteral("channel"));
    channel_->addItems({tr("full duplex"), tr("half duplex"), tr("half duplex, FIFO")});
    channel_->setToolTip(
        tr("How transfers share the links between two stages. Full duplex: one in each direction; "
           "half duplex: one at a time, in the order of the schedule or first come first served"));
    memoryLimit_->setObjectName(QStringLiteral("memoryLimit"));
    memoryLimit_->setRange(0, mostGib);
    memoryLimit_->setDecimals(2);
    memoryLimit_->setSuffix(tr(" GiB"));
    memoryLimit_->setSpecialValueText(tr("the GPUs' own"));
    memoryLimit_->setAlignment(Qt::AlignRight);
    memoryLimit_->setKeyboardTracking(false);
    memoryLimit_->setToolTip(tr("Overrides the memory of every GPU; 0: as the cluster has it"));
    overlaps_->setObjectName(QStringLiteral("allreduceOverlaps"));
    overlaps_->setToolTip(
        tr("A stage's AllReduce starts after its own last backward, not after those of all stages"));
}

void SetupPanel::connectFields() {
    for (QComboBox* box : {mode_, optimizer_, channel_})
        connect(box, &QComboBox::currentIndexChanged, this, &SetupPanel::apply);
    auto* habits = new FieldHabits(this);
    for (QWidget* field : {static_cast<QWidget*>(microbatches_), static_cast<QWidget*>(mode_),
                           static_cast<QWidget*>(optimizer_), static_cast<QWidget*>(channel_),
                           static_cast<QWidget*>(memoryLimit_)})
        habits->applyTo(*field);
    connect(microbatches_, &QSpinBox::valueChanged, this, &SetupPanel::apply);
    connect(memoryLimit_, &QDoubleSpinBox::valueChanged, this, &SetupPanel::apply);
    connect(overlaps_, &QCheckBox::toggled, this, &SetupPanel::apply);
    // What is typed counts once the hand rests, without Return; each digit alone would be planned for.
    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(restMs);
    connect(rest, &QTimer::timeout, this, [this] {
        for (QAbstractSpinBox* box :
             {static_cast<QAbstractSpinBox*>(microbatches_), static_cast<QAbstractSpinBox*>(memoryLimit_)})
            if (box->hasFocus() && box->hasAcceptableInput()) box->interpretText();
    });
    for (QWidget* box : {static_cast<QWidget*>(microbatches_), static_cast<QWidget*>(memoryLimit_)})
        connect(box->findChild<QLineEdit*>(), &QLineEdit::textEdited, rest, qOverload<>(&QTimer::start));
}

void SetupPanel::focusFirst() {
    microbatches_->setFocus();
    microbatches_->selectAll();
}

void SetupPanel::show() {
    showing_ = true;
    const TrainingSetup& setup = workspace_.problem().setup;
    microbatches_->setValue(setup.microbatches);
    mode_->setCurrentIndex(static_cast<int>(setup.mode));
    optimizer_->setCurrentIndex(static_cast<int>(setup.optimizer));
    channel_->setCurrentIndex(static_cast<int>(setup.channel));
    memoryLimit_->setValue(setup.memoryLimitBytes.value_or(0) / gib);
    overlaps_->setChecked(setup.allreduceOverlaps);
    showing_ = false;
}

void SetupPanel::apply() {
    if (showing_) return;
    const TrainingSetup& old = workspace_.problem().setup;
    TrainingSetup setup = old;
    setup.microbatches = microbatches_->value();
    setup.mode = static_cast<TrainingMode>(mode_->currentIndex());
    setup.optimizer = static_cast<Optimizer>(optimizer_->currentIndex());
    setup.channel = static_cast<ChannelMode>(channel_->currentIndex());
    setup.allreduceOverlaps = overlaps_->isChecked();
    // The field rounds to hundredths of a GiB: only what a person changed there may change the limit.
    if (sender() == memoryLimit_) {
        setup.memoryLimitBytes.reset();
        if (memoryLimit_->value() > 0) setup.memoryLimitBytes = memoryLimit_->value() * gib;
    }
    workspace_.setSetup(setup);
}

}  // namespace stagecraft::app
