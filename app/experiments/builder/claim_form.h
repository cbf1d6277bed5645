#pragma once

#include "app/rooms.h"
#include "core/experiments/experiment.h"

#include <QFrame>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;

namespace stagecraft::app::experiments {

/// Puts a claim together from choices: least at every point, a ratio, a change along an axis, a value.
class ClaimForm : public QFrame {
    Q_OBJECT
public:
    explicit ClaimForm(QWidget* parent = nullptr);
    /// What a claim may be about. @param experiment with its axes
    void setExperiment(const Experiment& experiment);

signals:
    void added(const stagecraft::experiments::Claim& claim);
    void closed();

private:
    QComboBox* choice(const char* name, const QString& label);
    void showKind();
    void showAxis();
    void showText();
    void showNoise();
    Claim claim(double bound) const;
    void take();
    QString text() const;
    void setRow(QWidget* field, bool shown);

    Experiment experiment_;
    bool filling_ = false;
    QFormLayout* form_;
    QComboBox* kind_;
    QComboBox* planner_;
    QComboBox* metric_;
    QComboBox* against_;
    QComboBox* axis_;
    QComboBox* from_;
    QComboBox* to_;
    QComboBox* side_;
    QLineEdit* bound_;
    QLineEdit* text_;
    QLineEdit* source_;
    QLabel* noise_;
    QLabel* error_;
};

}  // namespace stagecraft::app::experiments
