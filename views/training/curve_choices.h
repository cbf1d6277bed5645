#pragma once

#include "views/training/curves_figure.h"

#include <QWidget>

class QComboBox;
class QToolButton;

namespace stagecraft::views::training {

/// The row that chooses which curves of a training are drawn, with which band, and on which scale.
class CurveChoices : public QWidget {
    Q_OBJECT
public:
    explicit CurveChoices(QWidget* parent = nullptr);
    void setOptions(const CurvesOptions& options);

signals:
    /// One at least.
    void measuresChosen(const std::vector<stagecraft::training::Measure>& measures);
    void bandChosen(stagecraft::views::training::CurveBand band);
    void logarithmicChosen(bool on);

private:
    void choose(QToolButton* clicked);

    std::vector<std::pair<stagecraft::training::Measure, QToolButton*>> measures_;
    QComboBox* band_;
    QToolButton* logarithmic_;
};

}  // namespace stagecraft::views::training
