#pragma once

#include "app/training/training_job.h"

#include <QThreadPool>

#include <map>
#include <stop_token>

namespace stagecraft {

/// Which policies a plan can be trained under.
struct PolicyVerdict {
    std::map<training::Policy, std::string> refusals;
    /// Why none can be trained, if it is the same for all: the settings, or the plan.
    std::string obstacle;
    int microbatches = 1;  ///< of a mini-batch of the plan
};

/// Finds that out away from the GUI thread; the latest question counts.
class PolicyCheck : public QObject {
    Q_OBJECT

public:
    explicit PolicyCheck(QObject* parent = nullptr);
    ~PolicyCheck() override;

    /// The policies of the request do not matter.
    void ask(const TrainingRequest& request);

signals:
    void answered(const PolicyVerdict& verdict);

private:
    QThreadPool pool_;
    std::stop_source stop_;
    int asked_ = 0;
};

/// @throws Cancelled
PolicyVerdict verdictOn(const TrainingRequest& request, const std::stop_token& stop);

}  // namespace stagecraft
