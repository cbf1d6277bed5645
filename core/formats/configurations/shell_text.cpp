#include "core/formats/configurations/shell_text.h"

#include "core/base/text_parts.h"
#include "core/formats/configurations/shell_variables.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stagecraft::formats {

namespace {

bool isOptionWord(const ShellWord& word) { return word.text.size() > 2 && word.text.starts_with("--"); }

/// Words that are several: what stood between quotes and has options.
std::vector<ShellWord> takenApart(std::vector<ShellWord> words) {
    std::vector<ShellWord> apart;
    for (ShellWord& word : words) {
        const bool isSeveral = word.text.find("--") != std::string::npos &&
                               word.text.find_first_of(" \n\t") != std::string::npos;
        if (!isSeveral) {
            apart.push_back(std::move(word));
            continue;
        }
        int line = word.line;
        for (const std::string_view text : linesOf(word.text)) {
            for (const std::string_view part : wordsOf(text)) {
                std::string plain(part);
                std::erase_if(plain, [](char letter) { return letter == '\'' || letter == '"'; });
                if (plain != "\\") apart.push_back({std::move(plain), line});
            }
            ++line;
        }
    }
    return apart;
}

/// Follows a script down to the words of its commands.
class ShellRun {
public:
    ShellCommand run(std::string_view text) {
        for (const RawShellCommand& command : rawShellCommands(text)) take(command);
        ShellCommand best;
        std::ptrdiff_t most = 0;
        for (std::vector<ShellWord>& words : commands_) {
            const std::ptrdiff_t options = std::ranges::count_if(words, isOptionWord);
            if (options <= most) continue;
            most = options;
            best.words = std::move(words);
        }
        if (most == 0) best.words = takenApart(variables_.options());
        best.gaps = std::move(gaps_);
        return best;
    }

private:
    struct Branch {
        bool runs = false;     ///< its lines count
        bool hasRun = false;   ///< some branch of the same "if" did
        bool isAsking = true;  ///< its condition goes on
        std::optional<bool> truth;
        std::string joint;
        int line = 1;
    };

    bool isLive() const {
        return loops_ == 0 && std::ranges::all_of(branches_, [](const Branch& each) { return each.runs; });
    }
    bool isOuterLive() const {
        return loops_ == 0 && std::all_of(branches_.begin(), branches_.end() - 1,
                                          [](const Branch& each) { return each.runs; });
    }

    void take(RawShellCommand command) {
        std::vector<RawShellWord>& words = command.words;
        while (!words.empty()) {
            const std::string first = words.front().text;
            if (takeLoop(first, words.front().line)) return;
            if (loops_ > 0) return;
            if (first == "if" || first == "elif") {
                begin(first == "if", words.front().line);
            } else if (!branches_.empty() && (first == "then" || first == "else" || first == "fi")) {
                turn(first);
            } else if (first != "{" && first != "}") {
                break;
            }
            words.erase(words.begin());
        }
        if (words.empty()) return;
        if (!branches_.empty() && branches_.back().isAsking)
            ask(command);
        else if (isLive())
            execute(words);
    }

    /// What is repeated, or chosen among cases, is left out as a whole.
    bool takeLoop(const std::string& first, int line) {
        const bool begins =
            first == "for" || first == "while" || first == "until" || first == "case" || first == "select";
        if (begins && loops_++ == 0)
            gaps_.push_back({line, "'" + first + "' is not followed; its lines are left out"});
        const bool ends = loops_ > 0 && (first == "done" || first == "esac");
        if (ends) --loops_;
        return begins || ends;
    }

    void begin(bool isFirst, int line) {
        if (isFirst || branches_.empty()) branches_.emplace_back();
        Branch& branch = branches_.back();
        branch.runs = false;
        branch.isAsking = true;
        branch.truth.reset();
        branch.joint.clear();
        branch.line = line;
    }

    void turn(const std::string& word) {
        Branch& branch = branches_.back();
        if (word == "fi") {
            branches_.pop_back();
            return;
        }
        if (word == "then" && !branch.truth && isOuterLive())
            gaps_.push_back(
                {branch.line, "the condition is not known here; the lines after 'then' are left out"});
        branch.runs = !branch.hasRun && (word == "else" || branch.truth.value_or(false));
        branch.hasRun = branch.hasRun || branch.runs;
        branch.isAsking = false;
    }

    void ask(const RawShellCommand& command) {
        Branch& branch = branches_.back();
        const std::optional<bool> truth = truthOf(command.words);
        if (branch.joint == "&&")
            branch.truth = branch.truth == false || truth == false ? std::optional<bool>(false)
                           : branch.truth && truth                 ? std::optional<bool>(true)
                                                                   : std::nullopt;
        else if (branch.joint == "||")
            branch.truth = branch.truth == true || truth == true ? std::optional<bool>(true)
                           : branch.truth && truth               ? std::optional<bool>(false)
                                                                 : std::nullopt;
        else
            branch.truth = truth;
        branch.joint = command.end;
    }

    std::optional<bool> truthOf(const std::vector<RawShellWord>& words) {
        std::vector<std::string> parts;
        for (const RawShellWord& word : words)
            if (word.text != "[" && word.text != "]" && word.text != "[[" && word.text != "]]")
                parts.push_back(variables_.asCondition(word));
        bool isReversed = false;
        if (!parts.empty() && parts.front() == "!") {
            isReversed = true;
            parts.erase(parts.begin());
        }
        const std::optional<bool> truth = plainTruth(parts);
        return truth ? std::optional<bool>(*truth != isReversed) : std::nullopt;
    }

    static std::optional<bool> plainTruth(const std::vector<std::string>& parts) {
        if (parts.size() == 2 && (parts[0] == "-n" || parts[0] == "-z"))
            return (parts[0] == "-n") != parts[1].empty();
        if (parts.size() != 3) return std::nullopt;
        if (parts[1] == "=" || parts[1] == "==") return parts[0] == parts[2];
        if (parts[1] == "!=") return parts[0] != parts[2];
        const std::optional<int> left = wholeInteger(parts[0]), right = wholeInteger(parts[2]);
        if (!left || !right) return std::nullopt;
        if (parts[1] == "-eq") return *left == *right;
        if (parts[1] == "-ne") return *left != *right;
        if (parts[1] == "-gt" || parts[1] == ">") return *left > *right;
        if (parts[1] == "-ge") return *left >= *right;
        if (parts[1] == "-lt" || parts[1] == "<") return *left < *right;
        if (parts[1] == "-le") return *left <= *right;
        return std::nullopt;
    }

    void execute(const std::vector<RawShellWord>& raw) {
        auto from = raw.begin();
        const bool declares = from->text == "export" || from->text == "declare" || from->text == "local" ||
                              from->text == "readonly";
        if (declares) ++from;
        while (from != raw.end() && variables_.assign(*from)) ++from;
        if (from == raw.end() || declares) return;
        std::vector<ShellWord> words;
        for (auto word = from; word != raw.end(); ++word)
            for (ShellWord& each : variables_.expanded(*word)) words.push_back(std::move(each));
        words = takenApart(std::move(words));
        if (words.empty()) return;
        // Options on a line of their own go on with those before them.
        if (isOptionWord(words.front()) && !commands_.empty() && isOptionWord(commands_.back().front()))
            commands_.back().insert(commands_.back().end(), words.begin(), words.end());
        else
            commands_.push_back(std::move(words));
    }

    ShellVariables variables_;
    std::vector<std::vector<ShellWord>> commands_;
    std::vector<ShellGap> gaps_;
    std::vector<Branch> branches_;
    int loops_ = 0;
};

}  // namespace

ShellCommand shellCommandIn(std::string_view text) { return ShellRun().run(text); }

}  // namespace stagecraft::formats
