#include "core/base/indices.h"
#include "views/common/theme.h"
#include "views/profile/graph/network_canvas.h"
#include "views/profile/stage_ribbon.h"

#include <algorithm>

namespace stagecraft {

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

QColor NetworkCanvas::colourOf(int layer) const {
    const Theme& theme = Theme::current();
    if (layer < 0) return theme.mutedText;
    if (plan_)
        if (const std::vector<int> held = stagesOfLayer(*plan_, layer); !held.empty())
            return stageColour(held.front(), plan_->stageCount());
    // Without a plan neighbours are told apart.
    return layer % 2 ? theme.accent : theme.mutedText;
}

void NetworkCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    if (layout_.nodes.empty()) return;
    painter.setTransform(transform());
    const QRectF seen = transform().inverted().mapRect(QRectF(rect()));
    painter.setRenderHint(QPainter::Antialiasing, scale_ > curveScale);
    paintGroups(painter, seen);
    paintEdges(painter, seen);
    paintNodes(painter, seen);
}

void NetworkCanvas::paintGroups(QPainter& painter, const QRectF& seen) const {
    const Theme& theme = Theme::current();
    QFont font = painter.font();
    font.setPixelSize(textPixels);
    for (std::size_t group = 0; group < layout_.groups.size(); ++group) {
        const QRectF& box = layout_.groups[group];
        if (!box.adjusted(0, -30, 0, 0).intersects(seen)) continue;
        const int layer = static_cast<int>(group);
        const bool isChosen = layer == selected_;
        const QColor colour = colourOf(layer);
        painter.setBrush(mixed(colour, theme.surface, isChosen ? 0.3 : 0.12));
        QPen pen(isChosen ? theme.accent : mixed(colour, theme.surface, 0.6), isChosen ? 2.5 : 1);
        pen.setCosmetic(true);
        painter.setPen(pen);
        painter.drawRoundedRect(box, 6, 6);
        if (scale_ < groupTextScale) continue;
        // As large on the screen at any scale, but not wider than the group.
        font.setPixelSize(static_cast<int>(textPixels / std::min(1.0, scale_)));
        painter.setFont(font);
        painter.setPen(isChosen ? theme.text : theme.mutedText);
        const QString text =
            box.width() * scale_ > 60 ? QString("layer %1").arg(group) : QString::number(group);
        painter.drawText(QRectF(box.left() + 2, box.top() - font.pixelSize() * 1.5, box.width() + 40,
                                font.pixelSize() * 1.4),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

void NetworkCanvas::paintEdges(QPainter& painter, const QRectF& seen) const {
    QPen pen(Theme::current().mutedText, 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    QList<QLineF> straight;
    for (std::size_t i = 0; i < layout_.edges.size(); ++i) {
        const QPainterPath& edge = layout_.edges[i];
        if (edge.isEmpty() || !edge.controlPointRect().adjusted(-1, -1, 1, 1).intersects(seen)) continue;
        if (scale_ > curveScale)
            painter.drawPath(edge);
        else
            straight << QLineF(edge.elementAt(0), edge.currentPosition());
    }
    painter.drawLines(straight);
    if (hovered_ < 0) return;
    QPen strong(Theme::current().accent, 2);
    strong.setCosmetic(true);
    painter.setPen(strong);
    for (std::size_t i = 0; i < layout_.edges.size(); ++i)
        if (outline_.edges[i].from == hovered_ || outline_.edges[i].to == hovered_)
            painter.drawPath(layout_.edges[i]);
}

void NetworkCanvas::paintNodes(QPainter& painter, const QRectF& seen) const {
    QFont font = painter.font();
    font.setPixelSize(textPixels);
    painter.setFont(font);
    for (int node = 0; node < outline_.nodes; ++node)
        if (layout_.nodes[at(node)].intersects(seen)) paintNode(painter, node, scale_ >= textScale);
}

void NetworkCanvas::paintNode(QPainter& painter, int node, bool withText) const {
    const Theme& theme = Theme::current();
    const QRectF& box = layout_.nodes[at(node)];
    const int layer = layerOf(node);
    const bool isChosen = layer >= 0 && layer == selected_;
    const QColor colour = colourOf(layer);
    if (scale_ <= curveScale) {
        painter.fillRect(box, isChosen ? theme.accent : mixed(colour, theme.surface, 0.7));
        return;
    }
    QPen pen(node == hovered_ || isChosen ? theme.accent : mixed(colour, theme.text, 0.6),
             node == hovered_ ? 2 : 1, layer < 0 ? Qt::DashLine : Qt::SolidLine);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.setBrush(theme.surface);
    painter.drawRoundedRect(box, 4, 4);
    // How long it takes, beside the longest.
    const Layer& own = numbersOf(node);
    const double share = longestS_ > 0 ? (own.forwardS + own.backwardS) / longestS_ : 0;
    painter.fillRect(QRectF(box.left() + 3, box.bottom() - 5, (box.width() - 6) * share, 3),
                     blockColour(BlockKind::forward));
    if (!withText) return;
    painter.setPen(layer < 0 ? theme.mutedText : theme.text);
    const QRectF room = box.adjusted(6, 2, -6, -5);
    const int width = static_cast<int>(room.width());
    QString text = QString::fromStdString(own.name);
    // "cell_3/17 convolution": the group says the first part already.
    if (painter.fontMetrics().horizontalAdvance(text) > width)
        text = text.mid(text.section(' ', 0, 0).lastIndexOf('/') + 1);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideMiddle, width));
}

}  // namespace stagecraft
