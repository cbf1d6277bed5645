#include "views/figures/figure_writers.h"

#include "views/figures/figure_formats.h"
#include "views/figures/figure_math.h"
#include "views/figures/figure_sink.h"

#include <cstdio>
#include <map>
#include <stdexcept>

namespace stagecraft::views::figures {
namespace {

std::string fixed(double value) {
    const QByteArray text = QByteArray::number(value, 'f', 3);  // QByteArray's numbers know no locale
    return text == "-0.000" ? "0.000" : text.toStdString();
}

std::string coordinate(const QPointF& at) { return '(' + fixed(at.x()) + ',' + fixed(at.y()) + ')'; }

std::string rectanglePath(const QRectF& rect) {
    return coordinate(rect.topLeft()) + " rectangle " + coordinate(rect.bottomRight());
}

/// Where Latin Modern is missing, TeX's own letters are outlines as well; those of the T1 encoding would be
/// bitmaps (Type 3).
const std::string standalonePreamble =
    "\\documentclass[tikz]{standalone}\n"
    "\\IfFileExists{lmodern.sty}{\\usepackage[T1]{fontenc}\\usepackage{lmodern}}{}\n"
    "\\begin{document}\n";

constexpr char16_t lastLatin = 0x17F;  // what LaTeX reads as it stands

/// The command for a Greek letter; empty for others. Capitals that look Latin are those.
std::string texGreek(QChar letter) {
    static const char* const small[] = {"\\alpha",   "\\beta", "\\gamma",    "\\delta", "\\epsilon",
                                        "\\zeta",    "\\eta",  "\\theta",    "\\iota",  "\\kappa",
                                        "\\lambda",  "\\mu",   "\\nu",       "\\xi",    "o",
                                        "\\pi",      "\\rho",  "\\varsigma", "\\sigma", "\\tau",
                                        "\\upsilon", "\\phi",  "\\chi",      "\\psi",   "\\omega"};
    static const char* const capital[] = {
        "\\mathrm{A}", "\\mathrm{B}", "\\Gamma",     "\\Delta",  "\\mathrm{E}", "\\mathrm{Z}", "\\mathrm{H}",
        "\\Theta",     "\\mathrm{I}", "\\mathrm{K}", "\\Lambda", "\\mathrm{M}", "\\mathrm{N}", "\\Xi",
        "\\mathrm{O}", "\\Pi",        "\\mathrm{P}", "",         "\\Sigma",     "\\mathrm{T}", "\\Upsilon",
        "\\Phi",       "\\mathrm{X}", "\\Psi",       "\\Omega"};
    const char16_t code = letter.unicode();
    if (code >= 0x3B1 && code < 0x3B1 + std::size(small)) return small[code - 0x3B1];
    if (code >= 0x391 && code < 0x391 + std::size(capital)) return capital[code - 0x391];
    return {};
}

std::string texEscaped(const QString& text) {
    static const std::map<char16_t, std::string> names = {{u'\\', "\\textbackslash{}"},
                                                          {u'{', "\\{"},
                                                          {u'}', "\\}"},
                                                          {u'$', "\\$"},
                                                          {u'&', "\\&"},
                                                          {u'#', "\\#"},
                                                          {u'%', "\\%"},
                                                          {u'_', "\\_"},
                                                          {u'^', "\\textasciicircum{}"},
                                                          {u'~', "\\textasciitilde{}"},
                                                          {u'<', "$<$"},
                                                          {u'>', "$>$"},
                                                          {u'|', "$|$"},
                                                          {u'"', "''"},
                                                          {u'\u2013', "--"},
                                                          {u'\u2014', "---"},
                                                          {u'\u2026', "\\ldots{}"},
                                                          {u'\u00B7', "$\\cdot$"},
                                                          {u'\u00D7', "$\\times$"},
                                                          {u'\u2192', "$\\rightarrow$"},
                                                          {u'\u2194', "$\\leftrightarrow$"},
                                                          {u'\u2264', "$\\leq$"},
                                                          {u'\u2212', "$-$"},
                                                          {u'\u00B5', "$\\mu$"},
                                                          {u'\u2265', "$\\geq$"},
                                                          {u'\u2260', "$\\neq$"},
                                                          {u'\u2248', "$\\approx$"},
                                                          {u'\u221E', "$\\infty$"},
                                                          {u'\u2211', "$\\sum$"},
                                                          {u'\u221A', "$\\surd$"},
                                                          {u'\u2190', "$\\leftarrow$"},
                                                          {u'\u21C4', "$\\rightleftharpoons$"},
                                                          {u'\u2018', "`"},
                                                          {u'\u2019', "'"},
                                                          {u'\u201C', "``"},
                                                          {u'\u201D', "''"},
                                                          {u'\u2032', "$'$"}};
    std::string result;
    for (const QChar character : text) {
        const auto name = names.find(character.unicode());
        const std::string greek = texGreek(character);
        if (name == names.end() && greek.empty() && character.unicode() > lastLatin)
            throw std::invalid_argument("TikZ cannot set '" + QString(character).toStdString() + "' in '" +
                                        text.toStdString() +
                                        "'; expected letters of Latin or Greek, or math between dollars");
        result += name != names.end() ? name->second
                  : !greek.empty()    ? "$" + greek + "$"
                                      : QString(character).toStdString();
    }
    return result;
}

/// In math letters beyond ASCII are commands: "π" is not set up there.
std::string texMath(const QString& formula) {
    std::string result;
    for (const QChar character : formula) {
        const std::string greek = texGreek(character);
        result += greek.empty() ? QString(character).toStdString() : greek + ' ';
    }
    return result;
}

/// A frame of the page's own size holds nothing but the picture.
std::string beamerBegin(const Figure& figure) {
    const std::string width = fixed(figure.widthMm), height = fixed(figure.heightMm);
    return "\\documentclass[aspectratio=169]{beamer}\n\\usepackage{tikz}\n"
           "\\setbeamertemplate{navigation symbols}{}\n\\geometry{paperwidth=" +
           width + "mm,paperheight=" + height + "mm,margin=0mm}\n\\begin{document}\n" +
           "\\begin{frame}[plain]\\noindent%\n";
}
const std::string beamerEnd = "\\end{frame}\n\\end{document}\n";

std::string texOf(const QString& text) {
    std::string result;
    for (const auto& [part, math] : mathParts(text))
        result += math ? '$' + texMath(part) + '$' : texEscaped(part);
    return result;
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// TeX reads letters only in some places, so a colour's name is built of them, and hyphens: "memory limit",
/// "1" -> "MemoryLimitB".
std::string camel(const std::string& role) {
    std::string result;
    bool upper = true;
    for (const char c : role) {
        if (isDigit(c)) {
            result += static_cast<char>('A' + (c - '0'));
        } else if (isLetter(c)) {
            result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
            upper = false;
        } else if (c == '-') {
            result += c;
        } else {
            upper = true;
        }
    }
    return result;
}

/// A style's name without what separates options, or means something to TeX: one space for each run of it.
std::string styleName(const std::string& role) {
    std::string result;
    for (const char c : role) {
        const bool reads =
            isLetter(c) || isDigit(c) || std::string_view(".+-*'").find(c) != std::string_view::npos;
        if (reads)
            result += c;
        else if (!result.empty() && result.back() != ' ')
            result += ' ';
    }
    if (!result.empty() && result.back() == ' ') result.pop_back();
    return result;
}

class TikzSink : public FigureSink {
public:
    void rectangle(const QRectF& rect, const QColor& fill, const Stroke& stroke,
                   const std::string& role) override {
        path(style(fill, stroke, role), rectanglePath(rect));
    }
    void polygon(const std::vector<QPointF>& points, const QColor& fill, const Stroke& stroke,
                 const std::string& role) override {
        path(style(fill, stroke, role), joined(points) + " -- cycle");
    }
    void polyline(const std::vector<QPointF>& points, const Stroke& stroke,
                  const std::string& role) override {
        path(style(QColor(), stroke, role), joined(points));
    }
    void segments(const std::vector<QLineF>& lines, const Stroke& stroke, const std::string& role) override {
        std::string data;
        for (const QLineF& line : lines) {
            if (!data.empty()) data += "\n    ";
            data += coordinate(line.p1()) + " -- " + coordinate(line.p2());
        }
        path(style(QColor(), stroke, role), data);
    }

    bool setsMath() const override { return true; }

    void text(const FigureText& text, const QPointF& baseline) override {
        static constexpr const char* anchors[] = {"base west", "base", "base east"};
        // The document's family at the size that was asked for, whatever the size of the document's text.
        const std::string role = "text " + figureNumber(text.sizePt) + "pt" + (text.bold ? " bold" : "");
        const std::string name = "stagecraft " + role;
        styles_.try_emplace(name, "inner sep=0pt, outer sep=0pt, font=\\fontsize{" +
                                      figureNumber(text.sizePt) + "}{" + figureNumber(1.2 * text.sizePt) +
                                      "}\\selectfont" + (text.bold ? "\\bfseries" : ""));
        std::string options = name + ", anchor=" + anchors[static_cast<int>(text.anchor)];
        if (text.colour != QColor(0, 0, 0)) options += ", text=" + colour(text.colour, "text");
        if (text.rotationDeg != 0) options += ", rotate=" + fixed(-text.rotationDeg);
        body_ += "  \\node[" + options + "] at " + coordinate(baseline) + " {" + texOf(text.text) + "};\n";
    }

    void outline(const QPainterPath& path, const QColor& fill) override {
        std::string data;
        for (int i = 0; i < path.elementCount(); ++i) {
            const QPainterPath::Element element = path.elementAt(i);
            if (element.isCurveTo()) {
                data += " .. controls " + coordinate(element) + " and " + coordinate(path.elementAt(i + 1)) +
                        " .. " + coordinate(path.elementAt(i + 2));
                i += 2;
            } else {
                data += (element.isMoveTo() ? data.empty() ? "" : "\n    " : " -- ") + coordinate(element);
            }
        }
        if (!data.empty()) this->path("fill=" + colour(fill, "text"), data);
    }

    void beginClip(const QRectF& rect) override {
        body_ += "  \\begin{scope}\n  \\clip " + rectanglePath(rect) + ";\n";
    }
    void endClip() override { body_ += "  \\end{scope}\n"; }

    std::string picture(const Figure& figure) const {
        std::string result =
            "% " + std::string("Needs the packages tikz and xcolor. To change how something looks, define") +
            "\n% \\tikzset{stagecraft overrides/.style={stagecraft forward/.append style={fill=red}}}\n";
        // Where an \input is in a line, as in \resizebox, the end of a line is a space beside the
        // picture.
        for (const auto& [name, hex] : colours_)
            result += "\\definecolor{" + name + "}{HTML}{" + hex + "}%\n";
        result += "\\begin{tikzpicture}[x=1mm, y=-1mm,\n";
        for (const auto& [name, definition] : styles_)
            result += "  " + name + "/.style={" + definition + "},\n";
        result += "  stagecraft overrides/.try]\n";
        result += "  \\path[use as bounding box] " +
                  rectanglePath(QRectF(0, 0, figure.widthMm, figure.heightMm)) + ";\n";
        return result + body_ + "\\end{tikzpicture}%\n";
    }

private:
    static std::string joined(const std::vector<QPointF>& points) {
        std::string data;
        for (const QPointF& at : points) data += (data.empty() ? "" : " -- ") + coordinate(at);
        return data;
    }

    void path(const std::string& options, const std::string& data) {
        body_ += "  \\path[" + options + "] " + data + ";\n";
    }

    /// The name of a colour: the same for the same value within a role.
    std::string colour(const QColor& value, const std::string& role) {
        const std::string hex = value.name(QColor::HexRgb).mid(1).toUpper().toStdString();
        return unique(colours_, "stagecraft" + camel(role), hex, [](int n) {
            return std::string(1, static_cast<char>('A' + n % 26)) +
                   (n >= 26 ? camel(std::to_string(n / 26)) : "");
        });
    }

    std::string style(const QColor& fill, const Stroke& stroke, const std::string& role) {
        const std::string subject = role.empty() ? "shape" : role;
        std::string definition;
        if (fill.isValid()) definition = "fill=" + colour(fill, subject + " fill");
        if (stroke.visible()) {
            if (!definition.empty()) definition += ", ";
            definition += "draw=" + colour(stroke.colour, subject + " line") +
                          ", line width=" + fixed(stroke.widthMm) + "mm";
            std::string dashes;
            for (std::size_t i = 0; i < stroke.dashMm.size(); ++i)
                dashes += (i % 2 == 0 ? " on " : " off ") + fixed(stroke.dashMm[i]) + "mm";
            if (!dashes.empty()) definition += ", dash pattern=" + dashes.substr(1);
        }
        return unique(styles_, "stagecraft " + styleName(subject), definition,
                      [](int n) { return ' ' + std::to_string(n); });
    }

    /// `wanted`, with a suffix from the second meaning on.
    template <typename Suffix>
    static std::string unique(std::map<std::string, std::string>& names, const std::string& wanted,
                              const std::string& meaning, Suffix suffix) {
        std::string name = wanted;
        for (int n = 1; !names.try_emplace(name, meaning).second && names[name] != meaning; ++n)
            name = wanted + suffix(n);
        return name;
    }

    std::map<std::string, std::string> colours_, styles_;
    std::string body_;
};

}  // namespace

QByteArray writeTikz(const Figure& figure, TikzDocument document) {
    TikzSink sink;
    draw(figure, sink);
    const std::string picture = sink.picture(figure);
    switch (document) {
        case TikzDocument::standalone:
            return QByteArray::fromStdString(standalonePreamble + picture + "\\end{document}\n");
        case TikzDocument::beamer:
            return QByteArray::fromStdString(beamerBegin(figure) + picture + beamerEnd);
        case TikzDocument::none:
            break;
    }
    return QByteArray::fromStdString(picture);
}

FigureFormat tikzFormat() {
    FigureFormat format{QStringLiteral("tikz"), QStringLiteral("TikZ")};
    format.suffixes = {QStringLiteral("tex"), QStringLiteral("tikz")};
    format.isText = true;
    format.isDocument = true;
    format.write = [](const Figure& figure, const FigureStyle& style) {
        return writeTikz(figure, !style.standalone ? TikzDocument::none
                                 : style.slide     ? TikzDocument::beamer
                                                   : TikzDocument::standalone);
    };
    return format;
}

}  // namespace stagecraft::views::figures
