#pragma once

#include "core/model/timeline.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::model {

struct Cluster;

/// Identifies a block of a plan's timeline, whenever it runs and on whichever device.
struct BlockName {
    BlockKind kind = BlockKind::forward;
    int stage = 0;  ///< transfers: the sender
    int microbatch = -1;
    int iteration = 0;
    int slice = 0;  ///< 0 where sequences are whole
    bool operator==(const BlockName&) const = default;
};

BlockName nameOfBlock(const Timeline& timeline, std::uint32_t block);
/// "forward of microbatch 3 on stage 2", "AllReduce of stage 2"; of a later mini-batch with its number.
std::string blockNameText(const BlockName& name);

/// How a note is drawn in a figure; the chart of the window shows a flag for each.
enum class NoteShape {
    flag,     ///< above the lanes, with a line down to what it is about
    text,     ///< in its lane
    bracket,  ///< over its interval
    arrow,    ///< from its instant and lane to where it ends
};

/// Where an arrow ends.
struct NoteEnd {
    double atS = 0;
    std::string device;  ///< id of one that computes in the lane
    int panel = -1;      ///< of a figure that has several, from 0; -1: the panel of the note
    bool operator==(const NoteEnd&) const = default;
};

/// A bookmark on a plan's chart, or a note: something to find again, or a remark about it. Not part of
/// the plan.
struct ChartNote {
    double atS = 0;                ///< the instant, or where the interval begins
    std::optional<double> untilS;  ///< end of the interval, > atS; nothing: an instant
    std::string device;            ///< id of one that computes in the lane it is about; empty: all lanes
    std::string text;              ///< empty: a bookmark
    /// The block that it is about, with which it moves; the times above are when that ran as the note was
    /// made. Nothing: it is about the time.
    std::optional<BlockName> block{};
    NoteShape shape = NoteShape::flag;
    std::optional<NoteEnd> end{};  ///< of an arrow, which is a flag without it
    /// What the chart showed as the note was made, from and to, seconds: where a jump to it leads. Nothing: a
    /// margin around it.
    std::optional<std::pair<double, double>> viewS{};
    bool operator==(const ChartNote&) const = default;
};

/// Where the notes of a plan belong on a timeline of it.
struct PlacedNotes {
    std::vector<ChartNote> notes;  ///< with the times and devices of their blocks, by time
    std::vector<int> from;         ///< by place above: which of the given notes it is
    std::vector<bool> gone;  ///< by place above: its block is not on the timeline; its times are the old ones
};
PlacedNotes placeNotes(const std::vector<ChartNote>& notes, const Timeline& timeline, const Cluster& cluster);

}  // namespace stagecraft::model
