#pragma once

#include "views/gantt/memory_painter.h"

#include <QWidget>

#include <optional>

namespace stagecraft {

/// The devices of a memory chart with what each holds: legend, read-out and selector in one.
class MemoryList : public QWidget {
    Q_OBJECT
public:
    explicit MemoryList(const MemoryScene* scene, QWidget* parent = nullptr);

    /// The instant that is read out; none: the peak of each device.
    void setInstant(std::optional<double> timeS);
    std::optional<double> instant() const { return instant_; }
    /// Bytes shown in the row of a series.
    double bytesOf(std::size_t series) const;
    QRect rowRect(int series) const;  ///< -1: the heading, which shows all devices
    QSize sizeHint() const override;

signals:
    void picked(int series);  ///< -1 for all devices
    void hovered(int series);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    int seriesAt(int y) const;  ///< -1: none
    void paintRow(QPainter& painter, int series) const;
    void paintKinds(QPainter& painter) const;

    const MemoryScene* scene_;
    std::optional<double> instant_;
};

}  // namespace stagecraft
