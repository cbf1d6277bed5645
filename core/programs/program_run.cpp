#include "core/programs/program_run.h"

#include "core/base/process.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <stdexcept>

namespace stagecraft::programs {

namespace {

/// The last lines of what a program said, for the message of its failure.
class LastWords {
public:
    void add(std::string_view line) {
        lines_.emplace_back(line.substr(0, mostLetters));
        if (lines_.size() > mostLines) lines_.pop_front();
    }
    /// What to add to a sentence; empty: nothing was said.
    std::string said() const {
        std::string text;
        for (const std::string& line : lines_)
            text += (text.empty() ? "" : " / ") + std::string(trimmed(line));
        return text.empty() ? text : "; it said: " + text;
    }

private:
    static constexpr std::size_t mostLines = 6, mostLetters = 300;
    std::deque<std::string> lines_;
};

}  // namespace

std::optional<ProgressLine> progressIn(std::string_view line) {
    constexpr std::string_view word = "progress ";
    if (!line.starts_with(word)) return std::nullopt;
    line.remove_prefix(word.size());
    ProgressLine progress;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), progress.fraction);
    const bool number = error == std::errc{} && progress.fraction >= 0 && progress.fraction <= 1;
    if (!number || (end != line.data() + line.size() && *end != ' ')) return std::nullopt;
    progress.words = trimmed(line.substr(static_cast<std::size_t>(end - line.data())));
    return progress;
}

namespace {

void start(std::optional<ChildProcess>& child, const ProgramFile& program,
           const std::vector<std::string>& arguments, const std::string& input, const ProgramLimits& limits) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(program.path, ignored))
        throw std::runtime_error(program.name + ": no such file; expected a program that can be run");
    std::vector<std::string> words = {program.path.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    try {
        child.emplace(std::move(words), input, Confinement{limits.memoryBytes});
    } catch (const std::runtime_error& error) {
        const std::string text = error.what();
        throw std::runtime_error(
            program.name + text.substr(std::min(text.size(), program.path.string().size())) +
            "; expected an executable file (chmod +x) that is a program or begins with a "
            "line such as #!/usr/bin/env python3");
    }
}

}  // namespace

std::string runProgram(const ProgramFile& program, const std::vector<std::string>& arguments,
                       const std::string& input, const ProgramLimits& limits, const WorkContext& context) {
    const auto fail = [&](const std::string& what) { throw ProgramFailure(program.name + what); };
    std::optional<ChildProcess> child;
    start(child, program, arguments, input, limits);
    LastWords lastWords;
    ReadWatch watch;
    watch.stop = context.stop;
    watch.enough = context.enough;
    watch.errorLine = [&](std::string_view line) {
        const auto progress = progressIn(line);
        if (!progress) return lastWords.add(line);
        context.report(progress->fraction);
        if (context.says && !progress->words.empty()) context.says(progress->words);
    };
    ReadLimits most;
    most.time = std::chrono::milliseconds(static_cast<long long>(limits.timeS * 1000));
    most.bytes = limits.outputBytes;
    ProcessOutput output = child->read(most, watch);
    if (output.end == ReadEnd::stopped) throw Cancelled();
    if (output.end == ReadEnd::outOfTime)
        fail(" took longer than " + formatSeconds(limits.timeS) + lastWords.said());
    if (output.end == ReadEnd::tooMuch)
        fail(" wrote more than " + formatBytes(static_cast<double>(limits.outputBytes)) + lastWords.said());
    if (!child->endedWell()) fail(" ended with " + child->ending() + lastWords.said());
    return std::move(output.text);
}

}  // namespace stagecraft::programs
