#pragma once

#include "app/document/workspace.h"
#include "core/base/parameters.h"
#include "core/training/policy.h"

#include <QVariantMap>
#include <QWidget>

#include <map>

class QCheckBox;
class QComboBox;
class QLabel;
class QVBoxLayout;

namespace stagecraft::app::panels {
class ParameterForm;
}

namespace stagecraft::app::training {

/// What to train: a plan, policies, and the parameters of training::trainingParameters().
class TrainingPanel : public QWidget {
    Q_OBJECT

public:
    explicit TrainingPanel(Workspace& workspace, QWidget* parent = nullptr);

    /// nullptr: the stages of the planner `usualStages`.
    const PlanItem* plan() const;
    QString planTitle() const;
    void choosePlan(int id);
    std::vector<stagecraft::training::Policy> chosenPolicies() const;
    ParameterValues values() const;
    /// Policies that cannot be trained with this plan are greyed, with the reason.
    void setRefusals(const std::map<stagecraft::training::Policy, std::string>& refusals);
    /// What is taken where a size is left open.
    void setMicrobatches(int microbatches);

    /// For the session.
    QVariantMap state() const;
    /// What is missing gets its default.
    void setState(const QVariantMap& state);

signals:
    void changed();

private:
    QWidget* makePolicies();
    bool isTypedIn() const;
    void makeForms(const ParameterValues& values);
    void showPlans();
    void showHints();

    Workspace& workspace_;
    QComboBox* plan_;
    std::map<stagecraft::training::Policy, QCheckBox*> policies_;
    std::map<stagecraft::training::Policy, QLabel*> reasons_;
    std::map<stagecraft::training::Policy, std::string> refusals_;
    QWidget* forms_ = nullptr;
    QVBoxLayout* layout_ = nullptr;
    ParameterForm* usual_ = nullptr;
    ParameterForm* further_ = nullptr;
    bool showsFurther_ = false;
    int microbatches_ = 1;
};

}  // namespace stagecraft::app::training
