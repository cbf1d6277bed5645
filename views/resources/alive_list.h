#pragma once

#include "core/memory/memory_holders.h"
#include "views/timeline/chart_data.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace stagecraft::views::resources {

/// What is alive on a device at an instant, by kind, with bytes that add up to the memory curve. A row that a
/// block made leads to it.
class AliveList : public QWidget {
    Q_OBJECT
public:
    explicit AliveList(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const ChartData> chartData);  ///< forgets what was asked
    void ask(int series, double timeS);
    bool asked() const { return series_ >= 0; }
    int series() const { return series_; }
    double timeS() const { return timeS_; }

    struct Row {
        enum class What { total, peak, kind, holder, saved };
        What what = What::holder;
        QString text;
        QString value;
        QColor colour;
        quint32 block = noBlock;
        double bytes = 0;  ///< of a holder: in memory; of a saved one: kept out of it
    };
    const std::vector<Row>& rows() const { return rows_; }
    QRect rowRect(int row) const;
    QSize sizeHint() const override;

signals:
    void blockPicked(quint32 block);
    void peakAsked(int series, double timeS);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void addKind(MemoryKind kind, const std::vector<MemoryHolder>& holders);
    void addSaved(const MemoryHolder& holder);
    QString nameOf(const MemoryHolder& holder) const;
    bool isClickable(int row) const;
    void hover(int row);

    std::shared_ptr<const ChartData> data_;
    std::optional<MemoryLedger> ledger_;  ///< made when first asked
    int series_ = -1;
    double timeS_ = 0;
    int hovered_ = -1;
    std::vector<Row> rows_;
};

}  // namespace stagecraft::views::resources
