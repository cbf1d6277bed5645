#include "core/lessons/lesson_reader.h"

#include "core/analysis/metric_catalogue.h"
#include "core/base/quantity.h"
#include "core/base/spelling.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/lessons/judge.h"
#include "core/model/model_names.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <charconv>

namespace stagecraft::lessons {

namespace {

std::string trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(" \t\r\n"), to = text.find_last_not_of(" \t\r\n");
    return from == std::string_view::npos ? "" : std::string(text.substr(from, to - from + 1));
}

std::vector<std::string> linesOf(std::string_view text) {
    std::vector<std::string> lines;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        std::string line(text.substr(from, end - from));
        if (!line.empty() && line.back() == '\r') line.pop_back();
        lines.push_back(std::move(line));
        from = end + 1;
    }
    return lines;
}

struct Field {
    std::string name, value;
    int line = 0;
};

/// "key: value" lines of a block or of the head of a file. Each field is asked for by its name, and whatever
/// is left at the end is a mistake.
class Fields {
public:
    Fields(std::string file, int line) : file_(std::move(file)), line_(line) {}

    void add(const std::string& line, int number) {
        if (trimmed(line).empty()) return;
        const std::size_t colon = line.find(':');
        if (line.front() == ' ' && !fields_.empty() && colon == std::string::npos)
            fields_.back().value += " " + trimmed(line);  // goes on
        else if (colon == std::string::npos)
            fail(number, "'" + trimmed(line) + "' has no field", "'field: value'");
        else
            fields_.push_back({trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)), number});
    }

    int line() const { return line_; }
    /// Of those of these fields that are there.
    std::map<std::string, int> linesOf(const std::vector<std::string>& names) const {
        std::map<std::string, int> lines;
        for (const Field& field : fields_)
            if (std::find(names.begin(), names.end(), field.name) != names.end())
                lines[field.name] = field.line;
        return lines;
    }

    std::optional<Field> take(const std::string& name) {
        known_.push_back(name);
        const auto found = std::find_if(fields_.begin(), fields_.end(),
                                        [&](const Field& field) { return field.name == name; });
        if (found == fields_.end()) return std::nullopt;
        Field field = *found;
        fields_.erase(found);
        if (field.value.empty()) fail(field.line, "'" + name + "' is empty", "a value");
        return field;
    }
    std::vector<Field> takeAll(const std::string& name) {
        std::vector<Field> all;
        while (auto field = take(name)) all.push_back(std::move(*field));
        return all;
    }
    std::string text(const std::string& name) {
        const auto field = take(name);
        return field ? field->value : "";
    }
    std::string required(const std::string& name) {
        const auto field = take(name);
        if (!field) fail(line_, "the field '" + name + "' is missing", "'" + name + ": …'");
        return field->value;
    }
    std::optional<int> wholeNumber(const std::string& name) {
        const auto field = take(name);
        if (!field) return std::nullopt;
        int value = 0;
        const char* end = field->value.data() + field->value.size();
        const auto read = std::from_chars(field->value.data(), end, value);
        if (read.ec != std::errc() || read.ptr != end || value < 1)
            fail(field->line, "'" + field->value + "' is no whole number from 1", "such as 8");
        return value;
    }
    bool flag(const std::string& name) { return choice(name, {"yes", "no"}) == "yes"; }
    /// Empty where the field is not there.
    std::string choice(const std::string& name, const std::vector<std::string>& known) {
        const auto field = take(name);
        if (!field) return {};
        if (std::find(known.begin(), known.end(), field->value) == known.end())
            fail(field->line, "'" + field->value + "' is no " + name + spellingHint(field->value, known),
                 joinNames(known));
        return field->value;
    }
    double quantity(Quantity what, const Field& field) const {
        try {
            return parseQuantity(what, field.value);
        } catch (const std::invalid_argument& error) {
            fail(field.line, "'" + field.value + "'", error.what());
        }
    }
    /// Refuses fields that nobody asked for.
    void end() const {
        if (fields_.empty()) return;
        const Field& field = fields_.front();
        if (std::find(known_.begin(), known_.end(), field.name) != known_.end())
            fail(field.line, "'" + field.name + "' is there twice", "one");
        fail(field.line, "the field '" + field.name + "' is not known" + spellingHint(field.name, known_),
             joinNames(known_));
    }
    [[noreturn]] void fail(int line, const std::string& what, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(line), what, expected);
    }

private:
    std::string file_;
    int line_;
    std::vector<Field> fields_;
    mutable std::vector<std::string> known_;
};

const std::vector<std::string>& tabs() {
    static const std::vector<std::string> names = {"cluster", "profile", "compare",
                                                   "charts",  "pareto",  "training"};
    return names;
}

std::vector<std::string> families() {
    std::vector<std::string> ids;
    for (const ScheduleFamily& family : scheduleFamilies()) ids.push_back(family.id);
    return ids;
}

std::vector<std::string> metrics() {
    std::vector<std::string> ids;
    for (const Metric& metric : metricCatalogue()) ids.emplace_back(metric.id);
    return ids;
}

std::vector<std::string> values(const std::vector<Field>& fields) {
    std::vector<std::string> texts;
    for (const Field& field : fields) texts.push_back(field.value);
    return texts;
}

/// Plans, whose names may have commas.
std::vector<std::string> namesIn(Fields& fields, const char* name) {
    const auto field = fields.take(name);
    if (!field || field->value.empty()) return {};
    auto names = tableCells(field->value, ',');
    if (!names)
        fields.fail(field->line, "a quotation mark of '" + field->value + "' has no other",
                    "names with commas between them, \"those, that have one\" between quotation marks");
    return std::move(*names);
}

/// A number in the unit that the metric is written in.
double metricValue(const Fields& fields, const Metric& metric, const Field& field) {
    if (metric.unit == "s") return fields.quantity(Quantity::seconds, field);
    if (metric.unit == "B") return fields.quantity(Quantity::bytes, field);
    Field number = field;
    const bool isShare = number.value.ends_with('%');
    if (isShare) number.value = trimmed(std::string_view(number.value).substr(0, number.value.size() - 1));
    return fields.quantity(Quantity::plain, number) / (isShare ? 100 : 1);
}

WindowSetting readSetting(Fields& fields) {
    WindowSetting setting;
    setting.lines = fields.linesOf(
        {"sample", "keep", "tab", "plan", "charts", "time", "block", "playhead", "colour", "below"});
    if (const auto sample = fields.take("sample")) setting.sample = sample->value;
    setting.keep = namesIn(fields, "keep");
    setting.microbatches = fields.wholeNumber("microbatches");
    if (const auto limit = fields.take("memory_limit"))
        setting.memoryLimitBytes = fields.quantity(Quantity::bytes, *limit);
    setting.channel = fields.choice("channel", allNames(channelModeNames));
    const bool changes =
        setting.microbatches || setting.memoryLimitBytes || !setting.channel.empty() || !setting.keep.empty();
    if (changes && !setting.sample)
        fields.fail(fields.line(), "keep, microbatches, memory_limit and channel change a sample",
                    "'sample: …' too");
    setting.tab = fields.choice("tab", tabs());
    setting.plan = fields.text("plan");
    setting.charts = namesIn(fields, "charts");
    if (const auto time = fields.take("time")) {
        const std::size_t dots = time->value.find("..");
        if (dots == std::string::npos)
            fields.fail(time->line, "'" + time->value + "' is no range", "0 ms..10 ms");
        const Field from{"time", trimmed(time->value.substr(0, dots)), time->line};
        const Field to{"time", trimmed(time->value.substr(dots + 2)), time->line};
        setting.timeS = {fields.quantity(Quantity::seconds, from), fields.quantity(Quantity::seconds, to)};
        if (setting.timeS->first >= setting.timeS->second)
            fields.fail(time->line, "the range is empty", "its end after its start");
    }
    setting.block = fields.text("block");
    if (const auto at = fields.take("playhead")) setting.playheadS = fields.quantity(Quantity::seconds, *at);
    setting.colour = fields.choice(
        "colour", {"kind", "microbatch", "chunk", "copy", "mini-batch", "version", "staleness"});
    setting.links = fields.choice("below", {"memory", "links"}) == "links";
    fields.end();
    return setting;
}

Deed readDeed(Fields& fields) {
    Deed deed;
    deed.line = fields.line();
    deed.text = fields.required("text");
    deed.action = fields.text("action");
    deed.block = fields.text("block");
    deed.plan = fields.text("plan");
    deed.tab = fields.choice("tab", tabs());
    deed.schedule = fields.choice("schedule", families());
    deed.planner = fields.text("planner");
    deed.microbatches = fields.wholeNumber("microbatches");
    deed.channel = fields.choice("channel", allNames(channelModeNames));
    deed.hints = values(fields.takeAll("hint"));
    fields.end();
    const bool waits = deed.microbatches || !(deed.action + deed.block + deed.plan + deed.tab +
                                              deed.schedule + deed.planner + deed.channel)
                                                 .empty();
    if (!waits)
        fields.fail(deed.line, "nothing to wait for",
                    "action, block, plan, tab, schedule, planner, microbatches or channel");
    return deed;
}

std::vector<Choice> readChoices(Fields& fields) {
    std::vector<std::pair<int, Choice>> found;
    for (const Field& field : fields.takeAll("choice")) found.push_back({field.line, {field.value, false}});
    for (const Field& field : fields.takeAll("right")) found.push_back({field.line, {field.value, true}});
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const Field& why : fields.takeAll("why")) {
        const auto after =
            std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.first > why.line; });
        if (after == found.begin() || std::prev(after)->second.right)
            fields.fail(why.line, "'why' says what is wrong with the choice above it, and there is none",
                        "it below a 'choice: …'");
        std::prev(after)->second.why = why.value;
    }
    std::vector<Choice> choices;
    for (auto& [line, choice] : found) choices.push_back(std::move(choice));
    const auto right =
        std::count_if(choices.begin(), choices.end(), [](const Choice& each) { return each.right; });
    if (!choices.empty() && (right != 1 || choices.size() < 2))
        fields.fail(fields.line(),
                    std::to_string(right) + " of " + std::to_string(choices.size()) + " choices are right",
                    "one 'right: …' and one or more 'choice: …'");
    return choices;
}

void readNumber(Fields& fields, Question& question) {
    const auto number = fields.take("number");
    const std::string metric = fields.choice("metric", metrics());
    if (number.has_value() + !metric.empty() + !question.choices.empty() != 1)
        fields.fail(question.line, "how it is answered is not clear", "choices, 'number: …' or 'metric: …'");
    if (!metric.empty()) {
        Measured measured{metric, fields.required("plan"), fields.choice("schedule", families()),
                          fields.wholeNumber("microbatches"),
                          fields.choice("channel", allNames(channelModeNames))};
        question.unit = catalogueMetric(metric).unit;
        question.number = std::move(measured);
    } else if (number) {
        const std::size_t blank = number->value.find(' ');
        question.unit = blank == std::string::npos ? "" : trimmed(number->value.substr(blank));
        if (!question.unit.empty() && question.unit != "%" && !quantityOf(question.unit))
            fields.fail(number->line, "the unit '" + question.unit + "' is not known",
                        "a time such as 3 ms, a size such as 2 GiB, a share in % or a number alone");
        question.number =
            fields.quantity(Quantity::plain, {"number", number->value.substr(0, blank), number->line});
    }
    if (const auto tolerance = fields.take("tolerance")) {
        Field share = *tolerance;
        if (!share.value.ends_with('%'))
            fields.fail(share.line, "'" + share.value + "'", "a share such as 2 %");
        share.value.pop_back();
        question.tolerance = fields.quantity(Quantity::plain, {"", trimmed(share.value), share.line}) / 100;
    }
}

Question readQuestion(Fields& fields) {
    Question question;
    question.line = fields.line();
    question.text = fields.required("question");
    question.choices = readChoices(fields);
    readNumber(fields, question);
    question.because = fields.text("because");
    question.hints = values(fields.takeAll("hint"));
    fields.end();
    return question;
}

Exercise readExercise(Fields& fields) {
    Exercise exercise;
    exercise.line = fields.line();
    exercise.text = fields.required("text");
    exercise.plan = fields.required("plan");
    exercise.metric = fields.choice("metric", metrics());
    if (exercise.metric.empty())
        fields.fail(exercise.line, "the field 'metric' is missing", "such as iteration_time_s");
    const Field target{"target", fields.required("target"), exercise.line};
    exercise.target = metricValue(fields, catalogueMetric(exercise.metric), target);
    if (const auto best = fields.take("best"))
        exercise.best = metricValue(fields, catalogueMetric(exercise.metric), *best);
    exercise.bestPlan = fields.text("best_plan");
    exercise.bestSchedule = fields.choice("best_schedule", families());
    if (const auto longest = fields.take("no_longer_than"))
        exercise.longestS = fields.quantity(Quantity::seconds, *longest);
    exercise.mustFit = fields.flag("must_fit");
    exercise.byHand = fields.flag("by_hand");
    exercise.may = fields.choice("may_change", {"setup", "problem"});
    exercise.hints = values(fields.takeAll("hint"));
    fields.end();
    return exercise;
}

/// Goes through a file: its head, then steps with text and blocks.
class LessonReader {
public:
    LessonReader(std::string_view text, std::string file, std::vector<InputError>* faults)
        : lines_(linesOf(text)), file_(std::move(file)), faults_(faults) {}

    Lesson read() {
        readHead();
        while (at_ < lines_.size()) readLine();
        if (lesson_.title.empty()) fail(at_, "the lesson has no title", "'# Title' after the head");
        // A block that could not be read may have been its task.
        const bool isWhole = !faults_ || faults_->empty();
        for (const LessonStep& step : lesson_.steps)
            if (isWhole && trimmed(step.text).empty() && std::holds_alternative<std::monostate>(step.task))
                orNoted([&] {
                    fail(static_cast<std::size_t>(step.line - 1), "the step is empty", "text or a task");
                });
        return std::move(lesson_);
    }

private:
    [[noreturn]] void fail(std::size_t at, const std::string& what, const std::string& expected) const {
        throw InputError(file_, "line " + std::to_string(at + 1), what, expected);
    }

    /// What is wrong is noted, if somebody takes that.
    template <typename Read>
    void orNoted(Read read) {
        try {
            read();
        } catch (const InputError& fault) {
            if (!faults_) throw;
            faults_->push_back(fault);
        }
    }

    Fields block(std::string_view end) {
        const std::size_t first = at_++;
        Fields fields(file_, static_cast<int>(first) + 1);
        while (at_ < lines_.size() && lines_[at_] != end) {
            fields.add(lines_[at_], static_cast<int>(at_) + 1);
            ++at_;
        }
        if (at_ == lines_.size()) fail(first, "the block does not end", "a line '" + std::string(end) + "'");
        ++at_;
        return fields;
    }

    void readHead() {
        while (at_ < lines_.size() && trimmed(lines_[at_]).empty()) ++at_;
        if (at_ == lines_.size() || lines_[at_] != "---")
            fail(at_, "the head is missing", "'---', fields, '---'");
        Fields fields = block("---");
        orNoted([&] { readHeadFields(fields); });
    }

    void readHeadFields(Fields& fields) {
        lesson_.sampleLine = fields.linesOf({"sample"})["sample"];
        lesson_.minutes = fields.wholeNumber("minutes").value_or(0);
        lesson_.sample = fields.required("sample");
        lesson_.about = fields.required("about");
        fields.end();
    }

    void readLine() {
        const std::string& line = lines_[at_];
        if (line.starts_with("# "))
            begin(line.substr(2), true);
        else if (line.starts_with("## "))
            begin(line.substr(3), false);
        else if (line.starts_with("```") && isLessonBlock(std::string_view(line).substr(3)))
            readBlock(line.substr(3));
        else
            keep();
    }

    void begin(const std::string& title, bool isLesson) {
        if (isLesson && !lesson_.title.empty()) fail(at_, "a second title", "'## ' before each step");
        if (!isLesson && lesson_.title.empty()) fail(at_, "a step before the title", "'# Title'");
        if (isLesson) lesson_.title = trimmed(title);
        lesson_.steps.push_back({trimmed(title), "", {}, {}, static_cast<int>(at_) + 1});
        ++at_;
    }

    LessonStep& step() {
        if (lesson_.steps.empty()) fail(at_, "text before the title", "'# Title'");
        return lesson_.steps.back();
    }

    void readBlock(const std::string& language) {
        LessonStep& into = step();
        const std::size_t first = at_;
        Fields fields = block("```");
        orNoted([&] { readFields(language, fields, first, into); });
    }

    void readFields(const std::string& language, Fields& fields, std::size_t first, LessonStep& into) {
        if (language == "show") {
            if (into.show != WindowSetting()) fail(first, "a second 'show' in the step", "one");
            into.show = readSetting(fields);
            return;
        }
        if (!std::holds_alternative<std::monostate>(into.task))
            fail(first, "a second task in the step", "one");
        if (language == "do") into.task = readDeed(fields);
        if (language == "ask") into.task = readQuestion(fields);
        if (language == "exercise") into.task = readExercise(fields);
    }

    /// A line of text; blocks of other languages stay as they are.
    void keep() {
        const bool isCode = lines_[at_].starts_with("```");
        if (lesson_.steps.empty() && trimmed(lines_[at_]).empty()) return static_cast<void>(++at_);
        LessonStep& into = step();
        do into.text += lines_[at_++] + "\n";
        while (isCode && at_ < lines_.size() && lines_[at_] != "```");
        if (isCode && at_ < lines_.size()) into.text += lines_[at_++] + "\n";
    }

    std::vector<std::string> lines_;
    std::string file_;
    std::vector<InputError>* faults_;
    std::size_t at_ = 0;
    Lesson lesson_;
};

}  // namespace

bool isLessonBlock(std::string_view language) {
    return language == "show" || language == "do" || language == "ask" || language == "exercise";
}

Lesson readLesson(std::string_view text, const std::string& file, std::vector<InputError>* faults) {
    return LessonReader(text, file, faults).read();
}

}  // namespace stagecraft::lessons
