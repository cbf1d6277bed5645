#include "views/interconnect/cut_tree.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::interconnect {

namespace {

constexpr double lowestRow = 20, highestRow = 32;  // pixels
constexpr double narrowestLevel = 4, widestLevel = 48;
constexpr double margin = 8;
constexpr double weightWidth = 72;  // kept free beside the deepest fork
constexpr double tolerance = 6;

}  // namespace

CutTree::CutTree(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Cuts that make the device order"));
}

void CutTree::setCuts(std::shared_ptr<const InterconnectData> known, std::shared_ptr<const DeviceCuts> cuts) {
    data_ = std::move(known);
    cuts_ = std::move(cuts);
    setHover(-1);
    setKept(-1);
    layOut();
    place();
}

/// Forks come before those of their sides: from the last to the first, all of a fork's sides are known.
void CutTree::layOut() {
    forks_.clear();
    depth_ = 0;
    if (!cuts_) return;
    const std::vector<CutFork>& cuts = cuts_->forks;
    forks_.resize(cuts.size());
    for (std::size_t index = cuts.size(); index-- > 0;) {
        const CutFork& cut = cuts[index];
        Fork& fork = forks_[index];
        // The first side's forks are as many as its devices less one.
        const int first = static_cast<int>(index) + 1, second = first + cut.split - 1;
        if (cut.split > 1) fork.sides[0] = first;
        if (cut.count - cut.split > 1) fork.sides[1] = second;
        for (const int side : fork.sides)
            if (side >= 0) forks_[static_cast<std::size_t>(side)].parent = static_cast<int>(index);
        fork.top = centreOf(fork.sides[0], cut.first);
        fork.bottom = centreOf(fork.sides[1], cut.first + cut.split);
        fork.centre = (fork.top + fork.bottom) / 2;
    }
    for (std::size_t index = 0; index < forks_.size(); ++index) {
        Fork& fork = forks_[index];
        fork.depth = fork.parent < 0 ? 0 : forks_[static_cast<std::size_t>(fork.parent)].depth + 1;
        depth_ = std::max(depth_, fork.depth + 1);
    }
}

double CutTree::centreOf(int fork, int row) const {
    return fork < 0 ? row + 0.5 : forks_[static_cast<std::size_t>(fork)].centre;
}

void CutTree::place() {
    const int rows = cuts_ ? static_cast<int>(cuts_->order.size()) : 0;
    const QFontMetricsF metrics(smallFont(font()));
    labels_ = 0;
    for (int place = 0; place < rows; place += 1 + rows / 64) {
        const int device = cuts_->order[static_cast<std::size_t>(place)];
        labels_ = std::max(
            labels_,
            metrics.horizontalAdvance(qtText(data_->cluster->devices[static_cast<std::size_t>(device)].id)));
    }
    labels_ = std::min(labels_ + 8, 0.4 * viewport()->width());
    row_ = std::clamp(viewport()->height() / std::max(1.0, double(rows)), lowestRow, highestRow);
    const double room = viewport()->width() - 2 * margin - labels_ - weightWidth;
    level_ = std::clamp(room / std::max(1, depth_), narrowestLevel, widestLevel);
    const int excess = static_cast<int>(std::ceil(rows * row_)) - viewport()->height();
    verticalScrollBar()->setRange(0, std::max(0, excess));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(static_cast<int>(row_));
    const double wide = x(depth_) + weightWidth + labels_ + margin;
    horizontalScrollBar()->setRange(0, std::max(0, static_cast<int>(std::ceil(wide)) - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    viewport()->update();
}

double CutTree::x(int depth) const { return margin + depth * level_; }
double CutTree::y(double row) const { return row * row_ - verticalScrollBar()->value(); }

QPointF CutTree::forkPosition(int fork) const {
    const Fork& at = forks_[static_cast<std::size_t>(fork)];
    return {x(at.depth + 1) - horizontalScrollBar()->value(), y(at.centre)};
}

int CutTree::forkAt(QPointF position) const {
    int nearest = -1;
    double least = tolerance;
    for (int index = 0; index < forkCount(); ++index) {
        const Fork& fork = forks_[static_cast<std::size_t>(index)];
        const CutFork& cut = cuts_->forks[static_cast<std::size_t>(index)];
        const double bar = x(fork.depth + 1) - horizontalScrollBar()->value();
        const bool beside = position.y() >= y(fork.top) - 2 && position.y() <= y(fork.bottom) + 2;
        // The weight belongs to its fork as well.
        const bool onWeight = std::abs(position.y() - y(cut.first + cut.split)) < tolerance &&
                              position.x() > bar && position.x() < bar + weightWidth;
        // Deeper forks run through the row of a weight: they come first.
        const double toBar = beside ? std::abs(position.x() - bar) : tolerance;
        const double away = onWeight ? std::min(toBar, tolerance / 2) : toBar;
        if ((beside || onWeight) && away < least) {
            least = away;
            nearest = index;
        }
    }
    return nearest;
}

QString CutTree::describe(int fork) const {
    if (fork < 0 || !cuts_) return {};
    const CutFork& cut = cuts_->forks[static_cast<std::size_t>(fork)];
    return tr("%1 | %2 GPUs: a cut of %3")
        .arg(cut.split)
        .arg(cut.count - cut.split)
        .arg(qtText(formatBandwidth(cut.weight)));
}

void CutTree::setHover(int fork) {
    if (fork == hover_) return;
    hover_ = fork;
    viewport()->update();
    emit forkChanged(chosenFork());
}

void CutTree::setKept(int fork) {
    if (fork == kept_) return;
    kept_ = fork;
    viewport()->update();
    emit forkChanged(chosenFork());
}

void CutTree::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), Theme::current().surface);
    if (!cuts_ || cuts_->order.empty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont(font()));
    for (int index = 0; index < forkCount(); ++index) {
        const Fork& fork = forks_[static_cast<std::size_t>(index)];
        if (y(fork.bottom) >= -row_ && y(fork.top) <= viewport()->height() + row_) paintFork(painter, index);
    }
    const int firstRow = std::max(0, static_cast<int>(verticalScrollBar()->value() / row_));
    const int endRow = std::min(static_cast<int>(cuts_->order.size()),
                                firstRow + static_cast<int>(viewport()->height() / row_) + 2);
    paintLeaves(painter, firstRow, endRow);
}

void CutTree::paintFork(QPainter& painter, int index) {
    const Theme& theme = Theme::current();
    const Fork& fork = forks_[static_cast<std::size_t>(index)];
    const CutFork& cut = cuts_->forks[static_cast<std::size_t>(index)];
    const bool chosen = index == chosenFork();
    const double left = horizontalScrollBar()->value();
    const double bar = x(fork.depth + 1) - left, leaves = x(depth_ + 1) + weightWidth - level_ - left;
    painter.setPen(QPen(chosen ? theme.accent : theme.mutedText, chosen ? 2.5 : 1.2));
    painter.drawLine(QPointF(x(fork.depth) - left, y(fork.centre)), QPointF(bar, y(fork.centre)));
    painter.drawLine(QPointF(bar, y(fork.top)), QPointF(bar, y(fork.bottom)));
    // A lone device's line runs to its name.
    if (fork.sides[0] < 0) painter.drawLine(QPointF(bar, y(fork.top)), QPointF(leaves, y(fork.top)));
    if (fork.sides[1] < 0) painter.drawLine(QPointF(bar, y(fork.bottom)), QPointF(leaves, y(fork.bottom)));
    // At the boundary between the sides nothing else runs to the right of the fork.
    const QString weight = qtText(formatBandwidth(cut.weight));
    const QFontMetricsF metrics(painter.font());
    const QPointF at(bar + 4, y(cut.first + cut.split) + metrics.capHeight() / 2);
    painter.setPen(chosen ? theme.accent : theme.text);
    painter.drawText(at, weight);
}

void CutTree::paintLeaves(QPainter& painter, int firstRow, int endRow) {
    const Theme& theme = Theme::current();
    const QFontMetricsF metrics(painter.font());
    const int chosen = chosenFork();
    const double left = x(depth_) + weightWidth - horizontalScrollBar()->value() + 4;
    for (int row = firstRow; row < endRow; ++row) {
        const int device = cuts_->order[static_cast<std::size_t>(row)];
        bool inFork = false;
        if (chosen >= 0) {
            const CutFork& cut = cuts_->forks[static_cast<std::size_t>(chosen)];
            inFork = row >= cut.first && row < cut.first + cut.count;
        }
        painter.setPen(inFork || device == hoveredDevice_ ? theme.accent : theme.text);
        const QRectF box(left, y(row), viewport()->width() - left - margin / 2, row_);
        painter.drawText(
            box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
            metrics.elidedText(qtText(data_->cluster->devices[static_cast<std::size_t>(device)].id),
                               Qt::ElideMiddle, box.width()));
    }
}

void CutTree::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    place();
}

void CutTree::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) place();
    QAbstractScrollArea::changeEvent(event);
}

bool CutTree::viewportEvent(QEvent* event) {
    const auto hoverDevice = [&](int device) {
        if (device == hoveredDevice_) return;
        hoveredDevice_ = device;
        viewport()->update();
        emit deviceHovered(device);
    };
    switch (event->type()) {
        case QEvent::MouseMove: {
            const QPointF at = static_cast<QMouseEvent*>(event)->position();
            setHover(forkAt(at));
            const int row = static_cast<int>(std::floor((at.y() + verticalScrollBar()->value()) / row_));
            const double leaves = x(depth_) + weightWidth - horizontalScrollBar()->value();
            const bool onLeaf = cuts_ && hover_ < 0 && at.x() >= leaves && row >= 0 &&
                                row < static_cast<int>(cuts_->order.size());
            hoverDevice(onLeaf ? cuts_->order[static_cast<std::size_t>(row)] : -1);
            return true;
        }
        case QEvent::MouseButtonPress: {
            const int fork = forkAt(static_cast<QMouseEvent*>(event)->position());
            setKept(fork == kept_ ? -1 : fork);
            return true;
        }
        case QEvent::Leave:
            setHover(-1);
            hoverDevice(-1);
            break;
        default:
            break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void CutTree::keyPressEvent(QKeyEvent* event) {
    const auto keep = [&](int fork) {
        if (fork < 0 || fork >= forkCount()) return;
        setKept(fork);
        const int at = static_cast<int>(y(forks_[static_cast<std::size_t>(fork)].centre));
        if (at < 0 || at > viewport()->height())
            verticalScrollBar()->setValue(verticalScrollBar()->value() + at - viewport()->height() / 2);
    };
    const Fork* kept = kept_ >= 0 ? &forks_[static_cast<std::size_t>(kept_)] : nullptr;
    switch (event->key()) {
        case Qt::Key_Left:
            return keep(kept ? kept->parent : 0);
        case Qt::Key_Right:
            return keep(!kept ? 0 : kept->sides[0] >= 0 ? kept->sides[0] : kept->sides[1]);
        case Qt::Key_Up:
            return keep(kept ? kept_ - 1 : 0);
        case Qt::Key_Down:
            return keep(kept ? kept_ + 1 : 0);
        case Qt::Key_Escape:
            if (kept_ < 0) break;
            return setKept(-1);
        default:
            break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace stagecraft::views::interconnect
