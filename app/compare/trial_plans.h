#pragma once

#include "app/document/workspace.h"
#include "views/common/job.h"

#include <QObject>

#include <memory>
#include <vector>

namespace stagecraft::app::compare {

/// Plans that are compared with those of the project and are not part of it: nothing of them is saved, no step
/// of Undo is theirs, and they are gone once the problem is another. Those that are kept become plans of the
/// project. They are known by ids below 0.
class TrialPlans : public QObject {
    Q_OBJECT

public:
    struct Item {
        int id = 0;
        std::shared_ptr<const PlanRun> run;
    };

    explicit TrialPlans(Workspace& workspace, QObject* parent = nullptr);

    static bool isTrial(int id) { return id < 0; }
    /// Simulates these plans in place of those that were there; changed() follows with each.
    /// @param costs of the problem as it is now
    void simulate(std::shared_ptr<const CostModel> costs, std::vector<Plan> plans);
    const std::vector<Item>& items() const { return items_; }
    bool isWorking() const { return job_.isRunning(); }
    void discard();
    /// They become plans of the project, in one step. @return the ids that they have there
    std::vector<int> keep(const std::vector<int>& ids);

signals:
    void changed();

private:
    Workspace& workspace_;
    std::vector<Item> items_;
    int nextId_ = -1;
    Job job_;
};

}  // namespace stagecraft::app::compare
