#pragma once

#include "core/analysis/range_statistics.h"
#include "views/rooms.h"

#include <QLabel>
#include <QTableWidget>
#include <QWidget>

#include <optional>

class QPushButton;

namespace stagecraft::views::plan {

class RangeBars;

/// What a range of time holds: bars and a table by GPU and a table by kind, which can be copied as CSV.
class RangeSection : public QWidget {
    Q_OBJECT
public:
    explicit RangeSection(QWidget* parent = nullptr);

    /// @param memoryMark what is said of memory that is counted too small; empty: all is counted
    void show(const RangeStatistics& range, const Cluster& cluster, const QString& memoryMark = {});
    /// The range is known and its contents are being counted.
    void showWorking(double fromS, double toS);

    QString summary() const { return summary_->text(); }
    RangeBars& bars() { return *bars_; }
    QTableWidget& devices() { return *devices_; }
    QTableWidget& kinds() { return *kinds_; }
    QString csv() const { return csv_; }

signals:
    void copied();

private:
    QLabel* summary_;
    RangeBars* bars_;
    QTableWidget* devices_;
    QTableWidget* kinds_;
    QPushButton* copy_;
    QString csv_;
};

}  // namespace stagecraft::views::plan
