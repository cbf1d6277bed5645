#include "views/plan/plan_message.h"

#include "views/common/text.h"
#include "views/plan/notice.h"

#include <QVBoxLayout>

namespace stagecraft::views::plan {

PlanMessage::PlanMessage(QWidget* parent)
    : QWidget(parent), heading_(new QLabel(this)), reason_(new QLabel(this)) {
    QFont large = heading_->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    heading_->setFont(large);
    reason_->setWordWrap(true);
    reason_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (QLabel* label : {heading_, reason_}) label->setAlignment(Qt::AlignCenter);
    auto* lines = new QVBoxLayout(this);
    lines->setContentsMargins(48, 48, 48, 48);
    lines->addStretch(2);
    lines->addWidget(heading_);
    lines->addSpacing(8);
    lines->addWidget(reason_);
    lines->addStretch(3);
}

void PlanMessage::setRun(const PlanRun* run) {
    if (!run) {
        heading_->setText("No plan yet");
        reason_->setText("Choose a planner and run it to see its schedule here.");
    } else if (!run->ok()) {
        heading_->setText(failureHeading(*run));
        reason_->setText(QString::fromStdString(run->result.reason));
    } else {
        heading_->setText("Preparing the chart");
        reason_->setText(countedText(run->evaluation->timeline.blockCount(), "block"));
    }
}

}  // namespace stagecraft::views::plan
