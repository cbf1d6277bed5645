#pragma once

#include "app/jobs/planning_jobs.h"

#include <QElapsedTimer>

#include <optional>

class QTimer;

namespace stagecraft::app::plan {

/// A plan that is simulated while it, or what it is for, is being changed.
struct EditQuestion {
    std::shared_ptr<const Problem> problem;
    /// Of that profile and cluster, whatever the setup and the size of microbatches; may be null.
    std::shared_ptr<const CostModel> costs;
    Plan plan;

    bool operator==(const EditQuestion& other) const {
        return problem == other.problem && plan == other.plan;
    }
};

/// Those costs under the problem's setup, or anew if there are none or they are for microbatches of another
/// size.
std::shared_ptr<const CostModel> costsUnder(const std::shared_ptr<const CostModel>& known,
                                            const Problem& problem);

/// Simulates away from the GUI thread, always what was asked last: questions in between are left out, and one
/// that takes long is given up for a newer one. The last answer stays until the next, and isBehind() says so.
class EditSimulator : public QObject {
    Q_OBJECT

public:
    explicit EditSimulator(QObject* parent = nullptr);

    void ask(const EditQuestion& question);
    /// Nothing more is heard of what was asked.
    void cancel();
    /// Whether the last question has waited for longer than a frame.
    bool isBehind() const { return behind_; }

signals:
    /// The run says itself if there is none.
    void answered(const stagecraft::app::plan::EditQuestion& question,
                  std::shared_ptr<const stagecraft::runs::PlanRun> run);
    void behindChanged(bool behind);

private:
    void start(const EditQuestion& question);
    void onEnded(int job);
    void setBehind(bool behind);

    PlanningJobs jobs_;
    QTimer* frame_;
    int running_ = 0;
    bool behind_ = false;
    EditQuestion question_;
    std::optional<EditQuestion> next_;
    QElapsedTimer since_;
};

}  // namespace stagecraft::app::plan
