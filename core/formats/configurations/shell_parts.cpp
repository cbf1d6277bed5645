#include "core/formats/configurations/shell_parts.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

bool isShellBlank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

/// Goes through a script once.
class ShellScanner {
public:
    explicit ShellScanner(std::string_view text) : text_(text) {}

    std::vector<RawShellCommand> commands() {
        while (at_ < text_.size()) {
            skipBlanks();
            if (at_ >= text_.size()) break;
            if (const std::string_view end = takeEnd(); !end.empty())
                finish(end);
            else
                command_.words.push_back(word());
        }
        finish("\n");
        return std::move(all_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void advance() {
        if (text_[at_] == '\n') ++line_;
        ++at_;
    }

    /// How long a backslash and the end of its line are, which may have blanks between; 0: there is none.
    std::size_t continuation() const {
        if (peek() != '\\') return 0;
        std::size_t length = 1;
        while (isShellBlank(peek(length))) ++length;
        return peek(length) == '\n' ? length + 1 : 0;
    }

    void skipBlanks() {
        while (at_ < text_.size()) {
            if (const std::size_t length = continuation()) {
                for (std::size_t i = 0; i < length; ++i) advance();
            } else if (peek() == '#') {
                while (at_ < text_.size() && peek() != '\n') advance();
            } else if (isShellBlank(peek())) {
                advance();
            } else {
                return;
            }
        }
    }

    /// What ends a command here, which is taken; empty: nothing does.
    std::string_view takeEnd() {
        static constexpr std::string_view ends[] = {"&&", "||", "\n", ";", "|", "&", "(", ")"};
        for (const std::string_view end : ends) {
            if (text_.substr(at_, end.size()) != end) continue;
            for (std::size_t i = 0; i < end.size(); ++i) advance();
            return end == "&&" || end == "||" || end == "|" ? end : "\n";
        }
        return {};
    }

    void finish(std::string_view end) {
        command_.end = end;
        if (!command_.words.empty()) all_.push_back(std::move(command_));
        command_ = {};
    }

    /// @param before the words of the same command
    bool endsWord(const std::vector<RawShellWord>& before) const {
        static constexpr std::string_view signs = "\n;|&()", layoutSigns = "\n;&";
        // People type a layout of stages without quotes: "Et*3|(tt|)*29,m|L".
        const bool isLayout = !before.empty() && before.back().text.ends_with("parallel-layout");
        return isShellBlank(peek()) ||
               (isLayout ? layoutSigns : signs).find(peek()) != std::string_view::npos || continuation() > 0;
    }

    RawShellWord word() {
        RawShellWord made{{}, line_};
        while (at_ < text_.size() && !endsWord(command_.words)) takeLetter(made.text);
        if (peek() == '(' && made.text.ends_with('=')) {
            made.isArray = true;
            takeElements(made);
        }
        return made;
    }

    void takeElements(RawShellWord& array) {
        advance();
        while (true) {
            skipBlanks();
            if (at_ >= text_.size()) return;
            if (peek() == ')') return advance();
            if (endsWord(array.elements)) {
                advance();
                continue;
            }
            RawShellWord element{{}, line_};
            while (at_ < text_.size() && !endsWord(array.elements)) takeLetter(element.text);
            array.elements.push_back(std::move(element));
        }
    }

    void take(std::string& word) {
        word += peek();
        advance();
    }

    /// One letter, or what belongs together: quotes, or a variable.
    void takeLetter(std::string& word) {
        if (peek() == '\'' || peek() == '"' || peek() == '`') return takeQuoted(word, peek());
        if (peek() == '$' && (peek(1) == '{' || peek(1) == '(')) return takeNested(word);
        if (peek() == '\\' && at_ + 1 < text_.size()) take(word);
        take(word);
    }

    void takeQuoted(std::string& word, char quote) {
        take(word);
        while (at_ < text_.size() && peek() != quote) {
            if (quote != '\'' && peek() == '$' && (peek(1) == '{' || peek(1) == '(')) {
                takeNested(word);
                continue;
            }
            if (quote != '\'' && peek() == '\\' && at_ + 1 < text_.size()) take(word);
            if (at_ < text_.size()) take(word);
        }
        if (at_ < text_.size()) take(word);
    }

    /// From the sign of a variable to the bracket that closes it.
    void takeNested(std::string& word) {
        std::string open;
        take(word);
        do {
            const char letter = peek();
            if (letter == '{' || letter == '(') open += letter == '{' ? '}' : ')';
            if (!open.empty() && letter == open.back()) open.pop_back();
            if (letter == '\\' && at_ + 1 < text_.size()) take(word);
            take(word);
        } while (at_ < text_.size() && !open.empty());
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    RawShellCommand command_;
    std::vector<RawShellCommand> all_;
};

}  // namespace

std::vector<RawShellCommand> rawShellCommands(std::string_view text) { return ShellScanner(text).commands(); }

}  // namespace stagecraft::formats
