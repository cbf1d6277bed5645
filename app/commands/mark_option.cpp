#include "app/commands/export_command.h"

#include "core/base/text_parts.h"

#include <algorithm>

namespace stagecraft::app::commands {
namespace {

const std::string form =
    "text:T:GPU:WORDS, bracket:T-T:GPU:WORDS (without GPU above all lanes) or arrow:T-T:GPU>GPU:WORDS, with "
    "times in seconds; in a figure of several panels with the panel's letter before it, b/text:…, and before "
    "the GPU in another panel where an arrow ends, arrow:T-T:GPU>b/GPU:…";

/// "b/…": about a panel.
bool isLettered(const std::string& text) {
    return text.size() > 1 && text[1] == '/' && text[0] >= 'a' && text[0] <= 'z';
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw UsageError("--mark cannot be '" + text + "': " + why + "; expected " + form);
}

double secondsFrom(const std::string& text, const std::string& mark) {
    const auto seconds = wholeNumber(text);
    if (!seconds || *seconds < 0) refuse(mark, "'" + text + "' is no time");
    return *seconds;
}

std::string deviceFrom(const std::string& id, const Cluster& cluster, const std::string& mark) {
    std::vector<std::string> ids;
    for (const Device& device : cluster.devices) ids.push_back(device.id);
    if (std::find(ids.begin(), ids.end(), id) == ids.end())
        refuse(mark, "the cluster has no GPU '" + id + "'" + spellingHint(id, ids));
    return id;
}

/// "T" or "T-T".
std::pair<double, std::optional<double>> timesFrom(const std::string& text, const std::string& mark) {
    // The sign of an exponent, "1e-3", ends no time.
    std::size_t dash = text.find('-');
    while (dash != std::string::npos && dash > 0 && (text[dash - 1] == 'e' || text[dash - 1] == 'E'))
        dash = text.find('-', dash + 1);
    if (dash == std::string::npos) return {secondsFrom(text, mark), std::nullopt};
    return {secondsFrom(text.substr(0, dash), mark), secondsFrom(text.substr(dash + 1), mark)};
}

/// "GPU" or "b/GPU"; a GPU that is called so is meant first. @return the panel, -1 for none, and the GPU
std::pair<int, std::string> endFrom(const std::string& text, const Cluster& cluster) {
    const bool isGpu = std::any_of(cluster.devices.begin(), cluster.devices.end(),
                                   [&](const Device& device) { return device.id == text; });
    if (isGpu || !isLettered(text)) return {-1, text};
    return {text[0] - 'a', text.substr(2)};
}

ChartNote markFrom(const std::string& mark, const Cluster& cluster) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (int part = 0; part < 3; ++part) {
        const std::size_t colon = mark.find(':', begin);
        if (colon == std::string::npos) refuse(mark, "a part is missing");
        parts.push_back(mark.substr(begin, colon - begin));
        begin = colon + 1;
    }
    ChartNote note;
    note.text = mark.substr(begin);
    const auto [from, to] = timesFrom(parts[1], mark);
    note.atS = from;
    const std::string& lanes = parts[2];
    if (parts[0] == "arrow") {
        const std::size_t to_lane = lanes.find('>');
        if (to_lane == std::string::npos) refuse(mark, "an arrow has two GPUs");
        note.shape = NoteShape::arrow;
        note.device = deviceFrom(lanes.substr(0, to_lane), cluster, mark);
        const auto [panel, device] = endFrom(lanes.substr(to_lane + 1), cluster);
        note.end = NoteEnd{to.value_or(from), deviceFrom(device, cluster, mark), panel};
        return note;
    }
    if (!lanes.empty()) note.device = deviceFrom(lanes, cluster, mark);
    if (parts[0] == "bracket") {
        if (!to || *to <= from) refuse(mark, "a bracket begins before it ends");
        note.shape = NoteShape::bracket;
        note.untilS = to;
    } else if (parts[0] == "text") {
        if (!lanes.empty()) note.shape = NoteShape::text;
    } else {
        refuse(mark, "'" + parts[0] + "' is no mark");
    }
    return note;
}

}  // namespace

const Option markOption = {"mark", "MARK", "something to draw on the schedule: " + form, true};

std::vector<ChartNote> marksFrom(const Arguments& arguments, const Cluster& cluster) {
    std::vector<ChartNote> marks;
    for (const std::string& mark : arguments.all("mark")) {
        marks.push_back(markFrom(mark, cluster));
        if (marks.back().end && marks.back().end->panel >= 0)
            refuse(mark, "a figure without panels has no panel for its end");
    }
    return marks;
}

std::vector<PanelMark> panelMarksFrom(const Arguments& arguments, const Cluster& cluster) {
    std::vector<PanelMark> marks;
    for (const std::string& mark : arguments.all("mark")) {
        const bool lettered = isLettered(mark);
        marks.push_back({lettered ? static_cast<std::size_t>(mark[0] - 'a') : 0,
                         markFrom(lettered ? mark.substr(2) : mark, cluster)});
    }
    return marks;
}

}  // namespace stagecraft::app::commands
