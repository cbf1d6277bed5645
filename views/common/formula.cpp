#include "views/common/formula.h"

#include <QFont>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QHash>
#include <QImage>
#include <QPainter>
#include <QTextCharFormat>
#include <QTextCursor>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::common {

namespace {

using Kind = Formula::Kind;

const QHash<QString, QString>& signs() {
    static const QHash<QString, QString> all = {
        {"cdot", "·"},   {"times", " × "}, {"le", " ≤ "},     {"ge", " ≥ "},        {"ne", " ≠ "},
        {"lceil", "⌈"},  {"rceil", "⌉"},   {"lfloor", "⌊"},   {"rfloor", "⌋"},      {"ldots", "…"},
        {"infty", "∞"},  {"sum", "∑"},     {"alpha", "α"},    {"beta", "β"},        {"gamma", "γ"},
        {"delta", "δ"},  {"Delta", "Δ"},   {"epsilon", "ε"},  {"eta", "η"},         {"theta", "θ"},
        {"lambda", "λ"}, {"mu", "μ"},      {"xi", "ξ"},       {"tau", "τ"},         {"phi", "φ"},
        {"Phi", "Φ"},    {"sqrt", "√"},    {"to", " → "},     {"leftarrow", " ← "}, {"in", " ∈ "},
        {"quad", "   "}, {"left", ""},     {"right", ""},     {"{", "{"},           {"}", "}"},
        {"|", "|"},      {",", " "},       {"approx", " ≈ "}, {"pi", "π"},          {"ll", " ≪ "},
        {"mid", " | "},  {"mod", " mod "}, {"oplus", " ⊕ "}};
    return all;
}

bool isGreek(const QString& text) {
    return text.size() == 1 && text[0].unicode() >= 0x3b1 && text[0].unicode() <= 0x3c9;
}

bool isFunction(const QString& name) {
    static const QStringList names = {"max", "min", "sum", "log", "exp"};
    return names.contains(name);
}

Formula letters(const QString& text, bool italic = false) { return {Kind::letters, text, italic, {}}; }

/// Reads a formula from left to right.
class FormulaReader {
public:
    explicit FormulaReader(const QString& tex) : tex_(tex) {}

    Formula all() {
        Formula formula = row(false);
        if (at_ < tex_.size()) fail(QStringLiteral("'}' without '{'"));
        return formula;
    }

private:
    /// Up to the end, or to the brace that ends a group.
    Formula row(bool inBraces) {
        Formula row;
        while (at_ < tex_.size() && tex_[at_] != '}') {
            Formula next = withScripts(item());
            if (!(next.kind == Kind::letters && next.text.isEmpty())) row.parts.push_back(std::move(next));
        }
        if (inBraces && at_ >= tex_.size()) fail(QStringLiteral("'{' without '}'"));
        return row;
    }

    Formula group() {
        skipBlanks();
        if (at_ >= tex_.size()) fail(QStringLiteral("an operand is missing"));
        if (tex_[at_] != '{') return item();
        ++at_;
        Formula inner = row(true);
        ++at_;
        return inner;
    }

    Formula item() {
        const QChar next = tex_[at_];
        if (next == '\\') return command();
        if (next == '{') return group();
        if (next == '_' || next == '^') return letters({});  // a script without a base, as TeX has it
        ++at_;
        if (next == ' ') return letters({});
        if (next.isLetter()) return letters(next, true);
        if (next == '-') return letters(isOperand() ? QStringLiteral(" − ") : QStringLiteral("−"));
        if (next == '+' || next == '=' || next == '<' || next == '>')
            return letters(QStringLiteral(" %1 ").arg(next));
        if (next == ',') return letters(QStringLiteral(", "));
        if (next == '\'') return letters(QStringLiteral("′"));
        return letters(next);
    }

    /// Whether something to subtract from is before the sign that was just read.
    bool isOperand() const {
        auto before = at_ - 2;
        while (before >= 0 && tex_[before] == ' ') --before;
        return before >= 0 && !QStringLiteral("({[=<>+,^_").contains(tex_[before]);
    }

    Formula command() {
        const auto start = at_++;
        QString name;
        if (at_ < tex_.size() && !tex_[at_].isLetter()) name = tex_[at_++];
        while (name.isEmpty() || name[0].isLetter()) {
            if (at_ >= tex_.size() || !tex_[at_].isLetter()) break;
            name += tex_[at_++];
        }
        if (name == QLatin1String("frac")) {
            Formula above = group();
            return {Kind::fraction, {}, false, {std::move(above), group()}};
        }
        if (name == QLatin1String("text") || name == QLatin1String("mathrm")) return words();
        if (name == QLatin1String("hat") || name == QLatin1String("bar"))
            return accented(QChar(name == QLatin1String("hat") ? 0x0302 : 0x0304));
        if (isFunction(name)) return function(name);
        const auto sign = signs().find(name);
        if (sign != signs().end()) return letters(*sign, isGreek(*sign));
        at_ = start;
        fail(QStringLiteral("\\%1 is not known").arg(name));
    }

    /// @param mark that combines with the letter before it
    Formula accented(QChar mark) {
        Formula letter = group();
        if (letter.kind == Kind::row && letter.parts.size() == 1) letter = letter.parts.front();
        if (letter.kind != Kind::letters || letter.text.size() != 1)
            fail(QStringLiteral("an accent is on one letter"));
        letter.text = (letter.text + mark).normalized(QString::NormalizationForm_C);
        return letter;
    }

    Formula words() {
        skipBlanks();
        const auto end = tex_.indexOf('}', at_);
        if (at_ >= tex_.size() || tex_[at_] != '{' || end < 0) fail(QStringLiteral("expected {words}"));
        const QString text = tex_.mid(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return letters(text);
    }

    Formula function(const QString& name) {
        const Formula symbol = letters(name == QLatin1String("sum") ? QStringLiteral("∑") : name);
        Formula below;
        skipBlanks();
        if (at_ < tex_.size() && tex_[at_] == '_') {
            ++at_;
            below = group();
        }
        return {Kind::limits, {}, false, {symbol, std::move(below)}};
    }

    Formula withScripts(Formula base) {
        Formula scripts{Kind::scripts, {}, false, {std::move(base), {}, {}}};
        while (at_ < tex_.size() && (tex_[at_] == '_' || tex_[at_] == '^')) {
            Formula& script = scripts.parts[tex_[at_] == '_' ? 1 : 2];
            if (!script.isEmpty()) fail(QStringLiteral("two scripts in one place"));
            ++at_;
            script = group();
        }
        return scripts.parts[1].isEmpty() && scripts.parts[2].isEmpty() ? scripts.parts[0] : scripts;
    }

    void skipBlanks() {
        while (at_ < tex_.size() && tex_[at_] == ' ') ++at_;
    }

    [[noreturn]] void fail(const QString& what) const {
        throw std::invalid_argument(
            QStringLiteral("formula '%1', position %2: %3").arg(tex_).arg(at_).arg(what).toStdString());
    }

    QString tex_;
    qsizetype at_ = 0;
};

/// Whether it is a sum, or a fraction, that is in no brackets of its own.
bool isLoose(const QString& text) {
    int depth = 0;
    for (const QChar each : text) {
        depth += each == '(' ? 1 : each == ')' ? -1 : 0;
        if (depth == 0 && QStringLiteral("+−/=≤≥,").contains(each)) return true;
    }
    return false;
}

/// In brackets where they are needed.
QString operandText(const Formula& formula) {
    const QString text = formulaText(formula);
    return isLoose(text) ? '(' + text + ')' : text;
}

/// A script may be a single thing only.
QString scriptText(const Formula& formula) {
    const QString text = formulaText(formula);
    const bool isNumber = std::all_of(text.begin(), text.end(), [](QChar each) { return each.isDigit(); });
    return text.size() == 1 || isNumber ? text : '(' + text + ')';
}

/// Parts one after the other; a fraction among others is in brackets.
QString rowText(const std::vector<Formula>& parts) {
    QString text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const QString part = formulaText(parts[i]);
        const auto isOperand = [](const Formula& each) {
            return each.kind != Formula::Kind::letters ||
                   (!each.text.isEmpty() && each.text[0].isLetterOrNumber());
        };
        const bool touches =
            (i > 0 && isOperand(parts[i - 1])) || (i + 1 < parts.size() && isOperand(parts[i + 1]));
        text += parts[i].kind == Formula::Kind::fraction && touches ? '(' + part + ") " : part;
    }
    return text.simplified();
}

/// A formula with the room it takes, about a baseline.
struct FormulaBox {
    double width = 0, ascent = 0, descent = 0;
};

/// Measures and paints; the same walk for both, so that they agree.
class FormulaPainter {
public:
    FormulaPainter(double points, QPainter* painter) : points_(points), painter_(painter) {}

    FormulaBox draw(const Formula& formula, double x, double baseline, double size) {
        switch (formula.kind) {
            case Kind::letters:
                return drawLetters(formula, x, baseline, size);
            case Kind::row:
                return drawRow(formula, x, baseline, size);
            case Kind::scripts:
                return drawScripts(formula, x, baseline, size);
            case Kind::fraction:
                return drawFraction(formula, x, baseline, size);
            case Kind::limits:
                return drawLimits(formula, x, baseline, size);
        }
        return {};
    }

private:
    static constexpr double scriptSize = 0.72, gap = 0.18;

    QFont font(double size, bool italic) const {
        QFont font(QStringLiteral("DejaVu Serif"));
        font.setStyleHint(QFont::Serif);
        font.setPointSizeF(points_ * size);
        font.setItalic(italic);
        return font;
    }
    double em(double size) const { return QFontMetricsF(font(size, false)).height(); }
    /// Where fraction bars are, above the baseline.
    double axis(double size) const { return QFontMetricsF(font(size, false)).xHeight() / 2; }
    FormulaBox measured(const Formula& formula, double size) const {
        return FormulaPainter(points_, nullptr).draw(formula, 0, 0, size);
    }

    FormulaBox drawLetters(const Formula& formula, double x, double baseline, double size) {
        const QFont type = font(size, formula.italic);
        const QFontMetricsF metrics(type);
        if (painter_) {
            painter_->setFont(type);
            painter_->drawText(QPointF(x, baseline), formula.text);
        }
        return {metrics.horizontalAdvance(formula.text), metrics.ascent() * 0.85, metrics.descent()};
    }

    FormulaBox drawRow(const Formula& formula, double x, double baseline, double size) {
        FormulaBox all;
        for (const Formula& part : formula.parts) {
            const FormulaBox box = draw(part, x + all.width, baseline, size);
            all = {all.width + box.width, std::max(all.ascent, box.ascent),
                   std::max(all.descent, box.descent)};
        }
        return all;
    }

    FormulaBox drawScripts(const Formula& formula, double x, double baseline, double size) {
        const FormulaBox base = draw(formula.parts[0], x, baseline, size);
        const double small = size * scriptSize, down = em(size) * 0.16, up = em(size) * 0.34;
        const FormulaBox below = draw(formula.parts[1], x + base.width + 1, baseline + down, small);
        const FormulaBox above = draw(formula.parts[2], x + base.width + 1, baseline - up, small);
        return {base.width + 1 + std::max(below.width, above.width),
                std::max(base.ascent, above.width > 0 ? above.ascent + up : 0),
                std::max(base.descent, below.width > 0 ? below.descent + down : 0)};
    }

    FormulaBox drawFraction(const Formula& formula, double x, double baseline, double size) {
        const FormulaBox above = measured(formula.parts[0], size), below = measured(formula.parts[1], size);
        const double pad = em(size) * gap / 2, bar = baseline - axis(size);
        const double width = std::max(above.width, below.width) + 2 * pad;
        draw(formula.parts[0], x + (width - above.width) / 2, bar - pad - above.descent, size);
        draw(formula.parts[1], x + (width - below.width) / 2, bar + pad + below.ascent, size);
        if (painter_) painter_->drawLine(QPointF(x, bar), QPointF(x + width, bar));
        return {width + pad, baseline - bar + pad + above.descent + above.ascent,
                bar - baseline + pad + below.ascent + below.descent};
    }

    FormulaBox drawLimits(const Formula& formula, double x, double baseline, double size) {
        const FormulaBox name = measured(formula.parts[0], size);
        const FormulaBox below = measured(formula.parts[1], size * scriptSize);
        const double width = std::max(name.width, below.width), space = em(size) * gap;
        const double under = name.descent + below.ascent * 0.8;
        draw(formula.parts[0], x + (width - name.width) / 2, baseline, size);
        draw(formula.parts[1], x + (width - below.width) / 2, baseline + under, size * scriptSize);
        return {width + space, name.ascent, below.width > 0 ? under + below.descent : name.descent};
    }

    double points_;
    QPainter* painter_;
};

}  // namespace

Formula parseFormula(const QString& tex) { return FormulaReader(tex.simplified()).all(); }

QString formulaText(const Formula& formula) {
    switch (formula.kind) {
        case Kind::letters:
            return formula.text;
        case Kind::row:
            return rowText(formula.parts);
        case Kind::scripts: {
            QString text = formulaText(formula.parts[0]);
            if (!formula.parts[1].isEmpty()) text += '_' + scriptText(formula.parts[1]);
            if (!formula.parts[2].isEmpty()) text += '^' + scriptText(formula.parts[2]);
            return text;
        }
        case Kind::fraction:
            return operandText(formula.parts[0]) + " / " + operandText(formula.parts[1]);
        case Kind::limits: {
            const QString below = formula.parts[1].isEmpty() ? QString() : '_' + scriptText(formula.parts[1]);
            return formulaText(formula.parts[0]) + below + ' ';
        }
    }
    return {};
}

void insertFormula(QTextCursor& cursor, const Formula& formula, const QTextCharFormat& format) {
    const auto scripted = [&format](QTextCharFormat::VerticalAlignment alignment) {
        QTextCharFormat script = format;
        script.setVerticalAlignment(alignment);
        return script;
    };
    switch (formula.kind) {
        case Kind::letters: {
            QTextCharFormat letters = format;
            letters.setFontItalic(formula.italic);
            cursor.insertText(formula.text, letters);
            break;
        }
        case Kind::row:
            for (const Formula& part : formula.parts) insertFormula(cursor, part, format);
            break;
        case Kind::scripts:
        case Kind::limits:
            insertFormula(cursor, formula.parts[0], format);
            insertFormula(cursor, formula.parts[1], scripted(QTextCharFormat::AlignSubScript));
            if (formula.kind == Kind::scripts)
                insertFormula(cursor, formula.parts[2], scripted(QTextCharFormat::AlignSuperScript));
            else
                cursor.insertText(QStringLiteral(" "), format);
            break;
        case Kind::fraction:
            cursor.insertText(formulaText(formula), format);
            break;
    }
}

QImage drawFormula(const Formula& formula, double points, const QColor& colour, double scale) {
    constexpr double margin = 4;
    const FormulaBox box = FormulaPainter(points, nullptr).draw(formula, 0, 0, 1);
    const QSizeF size(box.width + 2 * margin, box.ascent + box.descent + 2 * margin);
    QImage image((size * scale).toSize().expandedTo({1, 1}), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    painter.setPen(QPen(colour, 1));
    FormulaPainter(points, &painter).draw(formula, margin, margin + box.ascent, 1);
    return image;
}

}  // namespace stagecraft::views::common
