#pragma once

#include "app/figures/figure_source.h"

#include <QObject>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QTableWidget;

namespace stagecraft::app::figures {

/// Rows of a form that choose the part of a plan that is drawn.
class FigurePartRows : public QObject {
    Q_OBJECT

public:
    /// Adds them below what `form` has, which they do not outlive.
    /// @param shown what the chart of the window shows; nothing where there is no chart
    FigurePartRows(std::optional<FigurePart> shown, QFormLayout& form);

    void setPart(const FigurePart& part);
    FigurePart part() const;
    /// Shows the rows that apply to a source; while nobody has entered a range, the fields show all of its
    /// time.
    void setSubject(const FigureSource& source);

signals:
    /// Of what is no field that FigureSettings watches: the table of panels, published times.
    void panelsChanged();

private:
    enum Time { wholeTime, shownTime, ownTime, steadyTime };

    void showTime();
    void offerReferences(const FigureSource& source);
    void offerPanels(const FigureSource& source);
    std::vector<PanelChoice> chosenPanels() const;
    void setFrom(const FigurePart& part);

    QFormLayout& form_;
    std::optional<FigurePart> shown_;
    QComboBox* time_;
    QDoubleSpinBox* from_;
    QDoubleSpinBox* to_;
    QWidget* range_;
    QComboBox* lanes_;
    QComboBox* reference_;
    QLineEdit* published_;
    QTableWidget* panels_;                  ///< a row for each plan, a column for each view
    QStringList panelPlans_;                ///< that the table has
    std::vector<PanelChoice> usualPanels_;  ///< that it began with, in the order in which they are drawn
    int memoryDevice_ = -1;
    int link_ = -1;
};

}  // namespace stagecraft::app::figures
