#pragma once

#include "app/pages/page.h"

namespace stagecraft::views::topology {
class TopologyView;
}

namespace stagecraft::app::panels {
class EmptyPanel;
}

namespace stagecraft::app::pages {

/// The tab on which a cluster is drawn, in the colours of the plan in view.
class ClusterPage : public Page {
    Q_OBJECT

public:
    explicit ClusterPage(Workspace& workspace, QWidget* parent = nullptr);

    TopologyView* view() const { return topology_; }

    void projectReplaced() override { stale_ = replaced_ = true; }
    void problemChanged(unsigned parts) override;
    void bringUpToDate(const PlanItem* plan) override;
    std::vector<FigureSource> figures(const PlanItem* plan) const override;
    bool hasFigures() const override;
    /// The drawing, without the palette and the panels beside it.
    QImage picture() override;

private:
    /// What to do first, on a canvas with nothing on it.
    void showEmpty();

    Workspace& workspace_;
    TopologyView* topology_;
    EmptyPanel* empty_;
    bool stale_ = true;
    bool replaced_ = true;  ///< by that of another project
};

}  // namespace stagecraft::app::pages
