#pragma once

#include "views/common/block_looks.h"

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagecraft::views::figures {

/// A printed figure as a list of what to draw, bottom to top. All lengths are millimetres, x to the right and
/// y downwards from the top left corner; type sizes are points (1/72 inch). Colours are opaque. A `role`
/// ("forward", "bubble", …) names what an item stands for: it becomes the style's name in TikZ.

struct Fill {
    QColor colour;              ///< invalid: not filled
    Hatch hatch = Hatch::none;  ///< lines `hatchSpacingMm` apart, in phase all over the figure
    QColor hatchColour;
};
inline constexpr double hatchSpacingMm = 0.9;
inline constexpr double hatchLineMm = 0.12;

struct Stroke {
    QColor colour;
    double widthMm = 0;          ///< 0: no line
    std::vector<double> dashMm;  ///< lengths of dash and gap in turn; empty: solid

    bool visible() const { return widthMm > 0 && colour.isValid(); }
    bool operator==(const Stroke&) const = default;
};

struct FigureRectangle {
    QRectF rect;
    Fill fill;
    Stroke stroke;
    std::string role;
};

struct FigureLine {
    QPointF from;
    QPointF to;
    Stroke stroke;
    bool arrowhead = false;  ///< a filled triangle with its tip at `to`
    std::string role;
};

struct FigurePolygon {
    std::vector<QPointF> points;
    bool closed = true;  ///< an open one has no fill
    Fill fill;
    Stroke stroke;
    std::string role;
};

enum class TextAnchor { start, middle, end };
enum class TextRise { top, middle, baseline };  ///< which height of a capital letter is on `at`

struct FigureText {
    QPointF at;
    QString text;  ///< may hold math, "$T_f$" (figure_math.h)
    double sizePt = 7;
    TextAnchor anchor = TextAnchor::start;
    TextRise rise = TextRise::baseline;
    double rotationDeg = 0;  ///< clockwise, about `at`
    QColor colour = QColor(0, 0, 0);
    bool bold = false;
    bool italic = false;
};

/// Until the matching ClipEnd nothing shows outside `rect`; clips nest and intersect.
struct ClipBegin {
    QRectF rect;
};
struct ClipEnd {};

using FigureItem = std::variant<FigureRectangle, FigureLine, FigurePolygon, FigureText, ClipBegin, ClipEnd>;

/// Where on a page the lane of a device is, for who places something in it.
struct FigureLane {
    QRectF rect;
    double fromS = 0, toS = 0;  ///< the time that the rectangle shows
    std::string device;         ///< id of the first that computes in the lane
    int panel = 0;              ///< in which it is, of a figure that has several
    int plan = 0;               ///< FigurePanel::plan of that panel
    double timeAt(double xMm) const { return fromS + (xMm - rect.left()) / rect.width() * (toS - fromS); }
};

/// A block that is thinner is not seen in print.
inline constexpr double leastSeenMm = 0.05;

/// What is there to be drawn, and cannot be seen in a figure of this size.
struct Omissions {
    int numbers = 0;        ///< of blocks that are too narrow for them
    int blocks = 0;         ///< that are thinner than leastSeenMm
    double thinnestMm = 0;  ///< of those
    int summed = 0;  ///< blocks, too many to be drawn one by one, of which only shares of the time are shown

    void add(const Omissions& other);
};

struct Figure {
    double widthMm = 0;
    double heightMm = 0;
    QString title;  ///< of the document, not drawn
    std::vector<FigureItem> items;
    QString fontFamily;        ///< empty: figureFontFamily
    bool textAsPaths = false;  ///< letters are drawn as outlines, so that nobody needs the font
    std::vector<FigureLane> lanes{};
    Omissions omissions{};

    template <typename Item>
    void add(Item item) {
        items.emplace_back(std::in_place_type<Item>, std::move(item));
    }
};

/// What is left out of the figure, texts that are cut short among it: "12 numbers in blocks, 1 block of 0.006
/// mm"; empty: nothing.
QString omissionsText(const Figure& figure);

/// The family in which text is set unless a figure names another; viewers without it take their own
/// sans-serif. Layouts reserve what its letters need, which is more than those of most other families do.
inline constexpr const char* figureFontFamily = "DejaVu Sans";

double mmOfPoints(double points);
/// Height of a capital letter of the figure font.
double capHeightMm(double sizePt);
/// Advance width, math included, by the figure font's own table, so that a layout is the same on machines
/// that lack the font.
double textWidthMm(const QString& text, double sizePt);
/// The first wording that is no wider, uncut; empty if none is.
QString fittingWording(const QStringList& wordings, double widthMm, double sizePt);
/// The text, or as much of its beginning as fits with an ellipsis.
QString cutToWidth(QString text, double widthMm, double sizePt);
/// As cutToWidth, for ids and names, whose ends say more than their middles.
QString cutInMiddle(const QString& text, double widthMm, double sizePt);
/// The figure without hatches but those of bubbles, which are nothing else.
Figure withoutHatches(Figure figure);
/// Adds all of `other` below what `figure` has, which grows by its height. @param rightMm it is moved that
/// far
void addBelow(Figure& figure, const Figure& other, double rightMm = 0);
/// The figure with a line of text above it.
Figure withTitle(Figure figure, const QString& title, double fontPt);
/// How people see colours, and paper shows them.
enum class Vision { colours, grey, protanopia, deuteranopia, tritanopia };
/// The figure as it is seen: in greys, or without one kind of cones (Machado, Oliveira and Fernandes, 2009,
/// severity 1).
Figure asSeen(Figure figure, Vision vision);
/// The figure in greys of the same luminance (ITU-R BT.709), as a printer without colour shows it.
Figure inGrey(Figure figure);

}  // namespace stagecraft::views::figures
