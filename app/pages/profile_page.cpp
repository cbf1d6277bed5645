#include "app/pages/profile_page.h"

#include "app/panels/empty_panel.h"
#include "views/profile/profile_view.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace stagecraft::app::pages {

ProfilePage::ProfilePage(Workspace& workspace, QWidget* parent)
    : Page({QStringLiteral("profile"), "profile", tr("Profile"), tr("&Profile"), 2}, parent),
      workspace_(workspace),
      pages_(new QStackedWidget(this)) {
    auto* empty = new EmptyPanel(tr("No profile yet"),
                                 tr("Generate one from the model zoo, or open a layer profile, a "
                                    "PipeDream graph.txt\nor an ONNX model, or drop one here."),
                                 tr("Generate profile…"), tr("Open profile…"), pages_);
    empty->setObjectName(QStringLiteral("emptyProfile"));
    connect(empty, &EmptyPanel::accepted, this,
            [this] { emit actionRequested(QStringLiteral("profile.generate")); });
    connect(empty, &EmptyPanel::otherAccepted, this,
            [this] { emit actionRequested(QStringLiteral("profile.replace")); });
    pages_->addWidget(empty);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(pages_);
}

ProfileView* ProfilePage::view() {
    if (view_) return view_;
    view_ = new ProfileView(pages_);
    connect(view_, &ProfileView::profileEdited, &workspace_, &Workspace::editProfile);
    pages_->addWidget(view_);
    return view_;
}

void ProfilePage::problemChanged(unsigned parts) { stale_ = stale_ || (parts & profilePart); }

void ProfilePage::bringUpToDate(const PlanItem* plan) {
    const LayerProfile& profile = workspace_.problem().profile;
    if (profile.layers.empty() && !view_) return;
    if (stale_) view()->setProfile(profile, replaced_);
    stale_ = replaced_ = false;
    pages_->setCurrentIndex(profile.layers.empty() ? 0 : 1);
    // While its run is worked out again a plan stays in view, so that nothing flickers.
    view_->setPlan(plan && plan->isPlan() ? std::optional(plan->plan) : std::nullopt);
}

QWidget* ProfilePage::focusTarget() { return pages_->currentWidget(); }

}  // namespace stagecraft::app::pages
