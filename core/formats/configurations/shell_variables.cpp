#include "core/formats/configurations/shell_variables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace stagecraft::formats {

namespace {

constexpr std::size_t mostShellText = std::size_t{1} << 24;
constexpr int mostShellDepth = 32;

bool isNameLetter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_'; }
bool isShellSpace(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; }

std::size_t nameLength(std::string_view text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) return 0;
    std::size_t length = 0;
    while (length < text.size() && isNameLetter(text[length])) ++length;
    return length;
}

/// Reads a sum of products.
class ShellNumbers {
public:
    explicit ShellNumbers(std::string_view text) : rest_(text) {}

    std::optional<long long> whole() {
        const std::optional<long long> value = sum(0);
        skip();
        return rest_.empty() ? value : std::nullopt;
    }

private:
    void skip() {
        while (!rest_.empty() && isShellSpace(rest_.front())) rest_.remove_prefix(1);
    }

    bool take(char sign) {
        skip();
        if (rest_.empty() || rest_.front() != sign) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::optional<long long> sum(int depth) {
        std::optional<long long> value = product(depth);
        while (value) {
            const bool adds = take('+');
            if (!adds && !take('-')) break;
            const std::optional<long long> next = product(depth);
            long long result = 0;
            if (!next || (adds ? __builtin_add_overflow(*value, *next, &result)
                               : __builtin_sub_overflow(*value, *next, &result)))
                return std::nullopt;
            value = result;
        }
        return value;
    }

    std::optional<long long> product(int depth) {
        std::optional<long long> value = single(depth);
        while (value) {
            const char sign = take('*') ? '*' : take('/') ? '/' : take('%') ? '%' : '\0';
            if (sign == '\0') break;
            const std::optional<long long> next = single(depth);
            if (!next) return std::nullopt;
            long long result = 0;
            if (sign == '*') {
                if (__builtin_mul_overflow(*value, *next, &result)) return std::nullopt;
            } else {
                if (*next <= 0) return std::nullopt;
                result = sign == '/' ? *value / *next : *value % *next;
            }
            value = result;
        }
        return value;
    }

    std::optional<long long> single(int depth) {
        if (depth > mostShellDepth) return std::nullopt;
        if (take('(')) {
            const std::optional<long long> value = sum(depth + 1);
            return take(')') ? value : std::nullopt;
        }
        skip();
        long long value = 0;
        const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (read.ec != std::errc{}) return std::nullopt;
        rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
        return value;
    }

    std::string_view rest_;
};

}  // namespace

std::optional<long long> shellArithmetic(std::string_view text) { return ShellNumbers(text).whole(); }

/// What one word becomes.
class ShellExpansion {
public:
    ShellExpansion(ShellVariables& variables, int line, bool keepsUnset)
        : variables_(variables), line_(line), keepsUnset_(keepsUnset) {}

    std::vector<ShellWord> wordsFrom(std::string_view raw) {
        read(raw, false, 0);
        finish();
        return std::move(words_);
    }

private:
    void read(std::string_view raw, bool isQuoted, int depth) {
        std::size_t at = 0;
        while (at < raw.size()) {
            const char letter = raw[at];
            if (letter == '\'' && !isQuoted) {
                const std::size_t end = std::min(raw.find('\'', at + 1), raw.size());
                add(raw.substr(at + 1, end - at - 1));
                at = end + 1;
            } else if (letter == '"') {
                at = readQuoted(raw, at, depth);
            } else if (letter == '\\' && at + 1 < raw.size()) {
                // The end of a line inside quotes stays a blank, so that lines can be counted.
                add(raw.substr(at + 1, 1));
                at += 2;
            } else if (letter == '$') {
                at = readVariable(raw, at, isQuoted, depth);
            } else {
                add(raw.substr(at++, 1));
            }
        }
    }

    std::size_t readQuoted(std::string_view raw, std::size_t at, int depth) {
        std::size_t end = at + 1;
        int brackets = 0;
        while (end < raw.size() && (raw[end] != '"' || brackets > 0)) {
            if (raw[end] == '\\' && end + 1 < raw.size()) ++end;
            if (raw[end] == '$' && end + 1 < raw.size() && raw[end + 1] == '{') ++brackets;
            if (raw[end] == '}' && brackets > 0) --brackets;
            ++end;
        }
        hasWord_ = true;
        const std::string_view inside = raw.substr(at + 1, std::min(end, raw.size()) - at - 1);
        isAlone_ = at == 0 && end + 1 == raw.size() && isOneVariable(inside);
        if (depth < mostShellDepth) read(inside, true, depth + 1);
        return end + 1;
    }

    static bool isOneVariable(std::string_view text) {
        if (text.starts_with("${")) return closing(text, 1) + 1 == text.size();
        return text.starts_with("$") && nameLength(text.substr(1)) + 1 == text.size();
    }

    /// @return where the text goes on
    std::size_t readVariable(std::string_view raw, std::size_t at, bool isQuoted, int depth) {
        const std::string_view rest = raw.substr(at + 1);
        if (rest.starts_with("((")) {
            const std::size_t end = closing(raw, at + 1);  // of both brackets that open
            const std::string_view whole = raw.substr(at, end + 1 - at);
            addNumber(whole, raw.substr(at + 3, end > at + 4 ? end - at - 4 : 0), depth);
            return end + 1;
        }
        if (rest.starts_with("{")) {
            const std::size_t end = closing(raw, at + 1);
            readBraces(raw.substr(at, end + 1 - at), isQuoted, depth);
            return end + 1;
        }
        if (rest.starts_with("(")) {
            const std::size_t end = closing(raw, at + 1);
            if (keepsUnset_) add(raw.substr(at, end + 1 - at));
            return end + 1;
        }
        std::size_t length = nameLength(rest);
        if (length == 0 && !rest.empty() && (isNameLetter(rest.front()) || rest.front() == '@')) length = 1;
        put(std::string(rest.substr(0, length)), raw.substr(at, length + 1), isQuoted, false);
        return at + 1 + length;
    }

    static std::size_t closing(std::string_view raw, std::size_t open) {
        int depth = 0;
        for (std::size_t at = open; at < raw.size(); ++at) {
            if (raw[at] == '{' || raw[at] == '(') ++depth;
            if ((raw[at] == '}' || raw[at] == ')') && --depth == 0) return at;
        }
        return raw.size();
    }

    /// "${NAME}", "${NAME[@]}", "${NAME:-otherwise}".
    void readBraces(std::string_view whole, bool isQuoted, int depth) {
        std::string_view rest = whole.substr(2, whole.size() > 2 ? whole.size() - 3 : 0);
        std::size_t length = nameLength(rest);
        while (length < rest.size() && length == 0 && isNameLetter(rest[length])) ++length;
        const std::string name(rest.substr(0, length));
        rest.remove_prefix(length);
        const bool isList = rest.starts_with("[@]") || rest.starts_with("[*]");
        if (isList) rest.remove_prefix(3);
        const bool hasDefault = rest.starts_with(":-") || rest.starts_with(":=") || rest.starts_with("-");
        if (hasDefault && !isSet(name) && depth < mostShellDepth) {
            rest.remove_prefix(rest.starts_with("-") ? 1 : 2);
            read(rest, isQuoted, depth + 1);
            return;
        }
        if (!rest.empty() && !hasDefault) {
            if (keepsUnset_) add(whole);
            return;
        }
        put(name, whole, isQuoted, isList);
    }

    bool isSet(const std::string& name) const {
        const auto found = variables_.values_.find(name);
        if (found == variables_.values_.end()) return false;
        return std::ranges::any_of(found->second, [](const ShellWord& word) { return !word.text.empty(); });
    }

    /// What a variable is. Between quotes the elements of a list stay words, and all else is part of one.
    void put(const std::string& name, std::string_view whole, bool isQuoted, bool isList) {
        const auto found = variables_.values_.find(name);
        if (found == variables_.values_.end()) {
            if (keepsUnset_) add(whole);
            return;
        }
        const std::vector<ShellWord> value = found->second;
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (i > 0 && !isQuoted) finish();
            if (i > 0 && isQuoted && !isList) add(" ");
            if (i > 0 && isQuoted && isList) finish();
            if (isQuoted)
                addOnOneLine(value[i]);
            else
                split(value[i]);
        }
    }

    void split(const ShellWord& value) {
        int line = value.line;
        std::size_t at = 0;
        while (at < value.text.size()) {
            const std::size_t from = at;
            while (at < value.text.size() && !isShellSpace(value.text[at])) ++at;
            if (at > from) addAt({value.text.substr(from, at - from), line});
            if (at < value.text.size()) finish();
            while (at < value.text.size() && isShellSpace(value.text[at])) line += value.text[at++] == '\n';
        }
    }

    void addNumber(std::string_view whole, std::string_view sum, int depth) {
        std::string named;
        for (std::size_t at = 0; at < sum.size();) {
            const std::size_t length = nameLength(sum.substr(at));
            const bool isBare = length > 0 && (at == 0 || (sum[at - 1] != '$' && sum[at - 1] != '{'));
            if (isBare) named += '$';
            named += sum.substr(at, std::max<std::size_t>(length, 1));
            at += std::max<std::size_t>(length, 1);
        }
        ShellExpansion inner(variables_, line_, keepsUnset_);
        std::string text;
        if (depth < mostShellDepth)
            for (const ShellWord& word : inner.wordsFrom(named)) text += word.text + " ";
        if (const std::optional<long long> value = shellArithmetic(text))
            add(std::to_string(*value));
        else if (keepsUnset_)
            add(whole);
    }

    void add(std::string_view text) {
        variables_.spend(text.size());
        if (!hasWord_ || word_.text.empty()) word_.line = std::max(word_.line, line_);
        hasWord_ = true;
        word_.text += text;
    }

    /// What has a line of its own.
    void addAt(const ShellWord& part) {
        variables_.spend(part.text.size());
        if (!hasWord_ || word_.text.empty()) word_.line = part.line;
        hasWord_ = true;
        word_.text += part.text;
    }

    /// Within quotes lines are counted from their beginning on, and those of a value are not among them
    /// unless it is all that is there.
    void addOnOneLine(ShellWord part) {
        if (isAlone_) return addAt(part);
        std::ranges::replace(part.text, '\n', ' ');
        if (hasWord_ && !word_.text.empty()) return add(part.text);
        part.line = line_;
        addAt(part);
    }

    void finish() {
        if (hasWord_) words_.push_back(std::move(word_));
        word_ = {{}, 0};
        hasWord_ = false;
    }

    ShellVariables& variables_;
    int line_;
    bool keepsUnset_;
    std::vector<ShellWord> words_;
    ShellWord word_{{}, 0};
    bool hasWord_ = false;
    bool isAlone_ = false;  // within quotes there is a variable and nothing else
};

void ShellVariables::spend(std::size_t letters) {
    spent_ += letters;
    if (spent_ > mostShellText)
        throw std::length_error("its variables make more than 16 MiB of text; expected a script of options");
}

std::vector<ShellWord>& ShellVariables::variable(const std::string& name) {
    if (!values_.contains(name)) order_.push_back(name);
    return values_[name];
}

bool ShellVariables::assign(const RawShellWord& word) {
    const std::size_t length = nameLength(word.text);
    if (length == 0) return false;
    const std::string_view rest = std::string_view(word.text).substr(length);
    const bool adds = rest.starts_with("+=");
    if (!adds && !rest.starts_with("=")) return false;
    std::vector<ShellWord> made;
    if (word.isArray) {
        for (const RawShellWord& element : word.elements)
            for (ShellWord& each : expanded(element)) made.push_back(std::move(each));
    } else {
        const std::string_view text = rest.substr(adds ? 2 : 1);
        ShellWord joined{{}, word.line};
        for (const ShellWord& each : ShellExpansion(*this, word.line, true).wordsFrom(text)) {
            if (joined.text.empty()) joined.line = each.line;
            joined.text += (joined.text.empty() ? "" : " ") + each.text;
        }
        made.push_back(std::move(joined));
    }
    std::vector<ShellWord>& value = variable(word.text.substr(0, length));
    if (!adds) {
        value = std::move(made);
    } else if (word.isArray || value.empty()) {
        for (ShellWord& each : made) value.push_back(std::move(each));
    } else {
        value.back().text += made.front().text;
    }
    return true;
}

std::vector<ShellWord> ShellVariables::expanded(const RawShellWord& word) {
    return ShellExpansion(*this, word.line, true).wordsFrom(word.text);
}

std::string ShellVariables::asCondition(const RawShellWord& word) {
    std::string text;
    for (const ShellWord& each : ShellExpansion(*this, word.line, false).wordsFrom(word.text))
        text += each.text;
    return text;
}

std::vector<ShellWord> ShellVariables::options() const {
    std::vector<ShellWord> words;
    for (const std::string& name : order_) {
        const std::vector<ShellWord>& value = values_.at(name);
        const bool hasOptions = std::ranges::any_of(
            value, [](const ShellWord& word) { return word.text.find("--") != std::string::npos; });
        if (hasOptions) words.insert(words.end(), value.begin(), value.end());
    }
    return words;
}

}  // namespace stagecraft::formats
