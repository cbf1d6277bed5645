#include "tests/core/house/sources.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <sstream>

namespace fs = std::filesystem;

namespace house {

namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The code with the same lines, but without comments, directives, and what is in literals.
class PlainCode {
public:
    explicit PlainCode(const std::string& text) : text_(text) {
        while (at_ < text_.size()) step();
    }
    const std::string& text() const { return plain_; }

private:
    void step() {
        const char c = text_[at_];
        if (text_.compare(at_, 2, "//") == 0) return skipTo(text_.find('\n', at_));
        if (text_.compare(at_, 2, "/*") == 0) return skipTo(after("*/", at_ + 2));
        if (c == '#' && startsLine()) return skipDirective();
        if (c == '"') return isRaw() ? skipRaw() : skipLiteral();
        // 1'000 is a number.
        if (c == '\'' && (at_ == 0 || !isWord(text_[at_ - 1]))) return skipLiteral();
        plain_ += c;
        ++at_;
    }
    std::size_t after(const std::string& what, std::size_t from) const {
        const std::size_t found = text_.find(what, from);
        return found == std::string::npos ? found : found + what.size();
    }
    void skipTo(std::size_t end) {
        end = std::min(end, text_.size());
        plain_.append(
            static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                text_.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
            '\n');
        at_ = end;
    }
    bool startsLine() const {
        const std::size_t before = plain_.find_last_not_of(" \t");
        return before == std::string::npos || plain_[before] == '\n';
    }
    void skipDirective() {
        std::size_t end = text_.find('\n', at_);
        while (end != std::string::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
        skipTo(end);
    }
    bool isRaw() const { return at_ > 0 && text_[at_ - 1] == 'R' && (at_ < 2 || !isWord(text_[at_ - 2])); }
    void skipRaw() {
        const std::size_t open = text_.find('(', at_);
        const std::string close = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
        plain_ += "\"\"";
        skipTo(after(close, open));
    }
    void skipLiteral() {
        const char quote = text_[at_];
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
        plain_.append(2, quote);
        skipTo(end + 1);
    }

    const std::string& text_;
    std::string plain_;
    std::size_t at_ = 0;
};

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\n\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

/// The text without what is in brackets of that kind.
std::string withoutBrackets(const std::string& text, char open, char close) {
    std::string left;
    int depth = 0;
    for (const char c : text) {
        if (c == open) ++depth;
        if (depth == 0) left += c;
        if (c == close && depth > 0) --depth;
    }
    return left;
}

/// Walks through namespaces and types; bodies of functions are measured and skipped.
class Scanner {
public:
    Scanner(const std::string& plain, Source& source) : plain_(plain), source_(source) {}

    void run() {
        for (; at_ < plain_.size(); ++at_) {
            const char c = plain_[at_];
            if (c == '(') ++parentheses_;
            if (c == ')') --parentheses_;
            if (parentheses_ > 0) continue;
            if (c == '{')
                open();
            else if (c == '}')
                close();
            else if (c == ';')
                endStatement();
            else if (c == ':' && endsAccess())
                statement_ = at_ + 1;
        }
    }

private:
    struct Scope {
        std::string name;  ///< of a namespace or a type
        int type = -1;     ///< its place in Source::types; -1: a namespace
    };

    std::string head() const { return trimmed(plain_.substr(statement_, at_ - statement_)); }
    bool endsAccess() const {
        static const std::regex access(R"((public|private|protected|signals|slots)\s*$)");
        return std::regex_search(plain_.substr(statement_, at_ - statement_), access);
    }
    int lineOf(std::size_t place) const {
        return 1 + static_cast<int>(
                       std::count(plain_.begin(), plain_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    }
    std::size_t start() const { return plain_.find_first_not_of(" \t\n\r", statement_); }

    void open() {
        static const std::regex space(R"(^(?:inline\s+)?namespace\b\s*([\w:]*)$)");
        static const std::regex type(
            R"(^(class|struct|union|enum(?:\s+(?:class|struct))?)\s+([\w:]+)\s*(final\b)?\s*(<|:|$))");
        std::string text = head();
        std::smatch found;
        if (std::regex_match(text, found, space) || text == "extern \"\"")
            return enter({found.empty() ? "" : found[1].str()});
        if (text.rfind("template", 0) == 0) text = trimmed(withoutTemplate(text));
        if (std::regex_search(text, found, type)) {
            addType(found[2], found[1], found[4] == "<");
            if (found[1].str().rfind("enum", 0) == 0) return skipBody();
            return enter({found[2], static_cast<int>(source_.types.size()) - 1});
        }
        if (isFunction(text)) return addFunction(text);
        skipBody();
    }
    static std::string withoutTemplate(const std::string& text) {
        int depth = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '<') ++depth;
            if (text[i] == '>' && --depth == 0) return text.substr(i + 1);
        }
        return text;
    }
    /// Neither a variable with its values nor one of the members that a constructor fills in braces.
    static bool isFunction(const std::string& text) {
        static const std::regex filled(R"([,:]\s*\w+$)"), assigned(R"([^=!<>]=($|[^=]))");
        const std::size_t last = text.rfind(')');
        if (last == std::string::npos || std::regex_search(text.substr(last + 1), filled)) return false;
        return text.find("operator") != std::string::npos ||
               !std::regex_search(withoutBrackets(text, '(', ')'), assigned);
    }
    void enter(Scope scope) {
        scopes_.push_back(std::move(scope));
        statement_ = at_ + 1;
    }
    void close() {
        if (!scopes_.empty()) scopes_.pop_back();
        statement_ = at_ + 1;
    }
    std::size_t endOfBody() const {
        int depth = 0;
        for (std::size_t end = at_; end < plain_.size(); ++end) {
            if (plain_[end] == '{') ++depth;
            if (plain_[end] == '}' && --depth == 0) return end;
        }
        return plain_.size() - 1;
    }
    /// The statement continues after it.
    void skipBody() { at_ = endOfBody(); }
    void addFunction(const std::string& text) {
        static const std::regex member(R"(((?:\w+::)*)(~?\w+|operator\s*\W+)\s*$)");
        Function function;
        const std::string before = text.substr(0, text.find('('));
        std::smatch found;
        if (std::regex_search(before, found, member)) {
            function.name = trimmed(found[0]);
            const std::string owner = found[1];
            if (!isInType()) function.owner = owner.substr(0, owner.find(':'));
        }
        function.space = space();
        function.line = lineOf(start());
        const std::size_t end = endOfBody();
        std::istringstream lines(plain_.substr(start(), end + 1 - start()));
        for (std::string line; std::getline(lines, line);) function.length += trimmed(line).empty() ? 0 : 1;
        source_.functions.push_back(function);
        at_ = end;
        statement_ = at_ + 1;
    }
    std::string space() const {
        std::string path;
        for (const Scope& scope : scopes_) path += (path.empty() ? "" : "::") + scope.name;
        return path;
    }
    bool isInType() const { return !scopes_.empty() && scopes_.back().type >= 0; }
    void addType(const std::string& name, const std::string& keyword, bool isSpecial) {
        Type type;
        type.name = name;
        type.isClass = keyword == "class";
        type.line = lineOf(start());
        // A special case of a template is no second type of its name.
        type.isInType = isInType() || isSpecial || name.find(':') != std::string::npos;
        type.isInFile =
            std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return s.name.empty(); });
        type.space = space();
        source_.types.push_back(type);
    }
    void endStatement() {
        if (isInType()) addMembers(head());
        statement_ = at_ + 1;
    }
    void addMembers(std::string text) {
        static const std::regex none(
            R"(^(using|friend|typedef|static|template|enum|class|struct|public|virtual)\b)"),
            name(R"((\w+_)\s*(\[.*\])?\s*$)");
        if (std::regex_search(text, none)) return;
        text = withoutBrackets(withoutBrackets(text, '{', '}'), '(', ')');
        std::istringstream parts(withoutBrackets(text, '<', '>'));
        std::smatch found;
        for (std::string part; std::getline(parts, part, ',');) {
            part = part.substr(0, part.find('='));
            if (std::regex_search(part, found, name))
                source_.types[static_cast<std::size_t>(scopes_.back().type)].members.push_back(found[1]);
        }
    }

    const std::string& plain_;
    Source& source_;
    std::size_t at_ = 0, statement_ = 0;
    int parentheses_ = 0;
    std::vector<Scope> scopes_;
};

std::string withoutExtension(const std::string& path) { return path.substr(0, path.rfind('.')); }

bool isOurs(const std::string& include) {
    return include.rfind("core/", 0) == 0 || include.rfind("views/", 0) == 0 || include.rfind("app/", 0) == 0;
}

/// Finds for each node what it reaches; small graphs, so that plain search will do.
std::set<std::string> reached(const Arrows& arrows, const std::string& from) {
    std::set<std::string> seen;
    std::vector<std::string> open{from};
    while (!open.empty()) {
        const auto next = arrows.find(open.back());
        open.pop_back();
        if (next == arrows.end()) continue;
        for (const std::string& to : next->second)
            if (seen.insert(to).second) open.push_back(to);
    }
    return seen;
}

/// The shortest way from the node back to itself.
std::string circleThrough(const Arrows& arrows, const std::string& node) {
    std::map<std::string, std::string> before;
    std::vector<std::string> open{node};
    for (std::size_t i = 0; i < open.size() && !before.count(node); ++i) {
        const auto next = arrows.find(open[i]);
        if (next == arrows.end()) continue;
        for (const std::string& to : next->second)
            if (before.try_emplace(to, open[i]).second) open.push_back(to);
    }
    std::string text = node;
    std::string step = node;
    do {
        step = before.at(step);
        text.insert(0, step + " -> ");
    } while (step != node);
    return text;
}

}  // namespace

Source readSource(const std::string& text, const std::string& path) {
    static const std::regex directive(R"re(^\s*#\s*include\s*[<"]([^">]+)[">])re");
    Source source;
    source.path = path;
    std::istringstream lines(text);
    std::smatch found;
    for (std::string line; std::getline(lines, line);)
        if (std::regex_search(line, found, directive)) source.includes.push_back(found[1]);
    const PlainCode plain(text);
    Scanner(plain.text(), source).run();
    return source;
}

const std::vector<Source>& productSources() {
    static const std::vector<Source> sources = [] {
        std::vector<Source> read;
        const fs::path root = STAGECRAFT_SOURCE_DIR;
        for (const char* floor : {"core", "views", "app"})
            for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
                if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
                std::ifstream file(entry.path());
                const std::string text{std::istreambuf_iterator<char>(file),
                                       std::istreambuf_iterator<char>()};
                read.push_back(readSource(text, fs::relative(entry.path(), root).generic_string()));
            }
        std::sort(read.begin(), read.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
        return read;
    }();
    return sources;
}

std::vector<std::string> circles(const Arrows& arrows) {
    std::vector<std::string> found;
    std::set<std::string> done;
    std::map<std::string, std::set<std::string>> reach;
    for (const auto& [node, to] : arrows) reach[node] = reached(arrows, node);
    for (const auto& [node, to] : arrows) {
        if (!reach[node].count(node) || done.count(node)) continue;
        for (const std::string& other : reach[node])
            if (reach[other].count(node)) done.insert(other);
        found.push_back(circleThrough(arrows, node));
    }
    return found;
}

Arrows arrowsOfFiles(const std::vector<Source>& sources) {
    Arrows arrows;
    for (const Source& source : sources) {
        const std::string from = withoutExtension(source.path);
        for (const std::string& include : source.includes)
            if (isOurs(include) && withoutExtension(include) != from)
                arrows[from].insert(withoutExtension(include));
    }
    return arrows;
}

std::map<std::string, Arrows> arrowsOfFolders(const Arrows& files) {
    std::map<std::string, Arrows> folders;
    for (const auto& [from, targets] : files)
        for (const std::string& to : targets) {
            // The deepest folder that both are in is where they are two things.
            std::size_t common = 0;
            for (std::size_t i = 0; i < std::min(from.size(), to.size()) && from[i] == to[i]; ++i)
                if (from[i] == '/') common = i + 1;
            const auto entry = [&](const std::string& path) {
                return path.substr(0, path.find('/', common));
            };
            folders[from.substr(0, common)][entry(from)].insert(entry(to));
        }
    return folders;
}

}  // namespace house
