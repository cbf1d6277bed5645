#pragma once

#include "app/profile/model_questions.h"
#include "views/common/job.h"

#include <QDialog>
#include <QTimer>

class QLabel;
class QPushButton;

namespace stagecraft::app::panels {
class ParameterForm;
}

namespace stagecraft::app::profile {

/// Asks what a model without times does not say, and shows what comes out, worked out anew with every change.
class ModelDialog : public QDialog {
    Q_OBJECT

public:
    /// @param gpu of the catalogue, proposed to be the one that times are for; empty: some GPU
    explicit ModelDialog(ModelQuestions asked, const std::string& gpu = {}, QWidget* parent = nullptr);

signals:
    void imported(const ImportedProfile& imported);

private:
    void ask();
    void start();
    void showProfile(const ImportedProfile& read, const QString& totals);

    ModelQuestions questions_;
    ParameterForm* form_;
    QLabel* totals_;
    QLabel* source_;
    QPushButton* use_;
    QTimer wait_;
    Job reading_;
    ImportedProfile imported_;
};

}  // namespace stagecraft::app::profile
