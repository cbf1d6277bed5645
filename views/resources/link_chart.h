#pragma once

#include "views/resources/link_list.h"
#include "views/resources/series_chart.h"

namespace stagecraft::views::resources {

/// How much of its bandwidth each link carries over time: one line per link, or one link by what it carries.
class LinkChart : public SeriesChart {
    Q_OBJECT
public:
    explicit LinkChart(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const LinkData> linkData);  ///< null: none, or not yet
    void selectLink(int link);                               ///< of its data; -1: all
    int selectedLink() const { return scene_.link; }

    const LinkScene& scene() const { return scene_; }
    const LinkPainter& painter() const { return painter_; }
    LinkList& list() { return *list_; }

signals:
    void blockPicked(quint32 block);  ///< the transfer that was clicked

protected:
    void paintSeries(QPainter& painter, const QRect& area, const TimeAxis& axis) override;
    bool hasSeries() const override { return scene_.data && !scene_.data->links.empty(); }
    void pickSeries(int series) override { selectLink(series); }
    void hoverSeries(int series) override;
    void clickAt(QPointF position) override;

private:
    int linkAt(QPointF position);

    LinkScene scene_;
    LinkPainter painter_;
    LinkList* list_;
};

}  // namespace stagecraft::views::resources
