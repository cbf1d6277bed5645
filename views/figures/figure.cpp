#include "views/figures/figure.h"

#include "views/common/text.h"
#include "views/figures/figure_math.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft::views::figures {
namespace {

constexpr double unitsPerEm = 2048;
constexpr double capUnits = 1493;
constexpr double otherAdvance = 1716;  // the mathematical signs and arrows

// Advance widths of DejaVu Sans for U+0020 to U+007E.
constexpr std::array<int, 95> advances = {
    651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087,
    2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612,
    1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799,  690,  799,  1716, 1024,
    1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186, 569,  1995, 1298, 1253,
    1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716};

double advance(QChar character) {
    const char16_t code = character.unicode();
    if (code >= 0x20 && code <= 0x7E) return advances[code - 0x20u];
    switch (code) {
        case 0x00B7:
            return 651;  // middle dot
        case 0x00B5:
            return 1303;  // micro sign
        case 0x2013:
            return 1024;  // en dash
        case 0x2014:
        case 0x2026:
            return 2048;  // em dash, ellipsis
        default:
            return otherAdvance;
    }
}

double plainUnits(const QString& text) {
    double units = 0;
    for (const QChar character : text) units += advance(character);
    return units;
}

/// Rows: what of red, green and blue light each of the three becomes.
using LightMatrix = std::array<std::array<double, 3>, 3>;
constexpr std::array<double, 3> luminance = {0.2126, 0.7152, 0.0722};

const LightMatrix& matrixOf(Vision vision) {
    static constexpr LightMatrix same{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    static constexpr LightMatrix greys{luminance, luminance, luminance};
    static constexpr LightMatrix noRed{
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
    static constexpr LightMatrix noGreen{
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    static constexpr LightMatrix noBlue{
        {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
    switch (vision) {
        case Vision::colours:
            return same;
        case Vision::grey:
            return greys;
        case Vision::protanopia:
            return noRed;
        case Vision::deuteranopia:
            return noGreen;
        case Vision::tritanopia:
            return noBlue;
    }
    return same;
}

QColor seen(const QColor& colour, const LightMatrix& matrix) {
    if (!colour.isValid()) return colour;
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const auto level = [](double light) {
        light = std::clamp(light, 0.0, 1.0);
        const double v = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
        return static_cast<int>(std::lround(v * 255));
    };
    const std::array<double, 3> light = {linear(colour.redF()), linear(colour.greenF()),
                                         linear(colour.blueF())};
    std::array<int, 3> levels{};
    for (std::size_t row = 0; row < 3; ++row)
        levels[row] =
            level(matrix[row][0] * light[0] + matrix[row][1] * light[1] + matrix[row][2] * light[2]);
    return {levels[0], levels[1], levels[2]};
}

struct Recolourer {
    const LightMatrix& matrix;

    void operator()(FigureRectangle& item) const { paint(item.fill, item.stroke); }
    void operator()(FigurePolygon& item) const { paint(item.fill, item.stroke); }
    void operator()(FigureLine& item) const { item.stroke.colour = seen(item.stroke.colour, matrix); }
    void operator()(FigureText& item) const { item.colour = seen(item.colour, matrix); }
    void operator()(ClipBegin&) const {}
    void operator()(ClipEnd&) const {}

    void paint(Fill& fill, Stroke& stroke) const {
        for (QColor* colour : {&fill.colour, &fill.hatchColour, &stroke.colour})
            *colour = seen(*colour, matrix);
    }
};

struct HatchRemover {
    void operator()(FigureRectangle& item) const { clear(item.fill, item.role); }
    void operator()(FigurePolygon& item) const { clear(item.fill, item.role); }
    template <typename Other>
    void operator()(Other&) const {}

    static void clear(Fill& fill, const std::string& role) {
        if (role != "bubble") fill.hatch = Hatch::none;
    }
};

struct Mover {
    QPointF by;
    void operator()(FigureRectangle& item) const { item.rect.translate(by); }
    void operator()(FigurePolygon& item) const {
        for (QPointF& point : item.points) point += by;
    }
    void operator()(FigureLine& item) const {
        item.from += by;
        item.to += by;
    }
    void operator()(FigureText& item) const { item.at += by; }
    void operator()(ClipBegin& item) const { item.rect.translate(by); }
    void operator()(ClipEnd&) const {}
};

}  // namespace

double mmOfPoints(double points) { return points * 25.4 / 72; }

double capHeightMm(double sizePt) { return mmOfPoints(sizePt) * capUnits / unitsPerEm; }

double textWidthMm(const QString& text, double sizePt) {
    if (!hasMath(text)) return plainUnits(text) / unitsPerEm * mmOfPoints(sizePt);
    const auto widthEm = [](const TextRun& run) { return run.size * plainUnits(run.text) / unitsPerEm; };
    return setText(text, widthEm).widthEm * mmOfPoints(sizePt);
}

QString fittingWording(const QStringList& wordings, double widthMm, double sizePt) {
    for (const QString& wording : wordings)
        if (textWidthMm(wording, sizePt) <= widthMm) return wording;
    return {};
}

QString cutToWidth(QString text, double widthMm, double sizePt) {
    if (textWidthMm(text, sizePt) <= widthMm) return text;
    if (hasMath(text)) text = mathAsText(text);
    while (!text.isEmpty() && textWidthMm(text + QChar(0x2026), sizePt) > widthMm) text.chop(1);
    return text + QChar(0x2026);
}

QString cutInMiddle(const QString& text, double widthMm, double sizePt) {
    if (textWidthMm(text, sizePt) <= widthMm) return text;
    qsizetype left = (text.size() + 1) / 2, right = text.size() / 2;
    QString cut;
    do {
        (left > right ? left : right) -= 1;
        cut = text.left(left) + QChar(0x2026) + text.right(right);
    } while (left + right > 0 && textWidthMm(cut, sizePt) > widthMm);
    return cut;
}

Figure withoutHatches(Figure figure) {
    for (FigureItem& item : figure.items) std::visit(HatchRemover{}, item);
    return figure;
}

void Omissions::add(const Omissions& other) {
    numbers += other.numbers;
    if (other.blocks > 0) thinnestMm = blocks > 0 ? std::min(thinnestMm, other.thinnestMm) : other.thinnestMm;
    blocks += other.blocks;
    summed += other.summed;
}

QString omissionsText(const Figure& figure) {
    const Omissions& out = figure.omissions;
    QStringList parts;
    if (out.numbers > 0) parts << countedText(out.numbers, "number") + QStringLiteral(" in blocks");
    constexpr double leastSaidMm = 1e-3;
    if (out.blocks > 0)
        parts << countedText(out.blocks, "block") +
                     (out.thinnestMm < leastSaidMm
                          ? (out.blocks == 1 ? QStringLiteral(" of less than 0.001 mm")
                                             : QStringLiteral(" down to less than 0.001 mm"))
                          : (out.blocks == 1 ? QStringLiteral(" of %1 mm") : QStringLiteral(" down to %1 mm"))
                                .arg(QString::number(out.thinnestMm, 'g', 1)));
    if (out.summed > 0)
        parts << countedText(out.summed, "block") + QStringLiteral(", shown as shares of the time");
    const auto cut = std::count_if(figure.items.begin(), figure.items.end(), [](const FigureItem& item) {
        const auto* text = std::get_if<FigureText>(&item);
        return text && text->text.endsWith(QChar(0x2026));
    });
    if (cut > 0)
        parts << (cut == 1 ? QStringLiteral("the end of 1 name")
                           : QStringLiteral("the ends of %1 names").arg(cut));
    return parts.join(QStringLiteral(", "));
}

void addBelow(Figure& figure, const Figure& other, double rightMm) {
    const QPointF by(rightMm, figure.heightMm);
    figure.items.reserve(figure.items.size() + other.items.size());
    for (FigureItem item : other.items) {
        std::visit(Mover{by}, item);
        figure.items.push_back(std::move(item));
    }
    for (FigureLane lane : other.lanes) {
        lane.rect.translate(by);
        figure.lanes.push_back(std::move(lane));
    }
    figure.omissions.add(other.omissions);
    figure.heightMm += other.heightMm;
}

Figure withTitle(Figure figure, const QString& title, double fontPt) {
    const bool high = !setText(title, [](const TextRun&) { return 0.0; }).bars.empty();  // has a fraction
    const double lineMm = std::ceil((high ? 20 : 16) * mmOfPoints(fontPt)) / 10;
    for (FigureItem& item : figure.items) std::visit(Mover{{0, lineMm}}, item);
    for (FigureLane& lane : figure.lanes) lane.rect.translate(0, lineMm);
    figure.heightMm += lineMm;
    figure.add(FigureText{{figure.widthMm / 2, lineMm / 2},
                          cutToWidth(title, figure.widthMm, fontPt),
                          fontPt,
                          TextAnchor::middle,
                          TextRise::middle});
    return figure;
}

Figure asSeen(Figure figure, Vision vision) {
    if (vision == Vision::colours) return figure;
    for (FigureItem& item : figure.items) std::visit(Recolourer{matrixOf(vision)}, item);
    return figure;
}

Figure inGrey(Figure figure) { return asSeen(std::move(figure), Vision::grey); }

}  // namespace stagecraft::views::figures
