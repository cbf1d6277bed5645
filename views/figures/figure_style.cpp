#include "views/figures/figure_style.h"

#include "core/base/number_style.h"
#include "core/base/spelling.h"
#include "views/figures/figure_math.h"
#include "views/figures/figure_sink.h"

#include <QFontDatabase>

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views::figures {

namespace {

/// @throws std::invalid_argument if the machine does not have the family; the one of figures by default may
/// be missing, its widths are known
void requireFamily(const std::string& family) {
    const QString name = QString::fromStdString(family);
    if (family == figureFontFamily || QFontDatabase::hasFamily(name)) return;
    std::vector<std::string> families;
    for (const QString& each : QFontDatabase::families()) families.push_back(each.toStdString());
    throw std::invalid_argument("there is no font '" + family + "'" + spellingHint(family, families));
}

constexpr double slideMarginShare = 0.03;  // of its width, on all sides

/// The figure moved to the middle of a page.
/// @throws std::invalid_argument if the figure is higher than the page
Figure onSlide(Figure figure, double widthMm) {
    const double pageMm = slideHeightMm(widthMm);
    if (figure.heightMm > pageMm)
        throw std::invalid_argument("the figure is " + figureNumber(figure.heightMm) +
                                    " mm high and a page of 16:9 " + figureNumber(pageMm) +
                                    " mm; expected lower lanes, smaller type or fewer lanes");
    Figure page{widthMm,           (pageMm - figure.heightMm) / 2, figure.title, {}, figure.fontFamily,
                figure.textAsPaths};
    addBelow(page, figure, (widthMm - figure.widthMm) / 2);
    page.heightMm = pageMm;
    return page;
}

}  // namespace

Figure inStyle(Figure figure, const FigureStyle& style) {
    requireFamily(style.fontFamily);
    for (const std::string* words : {&style.titleText, &style.timeTitle})
        requireReadableMath(QString::fromStdString(*words));
    for (const QString& name : QString::fromStdString(style.laneNames).split('|')) requireReadableMath(name);
    for (const FigureItem& item : figure.items)
        if (const auto* text = std::get_if<FigureText>(&item)) requireReadableMath(text->text);
    figure.fontFamily = QString::fromStdString(style.fontFamily);
    figure.textAsPaths = style.textAsPaths;
    if (!style.hatches) figure = withoutHatches(std::move(figure));
    if (style.title && !figure.title.isEmpty()) {
        QString title = figure.title;
        if (!style.titleText.empty())
            title = QString::fromStdString(style.titleText).replace(QStringLiteral("{plan}"), title);
        figure = withTitle(std::move(figure), title, style.fontPt + 1);
    }
    if (style.slide) figure = onSlide(std::move(figure), std::max(style.widthMm, figure.widthMm));
    return style.grey ? inGrey(std::move(figure)) : figure;
}

Figure drawnInStyle(const FigureStyle& style, const std::function<Figure(const FigureStyle&)>& drawn) {
    const StandardNumbers numbers;
    if (!style.slide) return inStyle(drawn(style), style);
    FigureStyle own = style;
    own.widthMm = std::max(narrowestMm, (1 - 2 * slideMarginShare) * style.widthMm);
    Figure figure = drawn(own);
    FigureStyle titled = style;
    titled.slide = false;
    const double title = inStyle(figure, titled).heightMm - figure.heightMm;
    const double room = slideHeightMm(style.widthMm) - 2 * slideMarginShare * style.widthMm - title;
    if (figure.heightMm > room) {
        own.heightMm = room;
        figure = drawn(own);
    }
    if (figure.heightMm > room) {  // the highest lanes that there is room for
        double fits = lowestLaneMm, tooHigh = room;
        for (int step = 0; step < 12; ++step) {
            own.laneMm = (fits + tooHigh) / 2;
            (drawn(own).heightMm <= room ? fits : tooHigh) = own.laneMm;
        }
        own.laneMm = fits;
        figure = drawn(own);
    }
    return inStyle(std::move(figure), style);
}

const std::vector<FigureVenue>& figureVenues() {
    // Text widths that the venues' own LaTeX classes set, and two widths of slides.
    static const std::vector<FigureVenue> venues = {
        {"IEEE, one column", 88.9},
        {"IEEE, full width", 181.9},
        {"ACM, one column", 84.7},
        {"ACM, full width", 178},
        {"NeurIPS, ICLR", 139.7},
        {"USENIX, one column", 84.6},
        {"LNCS", 122},
        {"Slide, half", 150},
        {"Beamer, 16:9", 160},
        {"Slide, 16:9", 320},
    };
    return venues;
}

const std::vector<FigureStyle>& shippedFigureStyles() {
    static const std::vector<FigureStyle> styles = [] {
        FigureStyle column, full, grey, units, slide, beamer;
        column.name = "One column";
        full.name = "Full width";
        full.widthMm = 181.9;
        full.memory = true;
        grey.name = "One column, grey";
        grey.grey = true;
        units.name = "Textbook diagram";
        units.axis = FigureAxis::blocks;
        slide.name = "Slide";
        slide.widthMm = 320;
        slide.fontPt = 18;
        slide.title = true;
        beamer.name = "Beamer, 16:9";
        beamer.widthMm = 160;
        beamer.fontPt = 9;
        beamer.slide = true;
        return std::vector<FigureStyle>{column, full, grey, units, slide, beamer};
    }();
    return styles;
}

}  // namespace stagecraft::views::figures
