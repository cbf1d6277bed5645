#pragma once

#include "views/timeline/lane_rows.h"

#include <QWidget>

#include <vector>

namespace stagecraft::views::timeline {

/// The names of the rows, left of the chart. A name that does not fit is elided, and shown whole as a
/// tooltip.
class LaneLabels : public QWidget {
    Q_OBJECT
public:
    explicit LaneLabels(QWidget* parent = nullptr);
    /// `rows` must outlive the next call. Rows are seen through [viewTop, viewTop + viewHeight) of this
    /// widget, `scroll` pixels of them above it.
    void setRows(const std::vector<LaneRow>* rows, int stages, int viewTop, int viewHeight, int scroll);
    void setHoveredRow(int row);
    /// Over the column of busy shares: what they are of.
    void setShareHeading(const QString& text);
    void setMarkedRow(int row);  ///< of what another view points at; -1: none
    int preferredWidth() const;
    static QString toolTipOf(const LaneRow& row);

signals:
    void scrollRequested(int pixels);
    void rowHovered(int row);  ///< the pointer is on its name; -1: on none
    void rowClicked(int row);
    void menuRequested(int row, QPoint globalPosition);  ///< -1: beside the names

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QFont fontOf(const LaneRow& row) const;
    int topOf(const LaneRow& row) const { return viewTop_ + row.top - scroll_; }
    int rowAt(int y) const;  ///< -1: none
    int shareWidth() const;  ///< of the column of busy shares; 0: there are none
    /// Where a row's label stands: a pair of channels shares one over both rows.
    QRect labelRect(std::size_t row) const;

    const std::vector<LaneRow>* rows_ = nullptr;
    int stages_ = 0;
    int viewTop_ = 0;
    int viewHeight_ = 0;
    int scroll_ = 0;
    int hovered_ = -1;
    int marked_ = -1;
    QString shareHeading_;
};

}  // namespace stagecraft::views::timeline
