#include "views/figures/figure_math.h"

#include "views/common/formula.h"

#include <QRegularExpression>

#include <stdexcept>

namespace stagecraft::views {
namespace {

constexpr double scriptSize = 0.7, lowered = -0.18, raised = 0.36;

bool isFormula(const QString& text) {
    static const QRegularExpression sign(QStringLiteral("[_^\\\\]|^[A-Za-z]$"));
    if (!sign.match(text).hasMatch()) return false;
    try {
        parseFormula(text);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

void addRuns(std::vector<TextRun>& runs, const Formula& formula, double size, double raiseEm) {
    switch (formula.kind) {
        case Formula::Kind::letters:
            if (!formula.text.isEmpty()) runs.push_back({formula.text, size, raiseEm, formula.italic});
            return;
        case Formula::Kind::row:
            for (const Formula& part : formula.parts) addRuns(runs, part, size, raiseEm);
            return;
        case Formula::Kind::scripts:
            addRuns(runs, formula.parts[0], size, raiseEm);
            addRuns(runs, formula.parts[1], size * scriptSize, raiseEm + size * lowered);
            addRuns(runs, formula.parts[2], size * scriptSize, raiseEm + size * raised);
            return;
        case Formula::Kind::fraction:
            addRuns(runs, formula.parts[0], size, raiseEm);
            runs.push_back({QStringLiteral("/"), size, raiseEm, false});
            addRuns(runs, formula.parts[1], size, raiseEm);
            return;
        case Formula::Kind::limits:
            addRuns(runs, formula.parts[0], size, raiseEm);
            addRuns(runs, formula.parts[1], size * scriptSize, raiseEm + size * lowered);
            return;
    }
}

}  // namespace

std::vector<std::pair<QString, bool>> mathParts(const QString& text) {
    std::vector<std::pair<QString, bool>> parts;
    const auto addPlain = [&](const QString& plain) {
        if (plain.isEmpty()) return;
        if (!parts.empty() && !parts.back().second)
            parts.back().first += plain;
        else
            parts.emplace_back(plain, false);
    };
    qsizetype at = 0;
    while (at < text.size()) {
        const qsizetype begin = text.indexOf('$', at);
        const qsizetype end = begin < 0 ? -1 : text.indexOf('$', begin + 1);
        if (end < 0) break;
        const QString inner = text.mid(begin + 1, end - begin - 1);
        addPlain(text.mid(at, begin - at));
        if (isFormula(inner)) {
            parts.emplace_back(inner, true);
            at = end + 1;
        } else {
            addPlain(QStringLiteral("$"));
            at = begin + 1;
        }
    }
    addPlain(text.mid(at));
    return parts;
}

bool hasMath(const QString& text) {
    if (!text.contains('$')) return false;
    for (const auto& [part, math] : mathParts(text))
        if (math) return true;
    return false;
}

std::vector<TextRun> textRuns(const QString& text) {
    std::vector<TextRun> runs;
    for (const auto& [part, math] : mathParts(text)) {
        if (math)
            addRuns(runs, parseFormula(part), 1, 0);
        else
            runs.push_back({part, 1, 0, false});
    }
    return runs;
}

}  // namespace stagecraft::views
