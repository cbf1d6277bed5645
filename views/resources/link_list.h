#pragma once

#include "views/resources/link_painter.h"
#include "views/resources/series_list.h"

namespace stagecraft::views::resources {

/// The links of a chart with the share of its bandwidth that each carries, at an instant or on average; of
/// the selected one by kind.
class LinkList : public SeriesList {
    Q_OBJECT
public:
    explicit LinkList(const LinkScene* scene, QWidget* parent = nullptr);

    /// Bytes per second shown in the row of a link.
    double bpsOf(std::size_t link) const;

protected:
    int count() const override { return scene_->data ? static_cast<int>(scene_->data->links.size()) : 0; }
    int selected() const override { return scene_->link; }
    int emphasised() const override { return scene_->emphasised; }
    QStringList heading() const override;
    Row row(int link) const override;
    std::vector<Part> parts() const override;
    QString tip(int link) const override;

private:
    const LinkSeries& seriesOf(int link) const { return scene_->data->links[static_cast<std::size_t>(link)]; }

    const LinkScene* scene_;
};

}  // namespace stagecraft::views::resources
