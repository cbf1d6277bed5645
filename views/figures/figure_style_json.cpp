#include "views/figures/figure_style_json.h"

#include "core/formats/json_reader.h"
#include "core/formats/json_writer.h"
#include "views/figures/figure_sink.h"

#include <algorithm>

namespace stagecraft::views::figures {
namespace {

constexpr const char* formatName = "stagecraft/figure-style";

struct Flag {
    const char* name;
    bool FigureStyle::*member;
};
constexpr Flag lookFlags[] = {
    {"text_as_paths", &FigureStyle::textAsPaths},
    {"grey", &FigureStyle::grey},
    {"hatches", &FigureStyle::hatches},
    {"title", &FigureStyle::title},
    {"legend", &FigureStyle::legend},
};
constexpr Flag scheduleFlags[] = {
    {"communication", &FigureStyle::communication},
    {"first_stage_below", &FigureStyle::firstStageBelow},
    {"numbers", &FigureStyle::numbers},
    {"count_from_one", &FigureStyle::countFromOne},
    {"bubbles", &FigureStyle::bubbles},
    {"critical_path", &FigureStyle::criticalPath},
    {"memory", &FigureStyle::memory},
    {"marks", &FigureStyle::marks},
    {"predictions", &FigureStyle::predictions},
    {"notes", &FigureStyle::notes},
    {"letters", &FigureStyle::letters},
    {"memory_lines", &FigureStyle::memoryLines},
    {"name_line", &FigureStyle::nameLine},
    {"insides", &FigureStyle::insides},
};

/// Empty where the style leaves it to the drawing.
struct Words {
    const char* name;
    std::string FigureStyle::*member;
};
constexpr Words wordFields[] = {
    {"title_text", &FigureStyle::titleText},     {"lane_names", &FigureStyle::laneNames},
    {"legend_names", &FigureStyle::legendNames}, {"panel_names", &FigureStyle::panelNames},
    {"time_title", &FigureStyle::timeTitle},     {"own_colours", &FigureStyle::ownColours},
};

/// 0 where the style leaves it to the drawing.
struct Length {
    const char* name;
    double FigureStyle::*member;
    double least, most;
    bool mayBeZero;
    const char* unit;
};
constexpr Length lengths[] = {
    {"width_mm", &FigureStyle::widthMm, narrowestMm, widestMm, false, "mm"},
    {"height_mm", &FigureStyle::heightMm, lowestLaneMm, widestMm, true, "mm"},
    {"lane_mm", &FigureStyle::laneMm, lowestLaneMm, highestLaneMm, true, "mm"},
    {"font_pt", &FigureStyle::fontPt, smallestPt, largestPt, false, "points"},
    {"number_pt", &FigureStyle::numberPt, smallestPt, largestPt, true, "points"},
};

double lengthFrom(const JsonValue& value, const Length& length) {
    const double number = value.nonNegative();
    if (number == 0 && length.mayBeZero) return 0;
    if (number < length.least || number > length.most)
        value.fail("the number is out of bounds", figureNumber(length.least) + " to " +
                                                      figureNumber(length.most) + " " + length.unit +
                                                      (length.mayBeZero ? ", or 0 to leave it open" : ""));
    return number;
}

std::string familyFrom(const JsonValue& value) {
    const std::string& family = value.text();
    const auto unfit = [](unsigned char c) { return c < 0x20 || c == '\'' || c == '"' || c == '\\'; };
    if (family.empty() || family.size() > 200 || std::any_of(family.begin(), family.end(), unfit))
        value.fail("not the name of a font", "a family such as 'DejaVu Sans'");
    return family;
}

std::vector<std::string> fieldNames() {
    std::vector<std::string> names = {"format",    "version",    "name",    "font_family",  "panel_time",
                                      "time_unit", "block_text", "palette", "axis",         "colour",
                                      "dpi",       "standalone", "slide",   "panel_columns"};
    for (const Length& length : lengths) names.push_back(length.name);
    for (const Words& each : wordFields) names.push_back(each.name);
    for (const Flag& flag : lookFlags) names.push_back(flag.name);
    for (const Flag& flag : scheduleFlags) names.push_back(flag.name);
    return names;
}

}  // namespace

FigureStyle readFigureStyle(std::string_view text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, formatName);
    const JsonObject object(root, fieldNames());
    FigureStyle style;
    style.name = object.textOr("name", style.name);
    for (const Length& length : lengths)
        if (const auto value = object.optional(length.name))
            style.*length.member = lengthFrom(*value, length);
    if (const auto value = object.optional("font_family")) style.fontFamily = familyFrom(*value);
    for (const Flag& flag : lookFlags) style.*flag.member = object.booleanOr(flag.name, style.*flag.member);
    for (const Flag& flag : scheduleFlags)
        style.*flag.member = object.booleanOr(flag.name, style.*flag.member);
    if (const auto value = object.optional("axis")) style.axis = value->choice(figureAxisNames);
    if (const auto value = object.optional("colour")) style.colouring = value->choice(colouringNames);
    for (const Words& each : wordFields) style.*each.member = object.textOr(each.name, style.*each.member);
    if (const auto value = object.optional("palette")) style.palette = value->choice(paletteNames);
    if (const auto value = object.optional("time_unit")) style.timeUnit = value->choice(timeUnitNames);
    if (const auto value = object.optional("block_text")) style.blockText = value->choice(blockTextNames);
    if (const auto value = object.optional("panel_time")) style.panelTime = value->choice(panelTimeNames);
    if (const auto value = object.optional("panel_columns"))
        style.panelColumns = value->integer(fewestColumns, mostPanelColumns);
    if (const auto value = object.optional("dpi")) style.dpi = value->integer(coarsestDpi, finestDpi);
    style.standalone = object.booleanOr("standalone", style.standalone);
    style.slide = object.booleanOr("slide", style.slide);
    return style;
}

std::string writeFigureStyle(const FigureStyle& style) {
    nlohmann::ordered_json document;
    document["format"] = formatName;
    document["version"] = 1;
    document["name"] = utf8(style.name);
    for (const Length& length : lengths) document[length.name] = style.*length.member;
    document["font_family"] = utf8(style.fontFamily);
    for (const Flag& flag : lookFlags) document[flag.name] = style.*flag.member;
    document["axis"] = nameOf(figureAxisNames, style.axis);
    document["colour"] = nameOf(colouringNames, style.colouring);
    for (const Flag& flag : scheduleFlags) document[flag.name] = style.*flag.member;
    for (const Words& each : wordFields) document[each.name] = utf8(style.*each.member);
    document["palette"] = nameOf(paletteNames, style.palette);
    document["time_unit"] = nameOf(timeUnitNames, style.timeUnit);
    document["block_text"] = nameOf(blockTextNames, style.blockText);
    document["panel_time"] = nameOf(panelTimeNames, style.panelTime);
    document["panel_columns"] = style.panelColumns;
    document["dpi"] = style.dpi;
    document["standalone"] = style.standalone;
    document["slide"] = style.slide;
    return formatJson(document);
}

}  // namespace stagecraft::views::figures
