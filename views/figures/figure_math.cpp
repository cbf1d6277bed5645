#include "views/figures/figure_math.h"

#include "views/common/formula.h"

#include <QRegularExpression>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace stagecraft::views::figures {
namespace {

constexpr double scriptSize = 0.7, lowered = -0.18, raised = 0.36;
// Of a fraction within a line, as TeX's fonts have them (The TeXbook, appendix G: num2, denom2, axis height).
constexpr double numeratorRaise = 0.42, denominatorDrop = -0.36, barRaise = 0.27, barOverhang = 0.06,
                 besideBar = 0.08;

/// What is between two dollars is meant as math.
bool isMeant(const QString& inner, QChar after) {
    static const QRegularExpression sign(QStringLiteral("[_^\\\\]"));
    if (inner.isEmpty()) return false;
    if (sign.match(inner).hasMatch()) return true;
    return !inner.front().isSpace() && !inner.back().isSpace() && !after.isDigit();
}

/// Whether a dollar is one that is written as "\$".
bool isEscaped(const QString& text, qsizetype dollar) { return dollar > 0 && text[dollar - 1] == '\\'; }

qsizetype nextDollar(const QString& text, qsizetype from) {
    qsizetype at = text.indexOf('$', from);
    while (at >= 0 && isEscaped(text, at)) at = text.indexOf('$', at + 1);
    return at;
}

struct Part {
    QString text;
    bool math = false;
};

/// The parts of a text, math whether it can be read or not.
std::vector<Part> partsOf(const QString& text) {
    std::vector<Part> parts;
    const auto addPlain = [&](QString plain) {
        plain.replace(QStringLiteral("\\$"), QStringLiteral("$"));
        if (plain.isEmpty()) return;
        if (!parts.empty() && !parts.back().math)
            parts.back().text += plain;
        else
            parts.push_back({plain, false});
    };
    qsizetype at = 0;
    while (at < text.size()) {
        const qsizetype begin = nextDollar(text, at);
        const qsizetype end = begin < 0 ? -1 : nextDollar(text, begin + 1);
        if (end < 0) break;
        const QString inner = text.mid(begin + 1, end - begin - 1);
        addPlain(text.mid(at, begin - at));
        if (isMeant(inner, end + 1 < text.size() ? text[end + 1] : QChar())) {
            parts.push_back({inner, true});
            at = end + 1;
        } else {
            addPlain(QStringLiteral("$"));
            at = begin + 1;
        }
    }
    addPlain(text.mid(at));
    return parts;
}

bool isReadable(const QString& formula) {
    try {
        parseFormula(formula);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

/// Walks through a formula from left to right and leaves each letter in its place.
class Setter {
public:
    explicit Setter(const std::function<double(const TextRun&)>& widthEm) : widthEm_(widthEm) {}

    void addLetters(const QString& text, double size, double raiseEm, bool italic) {
        if (text.isEmpty()) return;
        TextRun run{text, size, raiseEm, italic, set_.widthEm};
        set_.widthEm += widthEm_(run);
        set_.runs.push_back(std::move(run));
    }

    void add(const Formula& formula, double size, double raiseEm) {
        switch (formula.kind) {
            case Formula::Kind::letters:
                return addLetters(formula.text, size, raiseEm, formula.italic);
            case Formula::Kind::row:
                for (const Formula& part : formula.parts) add(part, size, raiseEm);
                return;
            case Formula::Kind::scripts:
                add(formula.parts[0], size, raiseEm);
                return addScripts(formula, size, raiseEm);
            case Formula::Kind::fraction:
                return addFraction(formula, size, raiseEm);
            case Formula::Kind::limits:
                add(formula.parts[0], size, raiseEm);
                add(formula.parts[1], size * scriptSize, raiseEm + size * lowered);
                return;
        }
    }

    SetText done() { return std::move(set_); }

private:
    /// Both begin where their base ends.
    void addScripts(const Formula& formula, double size, double raiseEm) {
        const double from = set_.widthEm;
        add(formula.parts[1], size * scriptSize, raiseEm + size * lowered);
        const double below = std::exchange(set_.widthEm, from);
        add(formula.parts[2], size * scriptSize, raiseEm + size * raised);
        set_.widthEm = std::max(set_.widthEm, below);
    }

    double widthOf(const Formula& formula, double size) const {
        Setter alone(widthEm_);
        alone.add(formula, size, 0);
        return alone.set_.widthEm;
    }

    void addFraction(const Formula& formula, double size, double raiseEm) {
        const double small = size * scriptSize, over = barOverhang * size, beside = besideBar * size;
        const double above = widthOf(formula.parts[0], small), below = widthOf(formula.parts[1], small);
        const double wide = std::max(above, below) + 2 * over, from = set_.widthEm + beside;
        set_.widthEm = from + (wide - above) / 2;
        add(formula.parts[0], small, raiseEm + size * numeratorRaise);
        set_.widthEm = from + (wide - below) / 2;
        add(formula.parts[1], small, raiseEm + size * denominatorDrop);
        set_.bars.push_back({from, from + wide, raiseEm + size * barRaise});
        set_.widthEm = from + wide + beside;
    }

    const std::function<double(const TextRun&)>& widthEm_;
    SetText set_;
};

}  // namespace

std::vector<std::pair<QString, bool>> mathParts(const QString& text) {
    std::vector<std::pair<QString, bool>> parts;
    for (const Part& part : partsOf(text)) {
        const bool math = part.math && isReadable(part.text);
        const QString own = part.math && !math ? '$' + part.text + '$' : part.text;
        if (!math && !parts.empty() && !parts.back().second)
            parts.back().first += own;
        else
            parts.emplace_back(own, math);
    }
    return parts;
}

bool hasMath(const QString& text) {
    if (!text.contains('$')) return false;
    if (text.contains(QStringLiteral("\\$"))) return true;
    for (const auto& [part, math] : mathParts(text))
        if (math) return true;
    return false;
}

void requireReadableMath(const QString& text) {
    if (!text.contains('$')) return;
    for (const Part& part : partsOf(text))
        if (part.math) parseFormula(part.text);
}

QString mathAsText(const QString& text) {
    QString line;
    for (const auto& [part, math] : mathParts(text)) line += math ? formulaText(parseFormula(part)) : part;
    return line;
}

SetText setText(const QString& text, const std::function<double(const TextRun&)>& widthEm) {
    Setter setter(widthEm);
    for (const auto& [part, math] : mathParts(text)) {
        if (math)
            setter.add(parseFormula(part), 1, 0);
        else
            setter.addLetters(part, 1, 0, false);
    }
    return setter.done();
}

}  // namespace stagecraft::views::figures
