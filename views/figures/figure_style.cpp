#include "views/figures/figure_style.h"

#include "core/base/spelling.h"

#include <QFontDatabase>

#include <stdexcept>

namespace stagecraft::views {

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

}  // namespace

Figure inStyle(Figure figure, const FigureStyle& style) {
    requireFamily(style.fontFamily);
    figure.fontFamily = QString::fromStdString(style.fontFamily);
    figure.textAsPaths = style.textAsPaths;
    if (!style.hatches) figure = withoutHatches(std::move(figure));
    if (style.title && !figure.title.isEmpty()) {
        QString title = figure.title;
        if (!style.titleText.empty())
            title = QString::fromStdString(style.titleText).replace(QStringLiteral("{plan}"), title);
        figure = withTitle(std::move(figure), title, style.fontPt + 1);
    }
    return style.grey ? inGrey(std::move(figure)) : figure;
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
        {"Slide, 16:9", 320},
    };
    return venues;
}

const std::vector<FigureStyle>& shippedFigureStyles() {
    static const std::vector<FigureStyle> styles = [] {
        FigureStyle column, full, grey, units, slide;
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
        return std::vector<FigureStyle>{column, full, grey, units, slide};
    }();
    return styles;
}

}  // namespace stagecraft::views
