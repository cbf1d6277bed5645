#include "app/commands/export_command.h"

#include "app/commands/pictures.h"
#include "views/play/movie.h"

#include <algorithm>

namespace stagecraft::app::commands {

namespace {

constexpr double mostSeconds = 3600;
constexpr int mostRate = 60;

QSize movieSize(const std::string& text) {
    if (const auto size = pixelsFrom(text, leastMovieSide, mostMovieSide)) return *size;
    throw UsageError("--size is '" + text + "'; expected WIDTHxHEIGHT, such as 1280x720, each from " +
                     std::to_string(leastMovieSide) + " to " + std::to_string(mostMovieSide));
}

/// From the first start of all plans to the last end, in seconds.
std::pair<double, double> spanOf(const std::vector<std::shared_ptr<const PlanRun>>& runs) {
    double begin = 0, end = 0;
    for (const auto& run : runs) {
        begin = std::min(begin, run->evaluation->timeline.firstStartS());
        end = std::max(end, run->evaluation->timeline.lastEndS());
    }
    return {begin, end};
}

MovieOptions movieOptions(const Arguments& arguments, const std::pair<double, double>& spanS) {
    MovieOptions options;
    options.seconds = arguments.number("seconds", 0.1).value_or(options.seconds);
    options.framesPerSecond = arguments.integer("fps", 1).value_or(options.framesPerSecond);
    if (options.seconds > mostSeconds || options.framesPerSecond > mostRate ||
        options.frameCount() > mostMovieFrames)
        throw UsageError("--seconds and --fps ask for too much; expected " + std::to_string(mostRate) +
                         " frames a second and " + std::to_string(mostMovieFrames) + " in all at most");
    if (const auto size = arguments.text("size")) options.size = movieSize(*size);
    options.typePoints = arguments.number("font-pt", 0).value_or(options.typePoints);
    options.style.communication = arguments.has("communication");
    options.style.cluster = arguments.has("with-cluster");
    options.style.memory = !arguments.has("no-memory");
    const auto from = arguments.number("from-s", 0), to = arguments.number("to-s", 0);
    if (from || to) options.timeRangeS = {from.value_or(spanS.first), to.value_or(spanS.second)};
    if (options.timeRangeS && options.timeRangeS->first >= options.timeRangeS->second)
        throw UsageError(
            "--from-s and --to-s leave nothing to show; expected a time before and a time after");
    return options;
}

}  // namespace

bool isMovie(const std::string& format) { return movieFormatNamed(QString::fromStdString(format)); }

const std::vector<Option>& movieOptions() {
    static const std::string formats = joinNames(movieFormatIds());
    static const std::vector<Option> options{
        {"seconds", "S", formats + ": duration of the movie; default 10"},
        {"fps", "N", formats + ": frames per second; default 20"},
        {"size", "WxH", formats + ": in pixels; default 1280x720"},
        {"with-cluster", "", formats + ": the cluster beside the lanes"},
        {"no-memory", "", formats + ": no memory below the lanes"}};
    return options;
}

void exportMovie(const Arguments& arguments, const std::vector<std::shared_ptr<const PlanRun>>& runs,
                 const std::string& format, const std::string& target) {
    if (runs.size() > static_cast<std::size_t>(mostPlayedPlans))
        throw UsageError("--plan is there " + std::to_string(runs.size()) + " times; expected at most " +
                         std::to_string(mostPlayedPlans) + ", which one picture can show");
    const MovieOptions options = movieOptions(arguments, spanOf(runs));
    ensureApplication();  // for fonts
    std::vector<std::shared_ptr<const PlayData>> plans;
    for (const auto& run : runs) plans.push_back(std::make_shared<const PlayData>(run));
    MoviePainter painter(plans, options);
    movieFormatNamed(QString::fromStdString(format))->write(painter, target, {});
}

}  // namespace stagecraft::app::commands
