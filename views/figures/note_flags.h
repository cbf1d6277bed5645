#pragma once

#include "core/model/chart_note.h"
#include "views/figures/axis.h"

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::views::figures {

/// The notes on a plan's chart as flags in a band above the lanes of a figure, with a line down to what each
/// is about. A bookmark is a flag without text. Notes outside the time that is drawn are left out.
class NoteFlags {
public:
    /// Where on the page the lane is in which a note's device computes; nothing if it is not drawn.
    using LaneOf = std::function<std::optional<QRectF>(const ChartNote&)>;

    /// Lays them out, so that no flag covers another, between the ends of the axis.
    NoteFlags(const std::vector<ChartNote>& notes, const FigureScale& time, double fontPt);

    double heightMm() const;
    /// From topMm down, over lanes that end at bottomMm.
    void draw(Figure& figure, double topMm, double bottomMm, const LaneOf& laneOf) const;

private:
    struct Flag {
        const ChartNote* note;
        QString text;
        double fromMm, toMm;  ///< what it is about
        double leftMm, widthMm;
        int row;

        bool isBracket() const { return note->shape == NoteShape::bracket; }
    };
    QRectF rectOf(const Flag& flag, double topMm) const;
    void drawBracket(Figure& figure, const Flag& flag, double topMm) const;
    void drawLines(Figure& figure, const Flag& flag, double topMm, double bottomMm,
                   const LaneOf& laneOf) const;

    FigureScale time_;
    double fontPt_;
    double rowMm_;
    int rows_ = 0;
    std::vector<Flag> flags_;
};

}  // namespace stagecraft::views::figures
