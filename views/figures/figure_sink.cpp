#include "views/figures/figure_sink.h"

#include "views/figures/figure_math.h"

#include <QFontMetricsF>
#include <QRawFont>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace stagecraft::views::figures {
namespace {

constexpr double arrowLengthMm = 1.4;
constexpr double arrowWidthMm = 1.0;
constexpr double barEms = 0.045;  // of a fraction

std::vector<QPointF> corners(const QRectF& rect) {
    return {rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft()};
}

/// Adds the parts of the lines { p : p·normal = k · spacing } that are inside the polygon.
void addFamily(const std::vector<QPointF>& polygon, const QPointF& normal, std::vector<QLineF>& lines) {
    const QPointF along(-normal.y(), normal.x());
    double lowest = INFINITY, highest = -INFINITY;
    for (const QPointF& point : polygon) {
        lowest = std::min(lowest, QPointF::dotProduct(point, normal));
        highest = std::max(highest, QPointF::dotProduct(point, normal));
    }
    std::vector<double> crossings;
    for (double k = std::ceil(lowest / hatchSpacingMm); k * hatchSpacingMm < highest; ++k) {
        const double offset = k * hatchSpacingMm;
        crossings.clear();
        for (std::size_t i = 0; i < polygon.size(); ++i) {
            const QPointF& a = polygon[i];
            const QPointF& b = polygon[(i + 1) % polygon.size()];
            const double da = QPointF::dotProduct(a, normal) - offset;
            const double db = QPointF::dotProduct(b, normal) - offset;
            if ((da < 0) == (db < 0)) continue;
            crossings.push_back(QPointF::dotProduct(a + (b - a) * (da / (da - db)), along));
        }
        std::sort(crossings.begin(), crossings.end());
        for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
            if (crossings[i + 1] - crossings[i] > 1e-3)
                lines.emplace_back(normal * offset + along * crossings[i],
                                   normal * offset + along * crossings[i + 1]);
    }
}

class Drawing {
public:
    Drawing(const Figure& figure, FigureSink& sink) : figure_(figure), sink_(sink) {}

    void operator()(const FigureRectangle& item) {
        check({item.rect.topLeft(), item.rect.bottomRight()});
        const bool hatched = item.fill.hatch != Hatch::none;
        sink_.rectangle(item.rect, item.fill.colour, hatched ? Stroke{} : item.stroke, item.role);
        if (!hatched) return;
        hatch(corners(item.rect), item.fill, item.role);
        if (item.stroke.visible()) sink_.rectangle(item.rect, QColor(), item.stroke, item.role);
    }

    void operator()(const FigurePolygon& item) {
        check(item.points);
        if (item.points.size() < 2) return;
        if (!item.closed) {
            sink_.polyline(item.points, item.stroke, item.role);
            return;
        }
        const bool hatched = item.fill.hatch != Hatch::none;
        sink_.polygon(item.points, item.fill.colour, hatched ? Stroke{} : item.stroke, item.role);
        if (!hatched) return;
        hatch(item.points, item.fill, item.role);
        if (item.stroke.visible()) sink_.polygon(item.points, QColor(), item.stroke, item.role);
    }

    void operator()(const FigureLine& item) {
        check({item.from, item.to});
        const QPointF way = item.to - item.from;
        const double length = std::hypot(way.x(), way.y());
        if (!item.arrowhead || length == 0) {
            sink_.segments({QLineF(item.from, item.to)}, item.stroke, item.role);
            return;
        }
        const QPointF along = way / length;
        const QPointF across(-along.y(), along.x());
        const QPointF base = item.to - along * std::min(arrowLengthMm, length);
        sink_.segments({QLineF(item.from, base)}, item.stroke, item.role);
        sink_.polygon({item.to, base + across * (arrowWidthMm / 2), base - across * (arrowWidthMm / 2)},
                      item.stroke.colour, Stroke{}, item.role + " head");
    }

    void operator()(const FigureText& item) {
        check({item.at});
        if (item.text.isEmpty()) return;
        const double drop = item.rise == TextRise::baseline ? 0
                            : item.rise == TextRise::middle ? capHeightMm(item.sizePt) / 2
                                                            : capHeightMm(item.sizePt);
        const double angle = item.rotationDeg * M_PI / 180;
        const QPointF baseline = item.at + QPointF(-drop * std::sin(angle), drop * std::cos(angle));
        if (hasMath(item.text) && (figure_.textAsPaths || !sink_.setsMath()))
            setRuns(item, baseline);
        else
            setText(item, baseline);
    }

    void operator()(const ClipBegin& item) {
        check({item.rect.topLeft(), item.rect.bottomRight()});
        sink_.beginClip(item.rect);
    }

    void operator()(const ClipEnd&) { sink_.endClip(); }

private:
    void setText(const FigureText& item, const QPointF& baseline) {
        if (!figure_.textAsPaths) return sink_.text(item, baseline);
        const QFont font = layoutFont(figure_.fontFamily, item.bold, item.italic);
        QPainterPath letters;
        letters.addText(0, 0, font, item.text);
        sink_.outline(textTransform(item, baseline, font).map(letters), item.colour);
    }

    double widthMm(const FigureText& item) const {
        if (!figure_.textAsPaths) return sink_.widthMm(item);
        return QFontMetricsF(layoutFont(figure_.fontFamily, item.bold, item.italic))
                   .horizontalAdvance(item.text) *
               mmOfPoints(item.sizePt) / layoutPixels;
    }

    /// Math is set letter by letter: each stretch of one size and slant where the ones before it leave it.
    void setRuns(const FigureText& item, const QPointF& baseline) {
        const double em = mmOfPoints(item.sizePt);
        const auto pieceOf = [&](const TextRun& run) {
            FigureText piece = item;
            piece.text = run.text;
            piece.sizePt = item.sizePt * run.size;
            piece.italic = run.italic;
            piece.anchor = TextAnchor::start;
            return piece;
        };
        const SetText set = stagecraft::views::figures::setText(
            item.text, [&](const TextRun& run) { return widthMm(pieceOf(run)) / em; });
        const double angle = item.rotationDeg * M_PI / 180;
        const QPointF along(std::cos(angle), std::sin(angle)), up(std::sin(angle), -std::cos(angle));
        const double from = item.anchor == TextAnchor::start    ? 0
                            : item.anchor == TextAnchor::middle ? -set.widthEm / 2
                                                                : -set.widthEm;
        const auto place = [&](double atEm, double raiseEm) {
            return baseline + em * ((from + atEm) * along + raiseEm * up);
        };
        for (const TextRun& run : set.runs) setText(pieceOf(run), place(run.atEm, run.raiseEm));
        for (const FractionBar& bar : set.bars)
            sink_.segments({QLineF(place(bar.fromEm, bar.raiseEm), place(bar.toEm, bar.raiseEm))},
                           Stroke{item.colour, barEms * em, {}}, "fraction bar");
    }

    static void check(const std::vector<QPointF>& points) {
        for (const QPointF& point : points)
            if (!std::isfinite(point.x()) || !std::isfinite(point.y()))
                throw std::invalid_argument("the figure has a coordinate that is not a finite number");
    }

    void hatch(const std::vector<QPointF>& outline, const Fill& fill, const std::string& role) {
        const std::vector<QLineF> lines = hatchLines(outline, fill.hatch);
        if (!lines.empty()) sink_.segments(lines, Stroke{fill.hatchColour, hatchLineMm, {}}, role + " hatch");
    }

    const Figure& figure_;
    FigureSink& sink_;
};

void checkClips(const Figure& figure) {
    int depth = 0;
    for (const FigureItem& item : figure.items) {
        depth += std::holds_alternative<ClipBegin>(item);
        depth -= std::holds_alternative<ClipEnd>(item);
        if (depth < 0) throw std::invalid_argument("the figure ends a clip that it did not begin");
    }
    if (depth != 0) throw std::invalid_argument("the figure begins a clip that it does not end");
}

}  // namespace

std::vector<QLineF> hatchLines(const std::vector<QPointF>& polygon, Hatch hatch) {
    const QPointF rising(std::sqrt(0.5), std::sqrt(0.5)), falling(std::sqrt(0.5), -std::sqrt(0.5));
    std::vector<QLineF> lines;
    if (hatch == Hatch::rising || hatch == Hatch::cross) addFamily(polygon, rising, lines);
    if (hatch == Hatch::falling || hatch == Hatch::cross) addFamily(polygon, falling, lines);
    if (hatch == Hatch::vertical) addFamily(polygon, QPointF(1, 0), lines);
    if (hatch == Hatch::horizontal) addFamily(polygon, QPointF(0, 1), lines);
    return lines;
}

void draw(const Figure& figure, FigureSink& sink) {
    if (!(figure.widthMm > 0) || !(figure.heightMm > 0) || !std::isfinite(figure.widthMm * figure.heightMm))
        throw std::invalid_argument("the figure's width and height must be more than 0 mm");
    checkClips(figure);
    Drawing drawing(figure, sink);
    for (const FigureItem& item : figure.items) std::visit(drawing, item);
}

QFont layoutFont(const QString& family, bool bold, bool italic) {
    QFont font(family.isEmpty() ? QString(figureFontFamily) : family);
    font.setStyleHint(QFont::SansSerif);
    font.setPixelSize(layoutPixels);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setBold(bold);
    font.setItalic(italic);
    // With any spacing letters do not join: "fi" stays two letters for those who search or copy the text.
    constexpr double leastSpacing = 1.0 / 64;
    font.setLetterSpacing(QFont::AbsoluteSpacing, leastSpacing);
    return font;
}

void requireLetters(const Figure& figure) {
    std::map<std::pair<bool, bool>, QRawFont> fonts;  // by weight and slant
    std::set<std::tuple<char32_t, bool, bool>> known;
    for (const FigureItem& item : figure.items) {
        const auto* text = std::get_if<FigureText>(&item);
        if (!text) continue;
        const SetText set = setText(text->text, [](const TextRun&) { return 0.0; });
        for (const TextRun& run : set.runs)
            for (const char32_t letter : run.text.toUcs4()) {
                const bool italic = run.italic || text->italic;
                if (!known.emplace(letter, text->bold, italic).second) continue;
                QRawFont& font = fonts[{text->bold, italic}];
                if (!font.isValid())
                    font = QRawFont::fromFont(layoutFont(figure.fontFamily, text->bold, italic));
                if (!font.isValid() || font.supportsCharacter(letter)) continue;
                throw std::invalid_argument("the font '" + font.familyName().toStdString() + "' has no '" +
                                            QString::fromUcs4(&letter, 1).toStdString() + "', which is in '" +
                                            text->text.toStdString() + "'; expected another font");
            }
    }
}

QTransform textTransform(const FigureText& text, const QPointF& baseline, const QFont& font) {
    const double width = QFontMetricsF(font).horizontalAdvance(text.text);
    const double shift = text.anchor == TextAnchor::start ? 0 : text.anchor == TextAnchor::middle ? 0.5 : 1;
    const double scale = mmOfPoints(text.sizePt) / layoutPixels;
    QTransform transform;
    transform.translate(baseline.x(), baseline.y());
    transform.rotate(text.rotationDeg);
    transform.scale(scale, scale);
    transform.translate(-width * shift, 0);
    return transform;
}

std::string figureNumber(double value) {
    std::array<char, 64> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 3).ptr;
    std::string number(text.data(), end);
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    return number == "-0" ? "0" : number;
}

}  // namespace stagecraft::views::figures
