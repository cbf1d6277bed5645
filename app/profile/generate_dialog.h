#pragma once

#include "app/rooms.h"
#include "core/base/parameters.h"
#include "core/model/layer_profile.h"
#include "views/common/job.h"

#include <QDialog>
#include <QTimer>

class QLabel;
class QListWidget;
class QPushButton;
class QScrollArea;

namespace stagecraft::app::panels {
class ParameterForm;
}

namespace stagecraft::app::profile {

/// Makes a profile of a model of the zoo, as `generate profile` does: a model, its parameters as the zoo
/// describes them, and what comes out, worked out anew with every change.
class GenerateDialog : public QDialog {
    Q_OBJECT

public:
    explicit GenerateDialog(QWidget* parent = nullptr);

    void chooseModel(const QString& name);
    /// The times are for this GPU of the catalogue, unless a person has chosen one since it was last
    /// proposed.
    void proposeGpu(const std::string& name);
    /// The profile for what is chosen, if it is worked out and there is one.
    const LayerProfile& profile() const { return profile_; }
    bool isReady() const { return ready_; }
    QString totals() const;

signals:
    /// A person takes the profile; the dialog stays.
    void generated(const LayerProfile& profile);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeModels();
    QWidget* makeForm();
    QWidget* makeResult();
    void showModel();
    void showNothing();
    void ask();
    void start();
    void showProfile(const LayerProfile& profile, const QString& totals);

    QListWidget* models_;
    QLabel* summary_;
    QScrollArea* scroll_;
    ParameterForm* form_ = nullptr;
    QLabel* totals_;
    QLabel* source_;
    QPushButton* use_;
    QTimer wait_;
    Job making_;
    ParameterValues defaults_;  ///< of the model that is shown
    std::string proposedGpu_;
    bool ready_ = false;
    bool wanted_ = false;  ///< the profile that is being made is taken once it is there
    LayerProfile profile_;
};

}  // namespace stagecraft::app::profile
