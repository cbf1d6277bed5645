#include "app/commands/style_options.h"

#include "app/commands/pictures.h"
#include "app/figures/curve_tables.h"
#include "app/figures/export_choice.h"
#include "core/analysis/repeating_period.h"
#include "core/base/text_parts.h"
#include "views/figures/figure_sink.h"

#include <set>

namespace stagecraft::app::commands {
namespace {

struct LengthOption {
    const char* name;
    double FigureStyle::*member;
    double least, most;
};
constexpr LengthOption lengths[] = {{"width-mm", &FigureStyle::widthMm, narrowestMm, widestMm},
                                    {"height-mm", &FigureStyle::heightMm, lowestLaneMm, widestMm},
                                    {"lane-mm", &FigureStyle::laneMm, lowestLaneMm, highestLaneMm},
                                    {"font-pt", &FigureStyle::fontPt, smallestPt, largestPt},
                                    {"number-pt", &FigureStyle::numberPt, smallestPt, largestPt}};

struct WordsOption {
    const char* name;
    std::string FigureStyle::*member;
};
constexpr WordsOption wordsOptions[] = {
    {"title-text", &FigureStyle::titleText},     {"lane-names", &FigureStyle::laneNames},
    {"legend-names", &FigureStyle::legendNames}, {"panel-names", &FigureStyle::panelNames},
    {"time-title", &FigureStyle::timeTitle},     {"own-colours", &FigureStyle::ownColours}};

struct CountOption {
    const char* name;
    int FigureStyle::*member;
    int least, most;
};
constexpr CountOption counts[] = {
    {"panel-columns", &FigureStyle::panelColumns, fewestColumns, mostPanelColumns},
    {"dpi", &FigureStyle::dpi, coarsestDpi, finestDpi}};

struct FlagOption {
    const char* name;
    bool FigureStyle::*member;
    bool value;
    const char* help;
};
constexpr FlagOption flags[] = {
    {"text-as-paths", &FigureStyle::textAsPaths, true, "letters as outlines, for readers without the font"},
    {"grey", &FigureStyle::grey, true, "in greys"},
    {"no-hatches", &FigureStyle::hatches, false, "colours alone"},
    {"title", &FigureStyle::title, true, "the plan's name above it"},
    {"no-legend", &FigureStyle::legend, false, "no legend"},
    {"communication", &FigureStyle::communication, true, "show transfers and AllReduce on separate lanes"},
    {"first-stage-below", &FigureStyle::firstStageBelow, true, "lanes from the last stage down to the first"},
    {"count-from-1", &FigureStyle::countFromOne, true, "microbatches, stages and chunks from 1 instead of 0"},
    {"no-numbers", &FigureStyle::numbers, false, "no microbatch numbers; no bandwidths in a matrix"},
    {"no-bubbles", &FigureStyle::bubbles, false, "do not hatch idle time"},
    {"critical-path", &FigureStyle::criticalPath, true, "mark the critical path"},
    {"memory", &FigureStyle::memory, true,
     "add the memory curve of one device, by default the one closest to its limit"},
    {"memory-lines", &FigureStyle::memoryLines, true,
     "memory of all devices as lines in one frame instead of a panel for each"},
    {"no-marks", &FigureStyle::marks, false,
     "where mini-batches overlap: no updates, bellwethers and steady state"},
    {"notes", &FigureStyle::notes, true, "the notes and bookmarks on the plan's chart, as flags above it"},
    {"no-letters", &FigureStyle::letters, false, "no (a), (b) at the panels of a figure that has several"},
    {"no-name-line", &FigureStyle::nameLine, false, "with --view lanes: no line for a name"},
    {"no-insides", &FigureStyle::insides, false,
     "where GPUs of a stage divide its layers: no strip in passes that is dark while they send to each "
     "other"},
    {"slide", &FigureStyle::slide, true, "a page of 16:9; with --standalone a frame of beamer"},
    {"standalone", &FigureStyle::standalone, true, "TikZ as a document that compiles by itself"},
};

int numberIn(const std::string& text, int count) {
    const int number = wholeInteger(text).value_or(-1);
    if (number < 0 || number >= count)
        throw UsageError("--lanes cannot be '" + text + "'; expected numbers from 0 to " +
                         std::to_string(count - 1) + ", such as 0,2-4 (the CSV export names them)");
    return number;
}

std::vector<int> lanesFrom(const std::string& text, int count) {
    std::set<int> lanes;
    for (const std::string_view cell : cellsOf(text, ',')) {
        const std::string piece(cell);
        const std::size_t dash = piece.find('-');
        const int first = numberIn(piece.substr(0, dash), count);
        const int last = dash == std::string::npos ? first : numberIn(piece.substr(dash + 1), count);
        for (int lane = first; lane <= last; ++lane) lanes.insert(lane);
    }
    return {lanes.begin(), lanes.end()};
}

int linkFrom(const std::string& text, const PlanRun& run) {
    const std::size_t comma = text.find(',');
    if (comma != std::string::npos)
        if (const auto link = linkBetween(run, text.substr(0, comma), text.substr(comma + 1))) return *link;
    throw UsageError("--link cannot be '" + text +
                     "'; expected FROM,TO of a link that carries something in this direction (--view links "
                     "--format csv lists them)");
}

}  // namespace

const std::vector<Option>& styleOptions() {
    static const std::vector<Option> options = [] {
        std::vector<Option> all = {
            {"style", "F", "a figure style (*.figure-style.json); the options below override parts of it"},
            {"width-mm", "W", "width of the figure; default 88.9 (one IEEE column)"},
            {"height-mm", "H", "height of charts whose height is free; default: chosen per chart"},
            {"lane-mm", "H",
             "height of a lane, a bar, a memory curve or a ribbon; default: what the text needs"},
            {"font", "FAMILY", std::string("font family; default ") + figureFontFamily},
            {"font-pt", "P", "font size; default 7, of a movie 18"},
            {"number-pt", "P", "font size of numbers in blocks and cells; default: as the rest"},
            {"axis", "UNIT",
             joinNames(allNames(figureAxisNames), " | ") +
                 "; blocks: one forward pass, as papers draw schedules"},
            {"title-text", "TEXT", "the title, with --title; {plan} in it is the plan's name"},
            {"lane-names", "NAMES",
             "what lanes are called: 'GPU {n}' with the number from 1, {i} from 0, {gpu}, {stages}; or "
             "'P1|P2|P3'"},
            {"legend-names", "NAMES",
             "other words in the legend: 'forward=F|backward=B|bubble='; without any the entry is left out"},
            {"panel-names", "NAMES", "what the panels of a figure are called: 'GPipe|1F1B'"},
            {"time-title", "TEXT", "title of the time axis; {unit} in it is the unit"},
            {"time-unit", "UNIT", joinNames(allNames(timeUnitNames), " | ")},
            {"block-text", "WHAT",
             joinNames(allNames(blockTextNames), " | ") + "; what is written into blocks"},
            {"palette", "NAME", joinNames(allNames(paletteNames), " | ") + "; colours of the blocks"},
            {"own-colours", "LIST",
             "with --palette own: '#88CCEE, #CC6677, …', of the kinds or steps in turn; 'update=#000000' of "
             "one "
             "kind"},
            {"panel-time", "HOW",
             joinNames(allNames(panelTimeNames), " | ") +
                 "; how the time axes of panels are related: one for all, equal scales, or each its own"},
            colouringOption,
            predictionsOption};
        for (const FlagOption& flag : flags) all.push_back({flag.name, "", flag.help});
        all.push_back({"panel-columns", "N",
                       "panels side by side, up to " + std::to_string(mostPanelColumns) + "; default 1"});
        all.push_back({"dpi", "N", "resolution of a PNG; default 300"});
        return all;
    }();
    return options;
}

FigureStyle styleFrom(const Arguments& arguments, FigureStyle style) {
    if (const auto path = arguments.text("style")) style = openFigureStyle(*path);
    for (const LengthOption& length : lengths) {
        const auto value = arguments.number(length.name, length.least);
        if (value && *value > length.most)
            throw UsageError("--" + std::string(length.name) + " is too large; expected " +
                             figureNumber(length.most) + " at most");
        if (value) style.*length.member = *value;
    }
    if (const auto family = arguments.text("font")) style.fontFamily = *family;
    if (const auto axis = arguments.choice("axis", figureAxisNames)) style.axis = *axis;
    for (const WordsOption& words : wordsOptions)
        if (const auto text = arguments.text(words.name)) style.*words.member = *text;
    if (const auto palette = arguments.choice("palette", paletteNames)) style.palette = *palette;
    if (const auto unit = arguments.choice("time-unit", timeUnitNames)) style.timeUnit = *unit;
    if (const auto text = arguments.choice("block-text", blockTextNames)) style.blockText = *text;
    if (const auto time = arguments.choice("panel-time", panelTimeNames)) style.panelTime = *time;
    if (arguments.has("colour")) style.colouring = chosenColouring(arguments);
    if (arguments.has("predictions")) style.predictions = true;
    for (const FlagOption& flag : flags)
        if (arguments.has(flag.name)) style.*flag.member = flag.value;
    for (const CountOption& count : counts)
        if (const auto value = arguments.integer(count.name, count.least)) {
            if (*value > count.most)
                throw UsageError("--" + std::string(count.name) + " is too large; expected " +
                                 std::to_string(count.most) + " at most");
            style.*count.member = *value;
        }
    return style;
}

const std::vector<Option>& figureFileOptions() {
    static const std::vector<Option> options = {
        {"figure", "F", "the chart as a figure too: " + figureSuffixes().toStdString()},
        {"style", "F", "a figure style (*.figure-style.json) for it"},
        {"width-mm", "W", "width of the figure; default 88.9 (one IEEE column)"},
        {"grey", "", "the figure in greys"}};
    return options;
}

std::optional<FigureFile> figureFileFrom(const Arguments& arguments) {
    const auto path = arguments.text("figure");
    if (!path) {
        for (const Option& option : figureFileOptions())
            if (arguments.has(option.name))
                throw UsageError("--" + option.name + " is about a figure; expected --figure as well");
        return std::nullopt;
    }
    if (const FigureFormat* format = figureFormatOf(*path))
        return FigureFile{*path, format->id, styleFrom(arguments)};
    throw UsageError("--figure cannot be '" + *path + "'; expected a name that ends in " +
                     figureSuffixes().toStdString());
}

const std::vector<Option>& partOptions() {
    static const std::vector<Option> options = {
        {"from-s", "T", "where the figure, table or trace starts, in seconds"},
        {"to-s", "T", "where it ends"},
        {"steady", "", "one period of what the schedule repeats between warm-up and drain"},
        {"lanes", "N,N-N", "only these lanes, numbered from 0 as in the CSV export"},
        {"memory-device", "ID",
         "whose memory is drawn; default: the device closest to its limit, and all in --view memory"},
        {"link", "FROM,TO",
         "whose load is drawn in --view links: the ids of its ends, or host,GPU; default: the busiest "
         "links"}};
    return options;
}

FigurePart partFrom(const Arguments& arguments, const ShownRun& run) {
    const Timeline& timeline = run.timeline();
    const Cluster& cluster = run.cluster();
    FigurePart part;
    const auto from = arguments.number("from-s", 0), to = arguments.number("to-s", 0);
    if (from || to) part.timeS = {from.value_or(timeline.firstStartS()), to.value_or(timeline.lastEndS())};
    if (arguments.has("steady")) {
        if (part.timeS)
            throw UsageError(
                "--steady says where the figure starts and ends; expected no --from-s and no --to-s");
        const auto period = repeatingPeriod(timeline);
        if (!period)
            throw UsageError(
                "nothing in the timeline repeats: no two stretches in a row are alike on all devices");
        part.timeS = {period->fromS, period->fromS + period->lengthS};
    }
    if (part.timeS && part.timeS->first >= part.timeS->second)
        throw UsageError(
            "--from-s and --to-s leave nothing to show; expected a time before and a time after");
    if (const auto lanes = arguments.text("lanes"))
        part.lanes = lanesFrom(*lanes, static_cast<int>(timeline.lanes.size()));
    if (const auto device = arguments.text("memory-device")) {
        std::vector<std::string> ids;
        for (const Device& each : cluster.devices) ids.push_back(each.id);
        const auto found = std::find(ids.begin(), ids.end(), *device);
        if (found == ids.end()) Arguments::failChoice("memory-device", *device, ids);
        part.memoryDevice = static_cast<int>(found - ids.begin());
    }
    if (const auto link = arguments.text("link")) {
        if (!run.run()) throw UsageError("--link is about the links of a plan; a recording has none");
        part.link = linkFrom(*link, *run.run());
    }
    return part;
}

}  // namespace stagecraft::app::commands
