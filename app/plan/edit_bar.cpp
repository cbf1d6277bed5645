#include "app/plan/edit_bar.h"

#include "views/common/widgets.h"
#include "views/strip/partition_strip.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QStyle>
#include <QToolButton>

namespace stagecraft::app::plan {

namespace {

const QString shownKey = QStringLiteral("plan/partition");

}  // namespace

EditBar::EditBar(QWidget* parent)
    : QWidget(parent),
      strip_(new PartitionStrip),
      fold_(new QToolButton),
      pipelines_(new QComboBox),
      words_(new ElidedLabel),
      behind_(new QLabel),
      order_(new QToolButton),
      schedule_(new QToolButton),
      whatIf_(new QToolButton) {
    setObjectName(QStringLiteral("editBar"));
    layOut();
    setStripShown(QSettings().value(shownKey, true).toBool());
    connect(fold_, &QToolButton::clicked, this, &EditBar::fold);
    connect(pipelines_, &QComboBox::activated, strip_, &PartitionStrip::setPipeline);
    setText({});
}

void EditBar::layOut() {
    fold_->setObjectName(QStringLiteral("foldPartition"));
    fold_->setText(tr("Partition"));
    fold_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    fold_->setAutoRaise(true);
    fold_->setFocusPolicy(Qt::TabFocus);
    pipelines_->setObjectName(QStringLiteral("pipelineShown"));
    pipelines_->setAccessibleName(tr("Copy of the network"));
    pipelines_->hide();
    words_->setObjectName(QStringLiteral("editEffect"));
    behind_->setObjectName(QStringLiteral("editBehind"));
    behind_->setProperty("role", "muted");
    behind_->setToolTip(tr("What is shown is older than what was asked; the newest is being simulated"));
    // Nothing moves when it comes and goes.
    behind_->setFixedWidth(behind_->fontMetrics().horizontalAdvance(tr("updating…")) + 8);
    const auto button = [](QToolButton* it, const char* name, const QString& text, const QString& tip) {
        it->setObjectName(QLatin1String(name));
        it->setText(text);
        it->setToolTip(tip);
        it->setCheckable(true);
        it->setFocusPolicy(Qt::TabFocus);
    };
    button(
        order_, "editOrder", tr("Edit order"),
        tr("Drag blocks to another place in the order of their lane; without this, Ctrl+Shift+Drag does it"));
    button(schedule_, "schedule", tr("Schedule"),
           tr("The same partition under GPipe, 1F1B, zero bubble and other schedules"));
    button(whatIf_, "whatIf", tr("What if"),
           tr("Sliders for microbatches, bandwidth, layer times and the memory limit"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(fold_);
    row->addWidget(pipelines_);
    row->addSpacing(8);
    row->addWidget(words_, 1);
    row->addWidget(behind_);
    row->addWidget(schedule_);
    row->addWidget(order_);
    row->addWidget(whatIf_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 4, 8, 0);
    column->setSpacing(2);
    column->addLayout(row);
    column->addWidget(strip_);
}

void EditBar::setPipelines(int count) {
    if (count == pipelines_->count()) return;
    pipelines_->clear();
    for (int copy = 0; copy < count; ++copy) pipelines_->addItem(tr("copy %1 of %2").arg(copy).arg(count));
    pipelines_->setVisible(count > 1);
    pipelines_->setCurrentIndex(strip_->pipeline());
}

void EditBar::fold() {
    setStripShown(!stripShown());
    QSettings().setValue(shownKey, stripShown());
}

bool EditBar::stripShown() const { return !strip_->isHidden(); }

void EditBar::setStripShown(bool shown) {
    strip_->setVisible(shown);
    fold_->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
    fold_->setToolTip(shown ? tr("Hide the partition")
                            : tr("Show which layers are on which GPUs, to be changed by dragging"));
}

void EditBar::setText(const QString& text, Tone tone) {
    const char* role = tone == Tone::refusal ? "error" : text.isEmpty() ? "muted" : "";
    if (words_->property("role").toString() != QLatin1String(role)) {
        words_->setProperty("role", role);
        words_->style()->unpolish(words_);
        words_->style()->polish(words_);
    }
    const QString hint = order_->isChecked()
                             ? tr("Drag a block along its lane, or select one and press Ctrl+← or Ctrl+→")
                             : tr("Drag a boundary or a GPU; right-click for more");
    words_->setWhole(text.isEmpty() ? hint : text);
}

const QString& EditBar::text() const { return words_->whole(); }

void EditBar::setBehind(bool behind) { behind_->setText(behind ? tr("updating…") : QString()); }

void EditBar::showEvent(QShowEvent* event) {
    setStripShown(QSettings().value(shownKey, true).toBool());
    QWidget::showEvent(event);
}

}  // namespace stagecraft::app::plan
