#pragma once

#include "app/training/training_job.h"

#include <map>
#include <stop_token>

namespace stagecraft::app::training {

/// Which policies a plan can be trained under.
struct PolicyVerdict {
    std::map<stagecraft::training::Policy, std::string> refusals;
    /// Why none can be trained, if it is the same for all: the settings, or the plan.
    std::string obstacle;
    int microbatches = 1;  ///< of a mini-batch of the plan
};

/// Finds that out away from the GUI thread; the latest question counts.
class PolicyCheck : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// The policies of the request do not matter.
    void ask(const TrainingRequest& request);

signals:
    void answered(const PolicyVerdict& verdict);

private:
    Job job_;
};

/// @throws Cancelled
PolicyVerdict verdictOn(const TrainingRequest& request, const std::stop_token& stop);

}  // namespace stagecraft::app::training
