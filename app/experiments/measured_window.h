#pragma once

#include "app/rooms.h"
#include "core/experiments/measured/prediction.h"
#include "core/formats/files/project_file.h"
#include "views/common/job.h"

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagecraft::app::experiments {

/// Every public measurement that comes with the program beside what is predicted of it, as a table: a row
/// opens as a project.
class MeasuredWindow : public QWidget {
    Q_OBJECT
public:
    /// @param sets that are shown
    explicit MeasuredWindow(const std::vector<const MeasuredSet*>& sets, QWidget* parent = nullptr);

    /// Predicts what is not predicted yet.
    void predict();
    void stop() { predicting_.stop(); }
    bool isPredicting() const { return predicting_.isRunning(); }
    QTreeWidget& table() { return *table_; }
    /// "all times and rates: 151 rows, median error 1.5 %, worst …" of the rows that are shown, so far.
    QString summary() const;

signals:
    /// A row is to be opened in the main window.
    void projectWanted(const stagecraft::formats::Project& project);

protected:
    /// What nobody looks at is not worked out; it goes on when the window is shown again.
    void hideEvent(QHideEvent* event) override;

private:
    void makeRows(const std::vector<const MeasuredSet*>& sets);
    void makeTable();
    void connectParts();
    void showRow(std::size_t row);
    void showSummary();
    void showAbout(const QTreeWidgetItem* item);
    void openRow(const QTreeWidgetItem* item);
    void filter(const QString& text);

    std::vector<MeasuredPrediction> rows_;
    std::vector<QTreeWidgetItem*> items_;  ///< by row
    QLabel* summary_ = nullptr;
    QLabel* about_ = nullptr;
    QLabel* status_ = nullptr;
    QLineEdit* filter_ = nullptr;
    QPushButton* run_ = nullptr;
    QPushButton* open_ = nullptr;
    QTreeWidget* table_ = nullptr;
    Job predicting_;
    Job opening_;
};

}  // namespace stagecraft::app::experiments
