#include "core/formats/files/note_json.h"

namespace stagecraft::formats {

using nlohmann::ordered_json;

namespace {

constexpr EnumName<BlockKind> noteBlockNames[] = {{BlockKind::forward, "forward"},
                                                  {BlockKind::backward, "backward"},
                                                  {BlockKind::inputGradient, "input_gradient"},
                                                  {BlockKind::weightGradient, "weight_gradient"},
                                                  {BlockKind::pair, "overlapped_pair"},
                                                  {BlockKind::recompute, "recompute"},
                                                  {BlockKind::transferForward, "transfer_forward"},
                                                  {BlockKind::transferBackward, "transfer_backward"},
                                                  {BlockKind::allReduce, "allreduce"},
                                                  {BlockKind::swapOut, "swap_out"},
                                                  {BlockKind::swapIn, "swap_in"},
                                                  {BlockKind::update, "update"},
                                                  {BlockKind::gradientPass, "gradient_pass"},
                                                  {BlockKind::reduceScatter, "reduce_scatter"},
                                                  {BlockKind::allGather, "all_gather"},
                                                  {BlockKind::headForward, "output_forward"},
                                                  {BlockKind::headBackward, "output_backward"},
                                                  {BlockKind::embeddingForward, "embedding_forward"},
                                                  {BlockKind::embeddingBackward, "embedding_backward"},
                                                  {BlockKind::headInput, "output_broadcast"},
                                                  {BlockKind::headBarrier, "softmax_allreduce"},
                                                  {BlockKind::headGradient, "output_allreduce"},
                                                  {BlockKind::embeddingOutput, "embedding_allreduce"},
                                                  {BlockKind::embeddingReturn, "embedding_broadcast"},
                                                  {BlockKind::communication, "communication"},
                                                  {BlockKind::other, "other"}};

BlockName blockFromJson(const JsonValue& value) {
    const JsonObject object(value, {"kind", "stage", "microbatch", "iteration", "slice"});
    BlockName block;
    block.kind = object.required("kind").choice(noteBlockNames);
    block.stage = object.required("stage").integer(0);
    if (const auto microbatch = object.optional("microbatch")) block.microbatch = microbatch->integer(0);
    if (const auto iteration = object.optional("iteration")) block.iteration = iteration->integer(0);
    if (const auto slice = object.optional("slice")) block.slice = slice->integer(0);
    return block;
}

ordered_json toJson(const BlockName& block) {
    ordered_json out = {{"kind", nameOf(noteBlockNames, block.kind)}, {"stage", block.stage}};
    if (block.microbatch >= 0) out["microbatch"] = block.microbatch;
    if (block.iteration > 0) out["iteration"] = block.iteration;
    if (block.slice > 0) out["slice"] = block.slice;
    return out;
}

constexpr EnumName<NoteShape> noteShapeNames[] = {{NoteShape::flag, "flag"},
                                                  {NoteShape::text, "text"},
                                                  {NoteShape::bracket, "bracket"},
                                                  {NoteShape::arrow, "arrow"}};

ChartNote noteFromJson(const JsonValue& value) {
    const JsonObject object(value, {"at_s", "until_s", "device", "text", "block", "shape", "to", "view"});
    ChartNote note;
    note.atS = object.required("at_s").nonNegative();
    if (const auto until = object.optional("until_s")) {
        note.untilS = until->nonNegative();
        if (*note.untilS <= note.atS) until->fail("the stretch ends before it begins", "more than 'at_s'");
    }
    note.device = object.textOr("device", "");
    note.text = object.textOr("text", "");
    if (const auto block = object.optional("block")) note.block = blockFromJson(*block);
    if (const auto shape = object.optional("shape")) note.shape = shape->choice(noteShapeNames);
    if (const auto end = object.optional("to")) {
        const JsonObject to(*end, {"at_s", "device", "panel"});
        note.end = {to.required("at_s").nonNegative(), to.required("device").text()};
        if (const auto panel = to.optional("panel")) note.end->panel = panel->integer(0);
    }
    if (const auto view = object.optional("view")) {
        const JsonObject range(*view, {"from_s", "to_s"});
        note.viewS = {range.required("from_s").number(), range.required("to_s").number()};
        if (note.viewS->second <= note.viewS->first)
            range.required("to_s").fail("the view ends before it begins", "more than 'from_s'");
    }
    if (note.shape == NoteShape::bracket && !note.untilS)
        value.fail("a bracket has no end", "'until_s', more than 'at_s'");
    if (note.shape == NoteShape::arrow && !note.end) value.fail("an arrow has no end", "'to'");
    return note;
}

ordered_json toJson(const ChartNote& note) {
    ordered_json out = {{"at_s", note.atS}};
    if (note.untilS) out["until_s"] = *note.untilS;
    if (!note.device.empty()) out["device"] = note.device;
    if (!note.text.empty()) out["text"] = note.text;
    if (note.block) out["block"] = toJson(*note.block);
    if (note.shape != NoteShape::flag) out["shape"] = nameOf(noteShapeNames, note.shape);
    if (note.end) out["to"] = {{"at_s", note.end->atS}, {"device", note.end->device}};
    if (note.end && note.end->panel >= 0) out["to"]["panel"] = note.end->panel;
    if (note.viewS) out["view"] = {{"from_s", note.viewS->first}, {"to_s", note.viewS->second}};
    return out;
}

}  // namespace

std::vector<ChartNote> notesFromJson(const JsonValue& value) {
    std::vector<ChartNote> notes;
    for (const JsonValue& entry : value.elements()) notes.push_back(noteFromJson(entry));
    return notes;
}

ordered_json toJson(const std::vector<ChartNote>& notes) {
    ordered_json out = ordered_json::array();
    for (const ChartNote& note : notes) out.push_back(toJson(note));
    return out;
}

}  // namespace stagecraft::formats
