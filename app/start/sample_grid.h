#pragma once

#include "app/start/madpipe_grid.h"

#include <QWidget>

namespace stagecraft::app::start {

/// The problems of a grid as a table of their plans' throughputs: a row for each number of GPUs, a block of
/// columns for each bandwidth, a column for each memory. A click, or Enter, opens one. Blocks are beside each
/// other or, where that is too wide, below.
class SampleGrid : public QWidget {
    Q_OBJECT

public:
    explicit SampleGrid(const std::vector<MadPipeCell>& cells, QWidget* parent = nullptr);

    QRect cellRect(int cell) const;
    /// Puts the blocks as that many pixels allow.
    void fitInto(int width);
    /// What is said of a cell, in a line.
    QString describe(int cell) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void chosen(int cell);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QSize blockSize() const;  ///< without its labels
    QPoint blockCorner(int block) const;
    int cellAt(const QPoint& position) const;
    int cellAt(int row, int column) const;
    void setCurrent(int cell);

    const std::vector<MadPipeCell>& cells_;
    std::vector<int> gpus_;         ///< by row
    std::vector<double> rates_;     ///< by block
    std::vector<double> memories_;  ///< by column of a block
    bool stacked_ = false;
    double most_ = 0;               ///< samples per second
    int current_ = -1;              ///< under the pointer or chosen by keys
};

}  // namespace stagecraft::app::start
