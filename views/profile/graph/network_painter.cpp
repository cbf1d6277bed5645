#include "views/profile/graph/network_painter.h"

#include "core/base/indices.h"
#include "views/common/theme.h"
#include "views/profile/stage_ribbon.h"

#include <algorithm>

namespace stagecraft::views::profile {

namespace {

constexpr double textScale = 0.42;   // from which scale on a node's name can be read
constexpr double curveScale = 0.12;  // from which scale on curves and lines can be told apart
constexpr double groupTextScale = 0.3;
constexpr int textPixels = 12;

QColor mixed(const QColor& a, const QColor& b, double share) {
    return QColor::fromRgbF(static_cast<float>(a.redF() * share + b.redF() * (1 - share)),
                            static_cast<float>(a.greenF() * share + b.greenF() * (1 - share)),
                            static_cast<float>(a.blueF() * share + b.blueF() * (1 - share)));
}

}  // namespace

NetworkPainter::NetworkPainter(QPainter& painter, const NetworkPicture& picture, NetworkFocus focus,
                               double scale, double longestS)
    : painter_(painter), picture_(picture), focus_(focus), scale_(scale), longestS_(longestS) {}

QColor NetworkPainter::colourOf(int layer) const {
    const Theme& theme = Theme::current();
    if (layer < 0) return theme.mutedText;
    if (picture_.plan)
        if (const std::vector<int> held = stagesOfLayer(*picture_.plan, layer); !held.empty())
            return stageColour(held.front(), picture_.plan->stageCount());
    // Without a plan neighbours are told apart.
    return layer % 2 ? theme.accent : theme.mutedText;
}

void NetworkPainter::paint(const QRectF& seen) {
    painter_.setRenderHint(QPainter::Antialiasing, scale_ > curveScale);
    paintGroups(seen);
    paintEdges(seen);
    paintNodes(seen);
}

void NetworkPainter::paintGroups(const QRectF& seen) {
    const Theme& theme = Theme::current();
    QFont font = painter_.font();
    font.setPixelSize(textPixels);
    for (std::size_t group = 0; group < picture_.layout.groups.size(); ++group) {
        const QRectF& box = picture_.layout.groups[group];
        if (!box.adjusted(0, -30, 0, 0).intersects(seen)) continue;
        const int layer = static_cast<int>(group);
        const bool isChosen = layer == focus_.selectedLayer;
        const QColor colour = colourOf(layer);
        painter_.setBrush(mixed(colour, theme.surface, isChosen ? 0.3 : 0.12));
        QPen pen(isChosen ? theme.accent : mixed(colour, theme.surface, 0.6), isChosen ? 2.5 : 1);
        pen.setCosmetic(true);
        painter_.setPen(pen);
        painter_.drawRoundedRect(box, 6, 6);
        if (scale_ < groupTextScale) continue;
        // As large on the screen at any scale, but not wider than the group.
        font.setPixelSize(static_cast<int>(textPixels / std::min(1.0, scale_)));
        painter_.setFont(font);
        painter_.setPen(isChosen ? theme.text : theme.mutedText);
        const QString text =
            box.width() * scale_ > 60 ? QString("layer %1").arg(group) : QString::number(group);
        painter_.drawText(QRectF(box.left() + 2, box.top() - font.pixelSize() * 1.5, box.width() + 40,
                                 font.pixelSize() * 1.4),
                          Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void NetworkPainter::paintEdges(const QRectF& seen) {
    QPen pen(Theme::current().mutedText, 1);
    pen.setCosmetic(true);
    painter_.setPen(pen);
    painter_.setBrush(Qt::NoBrush);
    QList<QLineF> straight;
    for (std::size_t i = 0; i < picture_.layout.edges.size(); ++i) {
        const QPainterPath& edge = picture_.layout.edges[i];
        if (edge.isEmpty() || !edge.controlPointRect().adjusted(-1, -1, 1, 1).intersects(seen)) continue;
        if (scale_ > curveScale)
            painter_.drawPath(edge);
        else
            straight << QLineF(edge.elementAt(0), edge.currentPosition());
    }
    painter_.drawLines(straight);
    if (focus_.hoveredNode < 0) return;
    QPen strong(Theme::current().accent, 2);
    strong.setCosmetic(true);
    painter_.setPen(strong);
    for (std::size_t i = 0; i < picture_.layout.edges.size(); ++i)
        if (picture_.outline.edges[i].from == focus_.hoveredNode ||
            picture_.outline.edges[i].to == focus_.hoveredNode)
            painter_.drawPath(picture_.layout.edges[i]);
}

void NetworkPainter::paintNodes(const QRectF& seen) {
    QFont font = painter_.font();
    font.setPixelSize(textPixels);
    painter_.setFont(font);
    for (int node = 0; node < picture_.outline.nodes; ++node)
        if (picture_.layout.nodes[at(node)].intersects(seen)) paintNode(node, scale_ >= textScale);
}

void NetworkPainter::paintNode(int node, bool withText) {
    const Theme& theme = Theme::current();
    const QRectF& box = picture_.layout.nodes[at(node)];
    const int layer = picture_.layerOf(node);
    const bool isChosen = layer >= 0 && layer == focus_.selectedLayer;
    const QColor colour = colourOf(layer);
    if (scale_ <= curveScale) {
        painter_.fillRect(box, isChosen ? theme.accent : mixed(colour, theme.surface, 0.7));
        return;
    }
    QPen pen(node == focus_.hoveredNode || isChosen ? theme.accent : mixed(colour, theme.text, 0.6),
             node == focus_.hoveredNode ? 2 : 1, layer < 0 ? Qt::DashLine : Qt::SolidLine);
    pen.setCosmetic(true);
    painter_.setPen(pen);
    painter_.setBrush(theme.surface);
    painter_.drawRoundedRect(box, 4, 4);
    // How long it takes, beside the longest.
    const Layer& own = picture_.numbersOf(node);
    const double share = longestS_ > 0 ? (own.forwardS + own.backwardS) / longestS_ : 0;
    painter_.fillRect(QRectF(box.left() + 3, box.bottom() - 5, (box.width() - 6) * share, 3),
                      blockColour(BlockKind::forward));
    if (!withText) return;
    painter_.setPen(layer < 0 ? theme.mutedText : theme.text);
    const QRectF room = box.adjusted(6, 2, -6, -5);
    const int width = static_cast<int>(room.width());
    QString text = QString::fromStdString(own.name);
    // "cell_3/17 convolution": the group says the first part already.
    if (painter_.fontMetrics().horizontalAdvance(text) > width)
        text = text.mid(text.section(' ', 0, 0).lastIndexOf('/') + 1);
    painter_.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      painter_.fontMetrics().elidedText(text, Qt::ElideMiddle, width));
}

}  // namespace stagecraft::views::profile
