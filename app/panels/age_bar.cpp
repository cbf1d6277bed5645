#include "app/panels/age_bar.h"

#include "core/planners/planned_run.h"
#include "core/runs/seen_problem.h"
#include "core/runs/standing.h"
#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace stagecraft::app::panels {

AgeBar::AgeBar(const Workspace& workspace, int planId, QWidget* parent)
    : QFrame(parent), workspace_(workspace), planId_(planId), text_(new QLabel), again_(new QPushButton) {
    setObjectName(QStringLiteral("ageBar"));
    text_->setWordWrap(true);
    text_->setMinimumWidth(0);
    text_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    again_->setText(tr("Plan again"));
    again_->setObjectName(QStringLiteral("planAgain"));
    again_->setToolTip(tr("Plans every plan that is out of date again, each with its own parameters"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 6, 8, 6);
    row->setSpacing(8);
    row->addWidget(text_, 1);
    row->addWidget(again_);
    connect(again_, &QPushButton::clicked, this, &AgeBar::planAgainRequested);
    for (const auto signal : {&Workspace::projectReplaced, &Workspace::plansChanged})
        connect(&workspace_, signal, this, &AgeBar::refresh);
    connect(&workspace_, &Workspace::problemChanged, this, &AgeBar::refresh);
    refresh();
}

QString AgeBar::text() const { return text_->text(); }

QString AgeBar::sentence() const {
    if (const PlanItem* item = workspace_.plan(planId_)) {
        // Each plan's page has a bar, and nearly all of them say nothing.
        if (workspace_.ageOf(*item) == PlanAge::current) return {};
        PlanRun run;
        run.result.plan = item->plan;
        run.result.reason = item->reason;
        setAge(run, item->origin.plannedFor,
               workspace_.seenProblem().by(makerOf(item->plan.planner), item->origin.plannedFor));
        return isCompared(run) ? QString() : QString::fromStdString(standingSentence(run));
    }
    const std::vector<int> aged = workspace_.agedPlans();
    if (planId_ != 0 || aged.empty()) return {};
    const int other = static_cast<int>(std::count_if(aged.begin(), aged.end(), [this](int id) {
        return workspace_.ageOf(*workspace_.plan(id)) == PlanAge::otherProfile;
    }));
    QString text = aged.size() == 1
                       ? tr("1 plan was made for another problem; it is not compared with the others.")
                       : tr("%1 plans were made for another problem; they are not compared with the others.")
                             .arg(aged.size());
    if (other == 1) text += ' ' + tr("1 of them belongs to another profile.");
    if (other > 1) text += ' ' + tr("%1 of them belong to another profile.").arg(other);
    return text;
}

bool AgeBar::canPlanAgain() const {
    if (planId_ == 0) return !workspace_.plansToPlanAgain().empty();
    const PlanItem* item = workspace_.plan(planId_);
    return item && findPlanner(item->plan.planner);
}

void AgeBar::refresh() {
    const QString text = sentence();
    text_->setText(text);
    again_->setVisible(!text.isEmpty() && canPlanAgain());
    setVisible(!text.isEmpty());
}

void AgeBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    QColor wash = theme.warning;
    wash.setAlpha(28);
    painter.fillRect(rect(), theme.surface);
    painter.fillRect(rect(), wash);
    painter.fillRect(0, 0, 4, height(), theme.warning);
}

}  // namespace stagecraft::app::panels
