#include "views/figures/note_marks.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::figures {
namespace {

const QColor noteInk(0x1A, 0x1A, 0x1A);
const std::string markRole = "note";
constexpr double strokeMm = 0.3;
constexpr double casingMm = 1.1;  // of white around lines, so that they are seen on any block
constexpr double tickMm = 0.9;
constexpr double paddingMm = 0.4;
constexpr double leastShaftMm = 4;  // of an arrow beside its label

const FigureLane* laneOf(const std::vector<FigureLane>& lanes, const std::string& device) {
    const auto found = std::find_if(lanes.begin(), lanes.end(),
                                    [&](const FigureLane& lane) { return lane.device == device; });
    return found == lanes.end() ? nullptr : &*found;
}

double xAt(const FigureLane& lane, double timeS) {
    return lane.rect.left() + (timeS - lane.fromS) / (lane.toS - lane.fromS) * lane.rect.width();
}

bool shows(const FigureLane& lane, double timeS) { return timeS >= lane.fromS && timeS <= lane.toS; }

void addLine(Figure& figure, const QPointF& from, const QPointF& to, bool arrowhead = false) {
    figure.add(FigureLine{from, to, {Qt::white, casingMm, {}}, false, markRole + " casing"});
    figure.add(FigureLine{from, to, {noteInk, strokeMm, {}}, arrowhead, markRole});
}

/// About a point, within the page.
void addLabel(Figure& figure, QPointF middle, const std::string& text, double fontPt) {
    if (text.empty()) return;
    const QString label = QString::fromStdString(text);
    const double wide = textWidthMm(label, fontPt) + 2 * paddingMm;
    const double high = capHeightMm(fontPt) + 2 * paddingMm;
    middle.setX(std::clamp(middle.x(), wide / 2, std::max(wide / 2, figure.widthMm - wide / 2)));
    const QRectF box(middle.x() - wide / 2, middle.y() - high / 2, wide, high);
    figure.add(FigureRectangle{box, Fill{Qt::white}, {}, markRole + " label"});
    figure.add(FigureText{middle, label, fontPt, TextAnchor::middle, TextRise::middle, 0, noteInk});
}

void addBracket(Figure& figure, const FigureLane& lane, const ChartNote& note, double fontPt) {
    const double left = xAt(lane, std::max(note.atS, lane.fromS));
    const double right = xAt(lane, std::min(*note.untilS, lane.toS));
    if (right <= left) return;
    const double y = lane.rect.top() + strokeMm / 2;
    addLine(figure, {left, y}, {right, y});
    for (const double x : {left, right}) addLine(figure, {x, y}, {x, y + tickMm});
    addLabel(figure, {(left + right) / 2, lane.rect.center().y() + 0.1 * lane.rect.height()}, note.text,
             fontPt);
}

void addArrow(Figure& figure, const FigureLane& lane, const FigureLane& other, const ChartNote& note,
              double fontPt) {
    if (!shows(lane, note.atS) || !shows(other, note.end->atS)) return;
    const QPointF from(xAt(lane, note.atS), lane.rect.center().y());
    const QPointF to(xAt(other, note.end->atS), other.rect.center().y());
    addLine(figure, from, to, true);
    const QPointF way = to - from;
    const double length = std::hypot(way.x(), way.y());
    const QPointF along = length > 0 ? way / length : QPointF(1, 0);
    const double wide = textWidthMm(QString::fromStdString(note.text), fontPt) + 2 * paddingMm;
    const double high = capHeightMm(fontPt) + 2 * paddingMm;
    // How far the label reaches from its middle along the arrow. One that would cover most of it stands
    // behind its tail.
    const double reach = std::min(wide / 2 / std::max(std::abs(along.x()), 1e-9),
                                  high / 2 / std::max(std::abs(along.y()), 1e-9));
    const bool isShort = length < 2 * reach + leastShaftMm;
    addLabel(figure, isShort ? from - (reach + paddingMm) * along : (from + to) / 2, note.text, fontPt);
}

void addArrowWithin(Figure& figure, const FigureLane& lane, const ChartNote& note, double fontPt) {
    if (const FigureLane* found = laneOf(figure.lanes, note.end->device)) {
        const FigureLane other = *found;  // the figure grows
        addArrow(figure, lane, other, note, fontPt);
    }
}

}  // namespace

bool isOnLanes(const ChartNote& note) {
    if (note.shape == NoteShape::arrow) return note.end.has_value();
    return note.shape != NoteShape::flag && !note.device.empty();
}

bool endsElsewhere(const ChartNote& note) {
    return note.shape == NoteShape::arrow && note.end && note.end->panel >= 0;
}

void addArrowAcross(Figure& figure, const ChartNote& note, const std::vector<FigureLane>& fromLanes,
                    const std::vector<FigureLane>& toLanes, double fontPt) {
    const FigureLane *from = laneOf(fromLanes, note.device), *to = laneOf(toLanes, note.end->device);
    if (from && to) addArrow(figure, *from, *to, note, fontPt);
}

void addNoteMarks(Figure& figure, const std::vector<ChartNote>& notes, double fontPt) {
    for (const ChartNote& note : notes) {
        if (!isOnLanes(note) || endsElsewhere(note)) continue;
        const FigureLane* found = laneOf(figure.lanes, note.device);
        if (!found) continue;
        const FigureLane lane = *found;  // the figure grows
        if (note.shape == NoteShape::bracket)
            addBracket(figure, lane, note, fontPt);
        else if (note.shape == NoteShape::arrow)
            addArrowWithin(figure, lane, note, fontPt);
        else if (shows(lane, note.atS))
            addLabel(figure, {xAt(lane, note.atS), lane.rect.center().y()}, note.text, fontPt);
    }
}

}  // namespace stagecraft::views::figures
