#pragma once

#include "views/common/theme.h"
#include "views/common/viewport.h"
#include "views/topology/topology_scene.h"

#include <QFont>
#include <QPainter>

namespace stagecraft::views::topology {

/// What the person points at.
struct TopologyFocus {
    TopologyItem hover;
    int selectedDevice = -1;  ///< the only thing that is chosen
    ClusterSelection selection;
    std::vector<int> selectedServers;  ///< with everything in them
    int stage = -1;                    ///< its devices are highlighted, the others dimmed
};

/// What a server is called where its own strip cannot be read, in pixels.
struct ServerLabel {
    QRectF rect;
    QString name;
};

/// Paints a scene through a viewport. What is too small to read is left out, so that a thousand devices cost
/// no more than their pixels.
class TopologyPainter {
public:
    /// @param enlarged how many times larger than in a window the speeds of links may be written
    TopologyPainter(QPainter& painter, const TopologyScene& scene, const Viewport& viewport, QRectF screen,
                    const QFont& font, double enlarged = 1);

    /// Bundles, server boxes and the lines inside them: what does not depend on the pointer.
    void paintBackground();
    /// The links of the focus, switches, tiles and labels.
    void paintForeground(const TopologyFocus& focus);
    /// Names beside or on servers, as many as have room; none where the strips of servers can be read.
    std::vector<ServerLabel> serverLabels() const;
    /// Of a link that goes to a switch or to another server, pixels.
    static double lineWidth(double bandwidthBps);

private:
    void paintServer(std::size_t index);
    void paintGroup(std::size_t index, int highlighted);
    void paintGroupStages(std::size_t index, const QRectF& band, int highlighted);
    void paintFoldedLabels();
    void paintFrames(const ServerBox& server);
    void paintUndrawn(std::size_t index, QRectF room);
    void paintServerNames();
    QRectF placeOfLabel(const QRectF& box, QSizeF size, const std::vector<ServerLabel>& taken) const;
    QFont labelFont() const;
    QString serverName(std::size_t index) const;
    void paintInner();
    void paintRates();
    void paintRoute(const QPolygonF& route, const QColor& colour, double width);
    bool paintRightAngled(const QPolygonF& line, const QColor& colour, double width);
    void paintPlainBox(const QRectF& box, const QColor& fill, const QColor& border);
    void paintRouteLabels();
    void paintLinksOf(int device);
    void paintLinkLabels(int device);
    void paintFocusedBundles(TopologyItem hover);
    void paintSelectedLinks(const std::vector<int>& links);
    void paintSelection(const TopologyFocus& focus);
    void paintMistakes();
    void paintMeshHubs();
    QColor lineColour(int link) const;
    void paintSwitch(std::size_t index);
    void paintTile(int device, bool faded);
    void paintTileText(int device, const QRectF& tile, const QColor& colour);
    void paintStageBands(int device, const QRectF& tile);
    void paintFitted(const QRectF& rect, int alignment, const QString& name, const QColor& colour,
                     double size);
    void paintOutline(const QRectF& rect, double width);
    QRectF pillAt(QPointF centre, const QString& text);
    void paintPill(QPointF centre, const QString& text, const QColor& border);
    void paintText(const QRectF& rect, int alignment, const QString& text, const QColor& colour, double size,
                   bool bold = false);
    bool readable(double size) const;
    bool visible(const QRectF& rect) const { return rect.intersects(screen_); }
    const Link& linkOf(int edge) const;

    QPainter& painter_;
    const TopologyScene& scene_;
    const Viewport& viewport_;
    QRectF screen_;
    QFont font_;
    const Theme& theme_ = Theme::current();
    double scale_;
    double enlarged_;
};

}  // namespace stagecraft::views::topology
