#pragma once

#include "app/rooms.h"
#include "core/experiments/experiment.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace stagecraft::app::experiments {

class ClaimForm;

/// The claims of an experiment: a row each, and a form for a further one.
class ClaimsEditor : public QWidget {
    Q_OBJECT
public:
    explicit ClaimsEditor(QWidget* parent = nullptr);
    void setClaims(const std::vector<Claim>& claims);
    /// What a further claim may be about. @param experiment with its axes
    void setExperiment(const Experiment& experiment);
    std::size_t count() const { return errors_.size(); }
    /// An empty sentence: nothing is wrong with it.
    void showError(std::size_t claim, const QString& sentence);
    void openForm(bool shown);

signals:
    void edited(const std::vector<stagecraft::experiments::Claim>& claims);
    void formOpened(QWidget* form);

private:
    QWidget* makeRow(std::size_t claim);

    std::vector<Claim> claims_;
    QVBoxLayout* rowsColumn_;
    std::vector<QWidget*> rows_;
    std::vector<QLabel*> errors_;
    ClaimForm* form_;
    QPushButton* add_;
};

}  // namespace stagecraft::app::experiments
