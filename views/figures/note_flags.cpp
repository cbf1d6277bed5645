#include "views/figures/note_flags.h"

#include "views/figures/note_marks.h"

#include <algorithm>

namespace stagecraft::views::figures {
namespace {

const QColor noteColour(0x1F, 0x4E, 0x8C);
const QColor flagColour(0xE4, 0xEC, 0xF6);
const std::string noteRole = "note";
constexpr double textMarginMm = 0.7;
constexpr double betweenFlagsMm = 0.5;
constexpr double bookmarkMm = 1.4;
constexpr double widestShare = 0.6;  // of the axis, that one text may take
constexpr double barMm = 0.4;        // over the lanes, as long as the stretch that a note is about

}  // namespace

NoteFlags::NoteFlags(const std::vector<ChartNote>& notes, const FigureScale& time, double fontPt)
    : time_(time), fontPt_(fontPt), rowMm_(1.35 * mmOfPoints(fontPt_)) {
    struct End {
        double wordsMm;
        double lineMm;  // of a bracket
    };
    std::vector<End> ends;  // of the last flag in each row
    // A bracket may begin where another one ends, if their words are apart.
    const auto isClear = [](const End& end, double wordsMm, double lineMm) {
        return end.wordsMm + betweenFlagsMm <= wordsMm && end.lineMm <= lineMm + 1e-6;
    };
    for (const ChartNote& note : notes) {
        if (isOnLanes(note)) continue;
        const double until = note.untilS.value_or(note.atS);
        if (until < time.from || note.atS > time.to) continue;
        Flag flag{&note, {}, time.at(std::max(note.atS, time.from)), time.at(std::min(until, time.to)), 0,
                  0,     0};
        const double room = widestShare * (time.endMm - time.startMm);
        if (!note.text.empty()) flag.text = cutToWidth(QString::fromStdString(note.text), room, fontPt_);
        flag.widthMm = flag.text.isEmpty() ? bookmarkMm : textWidthMm(flag.text, fontPt_) + 2 * textMarginMm;
        if (flag.isBracket()) flag.widthMm = std::max(flag.widthMm, flag.toMm - flag.fromMm);
        const double wanted = flag.isBracket() ? (flag.fromMm + flag.toMm - flag.widthMm) / 2 : flag.fromMm;
        flag.leftMm = std::max(time.startMm, std::min(wanted, time.endMm - flag.widthMm));
        // Below all that it would touch: then no line of a flag above runs through it.
        const double words = flag.isBracket() ? textWidthMm(flag.text, fontPt_) : flag.widthMm;
        const double wordsMm = flag.leftMm + (flag.widthMm - words) / 2;
        const double lineMm = flag.isBracket() ? flag.fromMm : wordsMm;
        flag.row = static_cast<int>(ends.size());
        while (flag.row > 0 && isClear(ends[static_cast<std::size_t>(flag.row) - 1], wordsMm, lineMm))
            --flag.row;
        ends.resize(std::max(ends.size(), static_cast<std::size_t>(flag.row) + 1));
        ends[static_cast<std::size_t>(flag.row)] = {wordsMm + words,
                                                    flag.isBracket() ? flag.toMm : wordsMm + words};
        flags_.push_back(std::move(flag));
    }
    rows_ = static_cast<int>(ends.size());
}

double NoteFlags::heightMm() const { return rows_ == 0 ? 0 : rows_ * rowMm_ + 2 * barMm; }

QRectF NoteFlags::rectOf(const Flag& flag, double topMm) const {
    return {flag.leftMm, topMm + flag.row * rowMm_, flag.widthMm, 0.85 * rowMm_};
}

void NoteFlags::drawLines(Figure& figure, const Flag& flag, double topMm, double bottomMm,
                          const LaneOf& laneOf) const {
    if (flag.isBracket()) return drawBracket(figure, flag, topMm);
    const Stroke solid{noteColour, 0.2, {}}, dashed{noteColour, 0.2, {0.7, 0.5}};
    const double lanesMm = topMm + heightMm(), foot = rectOf(flag, topMm).bottom();
    const std::optional<QRectF> lane = laneOf(*flag.note);
    figure.add(FigureLine{{flag.fromMm, foot}, {flag.fromMm, lanesMm}, solid, false, noteRole});
    figure.add(FigureLine{{flag.fromMm, lanesMm},
                          {flag.fromMm, lane ? lane->top() : bottomMm},
                          dashed,
                          false,
                          noteRole + " line"});
    if (!flag.note->untilS) return;
    if (lane) {
        const QRectF stretch(flag.fromMm, lane->top(), flag.toMm - flag.fromMm, lane->height());
        return figure.add(FigureRectangle{stretch, {}, {noteColour, 0.35, {}}, noteRole + " frame"});
    }
    figure.add(FigureRectangle{{flag.fromMm, lanesMm - barMm, flag.toMm - flag.fromMm, barMm},
                               Fill{noteColour},
                               {},
                               noteRole + " bar"});
    figure.add(FigureLine{{flag.toMm, lanesMm}, {flag.toMm, bottomMm}, dashed, false, noteRole + " line"});
}

/// Just below its words, over the lanes.
void NoteFlags::drawBracket(Figure& figure, const Flag& flag, double topMm) const {
    const Stroke stroke{QColor(0x1A, 0x1A, 0x1A), 0.25, {}};
    const double y = rectOf(flag, topMm).bottom(), foot = y + 2 * barMm;
    const double apart = std::min(0.25, (flag.toMm - flag.fromMm) / 4);  // two that touch stay two
    const double left = flag.fromMm + apart, right = flag.toMm - apart;
    figure.add(FigureLine{{left, y}, {right, y}, stroke, false, noteRole});
    for (const double x : {left, right}) figure.add(FigureLine{{x, y}, {x, foot}, stroke, false, noteRole});
}

void NoteFlags::draw(Figure& figure, double topMm, double bottomMm, const LaneOf& laneOf) const {
    for (const Flag& flag : flags_) drawLines(figure, flag, topMm, bottomMm, laneOf);
    for (const Flag& flag : flags_) {
        const QRectF rect = rectOf(flag, topMm);
        if (flag.isBracket()) {
            figure.add(FigureText{rect.center(), flag.text, fontPt_, TextAnchor::middle, TextRise::middle});
            continue;
        }
        figure.add(FigureRectangle{
            rect, Fill{flag.text.isEmpty() ? noteColour : flagColour}, {}, noteRole + " flag"});
        if (flag.text.isEmpty()) continue;
        figure.add(FigureText{{rect.left() + textMarginMm, rect.center().y()},
                              flag.text,
                              fontPt_,
                              TextAnchor::start,
                              TextRise::middle,
                              0,
                              noteColour});
    }
}

}  // namespace stagecraft::views::figures
