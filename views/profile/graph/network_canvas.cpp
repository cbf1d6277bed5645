#include "views/profile/graph/network_canvas.h"

#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/graph/grouping.h"
#include "views/common/canvas_keys.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

constexpr double leastScale = 0.005, mostScale = 3;
constexpr double margin = 24;
constexpr double readableScale = 0.45;

}  // namespace

NetworkCanvas::NetworkCanvas(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(320, 120);
    setAccessibleName("Network as a graph");
}

void NetworkCanvas::setProfile(const LayerProfile& profile, const NetworkOutline& outline,
                               NetworkLayout layout) {
    const bool sameNodes = outline.nodes == outline_.nodes && outline.edges == outline_.edges;
    outline_ = outline;
    hovered_ = -1;
    setNumbers(profile);
    if (!sameNodes) isFitted_ = true;
    setPositions(std::move(layout));
}

void NetworkCanvas::setNumbers(const LayerProfile& profile) {
    profile_ = profile;
    longestS_ = 0;
    for (int node = 0; node < outline_.nodes; ++node)
        longestS_ = std::max(longestS_, numbersOf(node).forwardS + numbersOf(node).backwardS);
    if (selected_ >= profile_.layerCount()) selected_ = -1;
    update();
}

void NetworkCanvas::setPositions(NetworkLayout layout) {
    // What somebody looks at stays where it is: the node in the middle.
    const bool keeps = !isFitted_ && layout.nodes.size() == layout_.nodes.size() && !layout.nodes.empty();
    const int middle = keeps ? nodeNearest(QRectF(rect()).center()) : -1;
    const QPointF before = keeps ? nodeRect(middle).center() : QPointF();
    layout_ = std::move(layout);
    if (keeps) origin_ += before - nodeRect(middle).center();
    if (isFitted_) showStart();
    update();
}

void NetworkCanvas::setPlan(const std::optional<Plan>& plan) {
    plan_ = plan;
    update();
}

void NetworkCanvas::selectLayer(int layer) {
    selected_ = layer >= 0 && layer < profile_.layerCount() ? layer : -1;
    update();
    if (selected_ < 0) return;
    const QRectF target =
        transform().mapRect(hasGroups() ? layout_.groups[at(layer)] : layout_.nodes[at(layer)]);
    const QRectF room = rect().adjusted(int(margin), int(margin), -int(margin), -int(margin));
    if (room.intersects(target)) return;
    origin_ += room.center() - target.center();
    isFitted_ = false;
}

void NetworkCanvas::fit() {
    const QRectF& all = layout_.bounds;
    if (all.isEmpty() || width() < 2 * margin) return;
    const double whole =
        std::min((width() - 2 * margin) / all.width(), (height() - 2 * margin) / all.height());
    scale_ = std::clamp(whole, leastScale, 1.0);
    origin_ = QRectF(rect()).center() - all.center() * scale_;
    isFitted_ = true;
    update();
}

void NetworkCanvas::showStart() {
    fit();
    const QRectF& all = layout_.bounds;
    if (scale_ >= readableScale || all.isEmpty() || layout_.nodes.empty()) return;
    // Deep networks are long and thin: as high as there is room, from the first node on.
    scale_ = std::clamp((height() - 2 * margin) / all.height(), readableScale, 1.0);
    const QRectF& first = layout_.nodes.front();
    origin_ = QPointF(2 * margin - first.left() * scale_, height() / 2.0 - first.center().y() * scale_);
}

const Layer& NetworkCanvas::numbersOf(int node) const {
    return hasGroups() ? profile_.operators.nodes[at(node)] : profile_.layers[at(node)];
}

int NetworkCanvas::layerOf(int node) const { return hasGroups() ? outline_.groupOf[at(node)] : node; }

QTransform NetworkCanvas::transform() const {
    return QTransform::fromTranslate(origin_.x(), origin_.y()).scale(scale_, scale_);
}

QRectF NetworkCanvas::nodeRect(int node) const { return transform().mapRect(layout_.nodes[at(node)]); }

int NetworkCanvas::nodeNearest(const QPointF& position) const {
    int nearest = 0;
    double least = INFINITY;
    for (int node = 0; node < outline_.nodes; ++node) {
        const double distance = (nodeRect(node).center() - position).manhattanLength();
        if (distance < least) least = distance, nearest = node;
    }
    return nearest;
}

int NetworkCanvas::nodeAt(const QPointF& position) const {
    const QPointF there = (position - origin_) / scale_;
    for (std::size_t node = 0; node < layout_.nodes.size(); ++node)
        if (layout_.nodes[node].contains(there)) return static_cast<int>(node);
    return -1;
}

int NetworkCanvas::groupAt(const QPointF& position) const {
    const QPointF there = (position - origin_) / scale_;
    for (std::size_t group = 0; group < layout_.groups.size(); ++group)
        if (layout_.groups[group].contains(there)) return static_cast<int>(group);
    return -1;
}

QString NetworkCanvas::describe(int node) const {
    const Layer& own = numbersOf(node);
    const auto row = [](const QString& name, const std::string& value) {
        return "<tr><td>" + name + "&nbsp;&nbsp;</td><td align=right>" + QString::fromStdString(value) +
               "</td></tr>";
    };
    QString html =
        "<b>" + QString::fromStdString(own.name).toHtmlEscaped() + "</b><table cellspacing=0 cellpadding=1>";
    html += row("forward", formatSeconds(own.forwardS)) + row("backward", formatSeconds(own.backwardS)) +
            row("parameters", formatBytes(own.parameterBytes)) + row("output", formatBytes(own.outputBytes)) +
            row("stored", formatBytes(own.storedActivationBytes)) + "</table>";
    if (!hasGroups()) return html;
    const int layer = layerOf(node);
    if (layer < 0) return html + "<p>Part of no layer: it was left out.</p>";
    return html + QString("<p><b>Layer %1.</b> ").arg(layer) +
           QString::fromStdString(whyOneLayer(profile_, layer)).toHtmlEscaped() + "</p>";
}

void NetworkCanvas::zoomAt(const QPointF& position, double factor) {
    const double before = scale_;
    scale_ = std::clamp(scale_ * factor, leastScale, mostScale);
    origin_ = position - (position - origin_) * (scale_ / before);
    isFitted_ = false;
    update();
}

void NetworkCanvas::choose(int layer) {
    if (layer == selected_) return;
    selectLayer(layer);
    emit layerSelected(selected_);
}

void NetworkCanvas::resizeEvent(QResizeEvent*) {
    if (isFitted_) showStart();
}

void NetworkCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

void NetworkCanvas::mousePressEvent(QMouseEvent* event) {
    pressedAt_ = lastAt_ = event->position();
    panning_ = event->button() == Qt::MiddleButton;
}

void NetworkCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF position = event->position();
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        if (!panning_ && (position - pressedAt_).manhattanLength() < QApplication::startDragDistance())
            return;
        panning_ = true;
        origin_ += position - lastAt_;
        lastAt_ = position;
        isFitted_ = false;
        update();
        return;
    }
    const int node = nodeAt(position);
    if (std::exchange(hovered_, node) != node) update();
    if (node >= 0)
        QToolTip::showText(event->globalPosition().toPoint() + QPoint(14, 14), describe(node), this);
    else
        QToolTip::hideText();
}

void NetworkCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (std::exchange(panning_, false) || event->button() != Qt::LeftButton) return;
    const int node = nodeAt(event->position());
    choose(node >= 0 ? layerOf(node) : groupAt(event->position()));
}

void NetworkCanvas::leaveEvent(QEvent*) {
    hovered_ = -1;
    update();
}

void NetworkCanvas::wheelEvent(QWheelEvent* event) {
    const QPoint notches = event->angleDelta();
    if (event->modifiers() & Qt::ShiftModifier || std::abs(notches.x()) > std::abs(notches.y())) {
        origin_.rx() += (notches.x() != 0 ? notches.x() : notches.y()) / 2.0;
        isFitted_ = false;
        update();
    } else {
        zoomAt(event->position(), std::pow(zoomStep, notches.y() / 120.0));
    }
    event->accept();
}

void NetworkCanvas::keyPressEvent(QKeyEvent* event) {
    const CanvasMoves moves{[this] { fit(); },
                            [this](double factor) { zoomAt(QRectF(rect()).center(), factor); },
                            [this](double x, double) {
                                origin_.rx() += x * width() / 8.0;
                                isFitted_ = false;
                                update();
                            }};
    if (takeCanvasKey(*event, moves)) return;
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
            return choose(std::max(0, selected_ - 1));
        case Qt::Key_Right:
            return choose(std::min(profile_.layerCount() - 1, selected_ + 1));
        case Qt::Key_Escape:
            return choose(-1);
        default:
            QWidget::keyPressEvent(event);
    }
}

void NetworkCanvas::contextMenuEvent(QContextMenuEvent* event) {
    const int node = nodeAt(QPointF(event->pos()));
    const int layer = node >= 0 ? layerOf(node) : groupAt(QPointF(event->pos()));
    if (!hasGroups() || layer < 0) return;
    choose(layer);
    const std::vector<int> cuts = cutsOf(profile_);
    const auto members = std::count(outline_.groupOf.begin(), outline_.groupOf.end(), layer);
    QMenu menu(this);
    if (node >= 0 && node != cuts.back()) {
        const bool isCut = std::binary_search(cuts.begin(), cuts.end(), node);
        const QString name = QString::fromStdString(numbersOf(node).name).section(' ', 0, 0);
        QAction* cut = menu.addAction(isCut ? QString("Merge layer %1 with the next").arg(layer)
                                            : QString("End a layer after %1").arg(name));
        connect(cut, &QAction::triggered, this, [this, node] { emit cutToggled(node); });
        cut->setEnabled(editable_);
    }
    QAction* split =
        menu.addAction(members == 1 ? QString("Make a layer of each of its nodes")
                                    : QString("Make a layer of each of its %L1 nodes").arg(members));
    split->setEnabled(editable_ && members > 1);
    connect(split, &QAction::triggered, this, [this, layer] { emit splitRequested(layer); });
    menu.exec(event->globalPos());
}

}  // namespace stagecraft
