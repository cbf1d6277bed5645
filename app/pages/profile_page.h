#pragma once

#include "app/pages/page.h"

class QStackedWidget;

namespace stagecraft::views::profile {
class ProfileView;
}

namespace stagecraft::app::pages {

/// The tab with the layers of the network, and with the stages of the plan in view.
class ProfilePage : public Page {
    Q_OBJECT

public:
    explicit ProfilePage(Workspace& workspace, QWidget* parent = nullptr);

    /// Made when it is first asked for, or the page shows a profile.
    ProfileView* view();

    void projectReplaced() override { stale_ = replaced_ = true; }
    void problemChanged(unsigned parts) override;
    void bringUpToDate(const PlanItem* plan) override;
    std::vector<FigureSource> figures(const PlanItem*) const override { return {}; }
    bool hasFigures() const override { return false; }
    QWidget* focusTarget() override;

private:
    Workspace& workspace_;
    ProfileView* view_ = nullptr;
    QStackedWidget* pages_;
    bool stale_ = true;
    bool replaced_ = true;  ///< by that of another project
};

}  // namespace stagecraft::app::pages
