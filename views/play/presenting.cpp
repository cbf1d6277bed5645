#include "views/play/presenting.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/figures/figure_math.h"
#include "views/timeline/time_axis.h"
#include "views/timeline/time_plot.h"

#include <QActionGroup>
#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace stagecraft::views::play {

QRectF cursorBadge(const QFont& font, const QRectF& area, double x, const QString& text) {
    QFont bold = font;
    bold.setBold(true);
    const QFontMetricsF metrics(bold);
    // On the axis, where it covers no block.
    QRectF pill(0, 0, metrics.horizontalAdvance(text) + 12, metrics.height() + 4);
    pill.moveBottom(area.top());
    const double least = area.left(), most = std::max(least, area.right() - pill.width());
    pill.moveLeft(std::clamp(std::round(x) - pill.width() / 2, least, most));
    return pill;
}

void paintCursor(QPainter& painter, const QRectF& area, double x, const QString& text, double width) {
    if (x < area.left() - 1 || x > area.right() + 1) return;
    const Theme& theme = Theme::current();
    const double line = std::round(x);
    painter.fillRect(QRectF(line - std::floor(width / 2), area.top(), width, area.height()), theme.accent);
    if (text.isEmpty()) return;
    const QRectF pill = cursorBadge(painter.font(), area, x, text);
    QFont bold = painter.font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(pill, 4, 4);
    painter.setPen(readableOn(theme.accent));
    painter.drawText(pill, Qt::AlignCenter, text);
}

namespace {

/// No number of the axis is half hidden by the badge.
void hideTicksUnder(QPainter& painter, const QRectF& badge, const TimeAxis& axis) {
    const QFontMetricsF metrics(painter.font());
    for (const TimeTick& tick : timeTicks(axis, timeTickSpacing)) {
        const double width = metrics.horizontalAdvance(QString::fromStdString(tick.label)) + 2;
        const QRectF label(axis.toX(tick.timeS) - width / 2, 0, width, badge.bottom() - axisTickLength);
        if (label.left() < badge.right() && label.right() > badge.left())
            painter.fillRect(label, Theme::current().surface);
    }
}

}  // namespace

CursorMark::CursorMark(TimePlot* plot) : QWidget(plot), plot_(plot) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setGeometry(plot->rect());
    plot->installEventFilter(this);
}

void CursorMark::setTime(double timeS, const QString& text) {
    timeS_ = timeS;
    text_ = text;
    update();
}

bool CursorMark::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::Resize) setGeometry(plot_->rect());
    return QWidget::eventFilter(watched, event);
}

void CursorMark::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(font());
    // The band above the lanes names phases and notes: the time is written above it.
    const QRectF area = QRectF(plot_->area()).adjusted(0, -plot_->bandHeight(), 0, 0);
    const TimeAxis axis = plot_->axis();
    const double x = axis.toX(timeS_);
    if (!text_.isEmpty() && area.contains(x, area.center().y()))
        hideTicksUnder(painter, cursorBadge(font(), area, x, text_), axis);
    paintCursor(painter, area, x, text_);
}

namespace {
constexpr int keysMs = 7000;
constexpr int besideKeys = 40;  // pixels that stay free
}  // namespace

KeyCard::KeyCard(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("presentationKeys"));
    setAutoFillBackground(true);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setMargin(16);
    hide();
    timer_.setSingleShot(true);
    timer_.setInterval(keysMs);
    connect(&timer_, &QTimer::timeout, this, &QWidget::hide);
}

void KeyCard::showKeys(const QStringList& lines) {
    QFont type = parentWidget()->font();
    type.setPointSizeF(presentedPoints[0]);
    setFont(type);
    setText(lines.join(QLatin1Char('\n')));
    place();
    raise();
    show();
    timer_.start();
}

void KeyCard::place() {
    const int room = parentWidget()->width() - besideKeys;
    setWordWrap(false);
    if (sizeHint().width() <= room) {
        adjustSize();
    } else {
        setWordWrap(true);
        resize(room, heightForWidth(room));
    }
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
}

PointerRing::PointerRing(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("pointerRing"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void PointerRing::moveTo(QPoint position) { move(position - rect().center()); }

void PointerRing::setExtent(int pixels) {
    const QPoint centre = geometry().center();
    resize(pixels, pixels);
    moveTo(centre);
}

void PointerRing::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double width = this->width() / 12.0;
    const QRectF ring = QRectF(rect()).adjusted(width, width, -width, -width);
    // A dark rim, a light one and the ring between: seen on any colour of a block.
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::white, width + 4));
    painter.drawEllipse(ring);
    painter.setPen(QPen(Qt::black, width + 2));
    painter.drawEllipse(ring);
    painter.setPen(QPen(Theme::current().error, width));
    painter.drawEllipse(ring);
    painter.setPen(QPen(Qt::white, 2));
    painter.setBrush(Theme::current().error);
    painter.drawEllipse(ring.center(), width * 0.7, width * 0.7);
}

namespace {

constexpr double besidePart = 0.04;   // of an interval, that is shown on either side
constexpr double instantPart = 0.15;  // of the whole time, that is shown around an instant

PreparedView viewOf(const QString& name, double fromS, double toS) {
    const double margin = besidePart * (toS - fromS);
    return {name, fromS - margin, toS + margin, fromS};
}

/// When the pipeline is full, and from when it runs empty.
std::pair<double, double> steadySpan(const ChartData& data) {
    if (data.runsOn()) return {data.startUpEndS, data.drainStartS};
    const Timeline& timeline = data.timeline();
    double firstBackward = data.endS, lastForward = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const BlockKind kind = timeline.kind[block];
        if (kind == BlockKind::backward || kind == BlockKind::inputGradient || kind == BlockKind::pair)
            firstBackward = std::min(firstBackward, timeline.startS[block]);
        if ((kind == BlockKind::forward || kind == BlockKind::pair) && timeline.stage[block] == 0)
            lastForward = std::max(lastForward, timeline.endS[block]);
    }
    return {firstBackward, lastForward};
}

std::vector<PreparedView> phases(const ChartData& data) {
    const double begin = data.timeline().firstStartS(), end = data.endS;
    std::vector<PreparedView> views{viewOf(QStringLiteral("Whole run"), begin, end)};
    auto [full, empties] = steadySpan(data);
    // Where all forwards come first there is no steady state between the two.
    if (!data.runsOn() && empties < full) empties = full;
    const auto add = [&](const char* name, double fromS, double toS) {
        if (toS - fromS > data.slackS()) views.push_back(viewOf(QLatin1String(name), fromS, toS));
    };
    add("Warm-up", begin, full);
    add("Steady state", full, empties);
    add("Cool-down", empties, end);
    return views;
}

}  // namespace

std::vector<PreparedView> preparedViews(const ChartData& data, const std::vector<ChartNote>& notes) {
    const std::vector<ChartNote> placed = placeNotes(notes, data.timeline(), data.cluster()).notes;
    if (placed.empty()) return phases(data);
    std::vector<PreparedView> views;
    for (const ChartNote& note : placed) {
        const QString name = note.text.empty()
                                 ? QStringLiteral("Bookmark at %1")
                                       .arg(QString::fromStdString(formatInstant(note.atS, data.endS / 1000)))
                                 : mathAsText(QString::fromStdString(note.text)).simplified();
        const double around = instantPart * data.endS / 2;
        PreparedView view = note.untilS ? viewOf(name, note.atS, *note.untilS)
                                        : viewOf(name, note.atS - around, note.atS + around);
        if (note.viewS) std::tie(view.t0, view.t1) = *note.viewS;
        view.atS = note.atS;
        views.push_back(std::move(view));
        if (views.size() == mostPreparedViews) break;
    }
    return views;
}

PresentMenu::PresentMenu(QWidget* parent) : QMenu(parent) {
    auto* sizes = new QActionGroup(this);
    for (const int points : presentedPoints) {
        QAction* action = addAction(tr("Text of %1 pt").arg(points));
        action->setObjectName(QStringLiteral("presentType%1").arg(points));
        action->setCheckable(true);
        sizes->addAction(action);
        types_.push_back(action);
        connect(action, &QAction::triggered, this, [this, points] {
            PresentChoice wanted = choice_;
            wanted.typePoints = points;
            choose(wanted);
        });
    }
    addSeparator();
    const auto part = [this](const char* name, const QString& text, auto toggle) {
        QAction* action = addAction(text);
        action->setObjectName(QLatin1String(name));
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, toggle);
        return action;
    };
    memory_ = part("presentMemory", tr("Memory below the lanes"), [this] { toggleMemory(); });
    cluster_ = part("presentCluster", tr("Cluster beside the lanes"), [this] { toggleCluster(); });
    setChoice({});
}

void PresentMenu::setChoice(const PresentChoice& choice) {
    choice_ = choice;
    for (std::size_t i = 0; i < types_.size(); ++i)
        types_[i]->setChecked(presentedPoints[i] == choice.typePoints);
    memory_->setChecked(choice.memory);
    cluster_->setChecked(choice.cluster);
}

void PresentMenu::choose(const PresentChoice& choice) {
    setChoice(choice);
    emit chosen();
}

void PresentMenu::nextType() {
    PresentChoice wanted = choice_;
    const auto* now = std::find(std::begin(presentedPoints), std::end(presentedPoints), choice_.typePoints);
    const auto next = static_cast<std::size_t>(now - std::begin(presentedPoints)) + 1;
    wanted.typePoints = presentedPoints[next % std::size(presentedPoints)];
    choose(wanted);
}

void PresentMenu::toggleMemory() {
    PresentChoice wanted = choice_;
    wanted.memory = !wanted.memory;
    choose(wanted);
}

void PresentMenu::toggleCluster() {
    PresentChoice wanted = choice_;
    wanted.cluster = !wanted.cluster;
    choose(wanted);
}

}  // namespace stagecraft::views::play
