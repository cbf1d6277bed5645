#include "views/puzzles/puzzle_canvas.h"

#include "core/formats/pass_text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::puzzles {

namespace {

constexpr double blockRound = 2, chipRound = 4;
constexpr double leastTickGap = 34;  // pixels between numbers of the axis
constexpr double axisMargin = 1.1;   // times par are shown from the start

QString nameOfPass(const PuzzleBoard& board, const Task& task) {
    return QString::fromStdString(passText(task, board.puzzle().chunks > 1, false));
}

int tickStep(double unit) {
    for (int step = 1;; step *= 10)
        for (const int part : {1, 2, 5})
            if (part * step * unit >= leastTickGap) return part * step;
}

}  // namespace

PuzzleCanvas::PuzzleCanvas(QWidget* parent) : Canvas(tr("Puzzle board"), CanvasMotion::none, parent) {
    setObjectName(QStringLiteral("puzzleCanvas"));
}

void PuzzleCanvas::setBoard(std::shared_ptr<const PuzzleBoard> board, int par) {
    const bool another = !board_ || !board || !(board_->puzzle() == board->puzzle());
    board_ = std::move(board);
    par_ = par;
    hint_.reset();
    if (another) device_ = place_ = 0;
    layOut();
}

void PuzzleCanvas::setHint(std::optional<PlacedPass> hint) {
    hint_ = std::move(hint);
    update();
}

void PuzzleCanvas::layOut() {
    if (board_) {
        const int least =
            static_cast<int>(std::ceil(axisMargin * std::max(par_, longestWork(board_->puzzle())))) + 1;
        layout_ = layOutPuzzle(*board_, size(), least);
        choose(device_, place_);
    }
    update();
}

void PuzzleCanvas::resizeEvent(QResizeEvent* event) {
    Canvas::resizeEvent(event);
    layOut();
}

std::vector<const TrayPass*> PuzzleCanvas::trayOf(int device) const {
    std::vector<const TrayPass*> own;
    for (const TrayPass& pass : layout_.tray)
        if (pass.device == device) own.push_back(&pass);
    return own;
}

const TrayPass* PuzzleCanvas::chosen() const {
    const std::vector<const TrayPass*> own = trayOf(device_);
    return place_ < static_cast<int>(own.size()) ? own[static_cast<std::size_t>(place_)] : nullptr;
}

void PuzzleCanvas::choose(int device, int place) {
    if (!board_) return;
    device_ = std::clamp(device, 0, board_->puzzle().devices - 1);
    place_ = std::clamp(place, 0, std::max(0, static_cast<int>(trayOf(device_).size()) - 1));
    if (const TrayPass* pass = chosen())
        setAccessibleDescription(tr("GPU %1, %2").arg(device_).arg(nameOfPass(*board_, pass->task)));
    update();
}

bool PuzzleCanvas::step(QPoint by) {
    choose(device_ + by.y(), place_ + by.x());
    return true;
}

bool PuzzleCanvas::pick(Qt::KeyboardModifiers) {
    const TrayPass* pass = chosen();
    if (pass) emit placeRequested(Task(pass->task), device_, -1);
    return pass != nullptr;
}

/// F, B, I and W ask for the first such pass of the chosen device that is ready, else for the first.
bool PuzzleCanvas::takeLetter(int key) {
    const char letter = key >= Qt::Key_A && key <= Qt::Key_Z ? static_cast<char>(key) : ' ';
    const std::optional<TaskKind> kind = passOfLetter(letter);
    const TrayPass* first = nullptr;
    for (const TrayPass* pass : trayOf(device_))
        if (kind && pass->task.kind == *kind && (!first || (pass->ready && !first->ready))) first = pass;
    if (first) emit placeRequested(Task(first->task), device_, -1);
    return first != nullptr;
}

void PuzzleCanvas::keyPressEvent(QKeyEvent* event) {
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    if (board_ && plain && takeLetter(event->key())) return;
    if (board_ && plain && event->key() == Qt::Key_Backspace && !board_->lane(device_).empty()) {
        emit takeBackRequested(Task(board_->lane(device_).back().task));
        return;
    }
    Canvas::keyPressEvent(event);
}

void PuzzleCanvas::click(QPointF at, Qt::KeyboardModifiers) {
    if (!board_) return;
    if (const TrayPass* pass = layout_.trayAt(at)) {
        const TrayPass wanted = *pass;
        const std::vector<const TrayPass*> own = trayOf(wanted.device);
        choose(wanted.device, static_cast<int>(std::find(own.begin(), own.end(), pass) - own.begin()));
        emit placeRequested(wanted.task, wanted.device, -1);
        return;
    }
    if (const PlacedPass* placed = layout_.passAt(at, *board_)) {
        const Task task = placed->task;
        choose(board_->puzzle().deviceOf(task.stage), 0);
        emit takeBackRequested(task);
        return;
    }
    const int device = layout_.deviceAt(at);
    if (device < 0) return;
    if (device != device_) return choose(device, 0);
    const bool inLane = layout_.lanes[static_cast<std::size_t>(device)].contains(at);
    if (const TrayPass* pass = chosen(); pass && inLane)
        emit placeRequested(Task(pass->task), device, layout_.timeAt(at));
}

QString PuzzleCanvas::tipAt(QPointF at) const {
    if (const TrayPass* pass = layout_.trayAt(at)) {
        const std::string why = board_->refusal(pass->task, pass->device);
        if (!why.empty()) return QString::fromStdString(why);
        const int start = std::max(board_->freeAt(pass->device), *board_->arrival(pass->task));
        return tr("Places %1 at %2").arg(nameOfPass(*board_, pass->task)).arg(start);
    }
    const PlacedPass* pass = layout_.passAt(at, *board_);
    if (!pass) return {};
    return tr("%1 of microbatch %2 on stage %3, from %4 to %5; a click takes it back")
        .arg(QLatin1String(blockKindName(blockKindOf(pass->task.kind))))
        .arg(pass->task.microbatch)
        .arg(pass->task.stage)
        .arg(pass->start)
        .arg(pass->end);
}

void PuzzleCanvas::hoverAt(QPointF at, QPoint onScreen) {
    if (board_) showTip(tipAt(at), besidePointer(onScreen));
}

void PuzzleCanvas::paintPass(QPainter& painter, const QRectF& box, const Task& task, bool ready) const {
    const Theme& theme = Theme::current();
    const QColor colour = shownBlockColour(blockKindOf(task.kind));
    painter.setBrush(ready ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter.setPen(QPen(ready ? theme.surface : theme.line, 1));
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), ready ? blockRound : chipRound,
                            ready ? blockRound : chipRound);
    painter.setPen(ready ? readableOn(colour) : theme.mutedText);
    const QFontMetricsF metrics(painter.font());
    const QString bare = QString::fromStdString(passText(task, false, false));
    for (const QString& text : {nameOfPass(*board_, task), bare, QString::number(task.microbatch)})
        if (metrics.horizontalAdvance(text) + 2 <= box.width())
            return painter.drawText(box, Qt::AlignCenter, text);
}

void PuzzleCanvas::paintLane(QPainter& painter, int device) const {
    const Theme& theme = Theme::current();
    const QRectF& lane = layout_.lanes[static_cast<std::size_t>(device)];
    painter.fillRect(lane, theme.raised);
    int end = 0;
    for (const PlacedPass& pass : board_->lane(device)) {
        if (pass.start > end)
            painter.fillRect(layout_.boxOf(device, end, pass.start), QBrush(theme.line, Qt::BDiagPattern));
        paintPass(painter, layout_.boxOf(device, pass.start, pass.end), pass.task, true);
        end = pass.end;
    }
    if (device == device_) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(hasFocus() ? theme.accent : theme.mutedText, 1));
        painter.drawRect(lane.adjusted(-0.5, -0.5, 0.5, 0.5));
    }
    if (!hint_ || board_->puzzle().deviceOf(hint_->task.stage) != device) return;
    const QRectF box = layout_.boxOf(device, hint_->start, hint_->end);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2, Qt::DashLine));
    painter.drawRect(box.adjusted(1, 1, -1, -1));
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, nameOfPass(*board_, hint_->task));
}

void PuzzleCanvas::paintName(QPainter& painter, int device) const {
    const Theme& theme = Theme::current();
    const QRectF& box = layout_.names[static_cast<std::size_t>(device)];
    painter.setPen(theme.text);
    const double line = QFontMetricsF(painter.font()).height();
    const bool two = box.height() >= 2 * line;
    const QRectF upper = two ? QRectF(box.left(), box.center().y() - line, box.width(), line) : box;
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, tr("GPU %1").arg(device));
    if (!two) return;
    const int halves = board_->heldHalves(device), limit = board_->puzzle().memoryLimit;
    QString held = QString::number(halves / 2.0);
    if (limit > 0) held = tr("%1 of %2").arg(held).arg(limit);
    painter.setPen(limit > 0 && halves + 2 > 2 * limit ? theme.warning : theme.mutedText);
    painter.drawText(QRectF(box.left(), box.center().y(), box.width(), line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("holds %1").arg(held));
}

void PuzzleCanvas::paintTray(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const TrayPass* marked = chosen();
    for (const TrayPass& pass : layout_.tray) {
        paintPass(painter, pass.box, pass.task, pass.ready);
        if (&pass != marked) continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(hasFocus() ? theme.accent : theme.mutedText, 2));
        painter.drawRoundedRect(pass.box.adjusted(-2, -2, 2, 2), chipRound, chipRound);
    }
}

void PuzzleCanvas::paintAxis(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const int step = tickStep(layout_.unit);
    const double bottom = layout_.lanes.back().bottom();
    for (int time = 0; time <= layout_.shownTime; time += step) {
        const double x = layout_.xOf(time);
        painter.setPen(theme.line);
        painter.drawLine(QPointF(x, layout_.axis.top()), QPointF(x, layout_.axis.top() + 4));
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(x - 20, layout_.axis.top() + 4, 40, layout_.axis.height() - 4),
                         Qt::AlignCenter, QString::number(time));
    }
    if (par_ <= 0) return;
    const double x = layout_.xOf(par_);
    painter.setPen(QPen(theme.ok, 1.5, Qt::DashLine));
    painter.drawLine(QPointF(x, layout_.lanes.front().top() - 8), QPointF(x, bottom + 6));
    painter.setPen(theme.ok);
    painter.drawText(QRectF(x + 3, bottom + 1, 40, 14), Qt::AlignLeft | Qt::AlignVCenter, tr("par"));
}

void PuzzleCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current().surface);
    if (!board_) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont(font()));
    for (int device = 0; device < board_->puzzle().devices; ++device) {
        paintLane(painter, device);
        paintName(painter, device);
    }
    paintAxis(painter);
    paintTray(painter);
}

}  // namespace stagecraft::views::puzzles
