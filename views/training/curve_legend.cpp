#include "views/training/curve_legend.h"

#include "views/training/policy_style.h"

#include <QEvent>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::views::training {

namespace {

constexpr int entryGap = 4;

}  // namespace

CurveLegend::CurveLegend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void CurveLegend::setPolicies(const std::vector<stagecraft::training::Policy>& policies,
                              const std::set<stagecraft::training::Policy>& hidden) {
    const bool same = std::equal(
        policies.begin(), policies.end(), buttons_.begin(), buttons_.end(),
        [](stagecraft::training::Policy policy, const auto& each) { return policy == each.first; });
    if (!same) {
        for (const auto& [policy, button] : buttons_) button->deleteLater();
        buttons_.clear();
        for (const stagecraft::training::Policy policy : policies) {
            const stagecraft::training::PolicyDescription& about = stagecraft::training::describe(policy);
            auto* button = new QToolButton(this);
            button->setObjectName(QStringLiteral("curve:") + QString::fromStdString(about.id));
            button->setCheckable(true);
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            button->setIconSize(policySampleSize);
            button->setIcon(policySample(policy));
            button->setText(QString::fromStdString(about.title));
            button->setToolTip(QString::fromStdString(about.summary + "\n" + about.source));
            connect(button, &QToolButton::clicked, this,
                    [this, policy](bool shown) { emit toggled(policy, shown); });
            button->show();
            buttons_.emplace_back(policy, button);
        }
        place(width(), true);
        updateGeometry();
    }
    for (const auto& [policy, button] : buttons_) button->setChecked(!hidden.contains(policy));
}

int CurveLegend::place(int width, bool move) const {
    int x = 0, y = 0, row = 0;
    for (const auto& [policy, button] : buttons_) {
        const QSize size = button->sizeHint();
        if (x > 0 && x + size.width() > width) {
            x = 0;
            y += row + entryGap;
        }
        if (move) button->setGeometry(QRect(QPoint(x, y), size));
        x += size.width() + entryGap;
        row = size.height();
    }
    return y + row;
}

int CurveLegend::heightForWidth(int width) const { return place(width, false); }
QSize CurveLegend::sizeHint() const { return {320, place(std::max(320, width()), false)}; }
void CurveLegend::resizeEvent(QResizeEvent*) { place(width(), true); }

void CurveLegend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    for (const auto& [policy, button] : buttons_) button->setIcon(policySample(policy));
}

}  // namespace stagecraft::views::training
