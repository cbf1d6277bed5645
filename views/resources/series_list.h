#pragma once

#include "views/rooms.h"

#include <QColor>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

namespace stagecraft::views::resources {

/// The series of a chart beside it, with what each is at an instant: legend, read-out and selector in one.
/// Below the selected one is what it is made of.
class SeriesList : public QWidget {
    Q_OBJECT
public:
    /// Pixels, as in the list below it.
    static constexpr int rowHeight = 20, swatchSize = 10, gap = 8;

    explicit SeriesList(QWidget* parent = nullptr);

    /// The instant that is read out; none: what sums up each series.
    void setInstant(std::optional<double> timeS);
    std::optional<double> instant() const { return instant_; }
    QRect rowRect(int series) const;  ///< -1: the heading, which shows all series
    QSize sizeHint() const override;

signals:
    void picked(int series);  ///< -1 for all
    void hovered(int series);

protected:
    struct Row {
        QColor colour;
        QStringList names;  ///< the same said shorter and shorter
        QString value;
        bool alarming = false;
        bool faint = false;  ///< the chart does not show it
    };
    struct Part {
        QColor colour;
        QStringList names;  ///< the same said shorter and shorter
        QString value;
        bool hatched = false;  ///< as the chart draws it
    };
    virtual int count() const = 0;
    virtual int selected() const = 0;         ///< -1: none
    virtual int emphasised() const = 0;       ///< -1: none
    virtual QStringList heading() const = 0;  ///< the same said shorter and shorter
    virtual Row row(int series) const = 0;
    virtual std::vector<Part> parts() const = 0;  ///< of the selected one, top to bottom
    virtual QString tip(int series) const = 0;

    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    int seriesAt(int y) const;  ///< -1: none
    void paintRow(QPainter& painter, int series) const;
    void paintParts(QPainter& painter) const;

    std::optional<double> instant_;
};

}  // namespace stagecraft::views::resources
