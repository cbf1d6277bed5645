#pragma once

#include "core/base/enum_names.h"
#include "views/common/block_colouring.h"
#include "views/figures/drawn_axis.h"
#include "views/figures/figure.h"
#include "views/figures/panels_figure.h"

#include <functional>
#include <string>

namespace stagecraft::views::figures {

/// How a figure is to look: everything that authors choose once for all figures of a paper, and nothing that
/// belongs to one plan. Kept as a file of its own (*.figure-style.json, FORMATS.md).
struct FigureStyle {
    std::string name;
    double widthMm = 88.9;
    double heightMm = 0;  ///< of charts that may be of any height; 0: as high as looks well
    double laneMm = 0;    ///< of a lane, a bar, a memory curve or a ribbon; 0: as high as its text needs
    std::string fontFamily = figureFontFamily;
    double fontPt = 7;    ///< of all text but numbers in blocks and cells: none is smaller
    double numberPt = 0;  ///< of those; 0: as all text
    bool textAsPaths = false;
    bool grey = false;
    bool hatches = true;
    bool title = false;
    std::string titleText;  ///< "{plan}" in it is the plan's name; empty: that alone
    bool legend = true;

    // Of schedules and what shares their axis.
    std::string laneNames;      ///< LaneNaming
    std::string legendNames;    ///< "forward=F|backward=B", renameEntries
    std::string panelNames;     ///< "A|B", of a figure with several panels
    bool countFromOne = false;  ///< microbatches, stages and chunks; else from 0
    FigureAxis axis = FigureAxis::seconds;
    TimeUnit timeUnit = TimeUnit::automatic;
    std::string timeTitle;  ///< DrawnTimeAxis::title
    BlockText blockText = BlockText::microbatch;
    bool communication = false;
    bool firstStageBelow = false;
    bool numbers = true;
    bool bubbles = true;
    bool criticalPath = false;
    bool memory = false;
    bool marks = true;
    bool predictions = false;
    bool notes = false;
    BlockColouring colouring = BlockColouring::kind;
    PaletteKind palette = PaletteKind::standard;
    std::string ownColours;                   ///< of PaletteKind::own, see Palette
    PanelTime panelTime = PanelTime::shared;  ///< of a figure with several panels
    bool letters = true;                      ///< "(a)", "(b)" at its panels
    int panelColumns = 1;                     ///< its panels side by side
    bool memoryLines = false;                 ///< of all devices: as lines in one frame
    bool insides = true;                      ///< what is sent within stages whose GPUs divide layers
    bool nameLine = true;                     ///< for who draws in empty lanes

    int dpi = 300;            ///< of pixels
    bool standalone = false;  ///< a document rather than a bare tikzpicture
    bool slide =
        false;  ///< a page of 16:9, the figure in its middle; a standalone TikZ file is a frame of beamer
    int firstNumber() const { return countFromOne ? 1 : 0; }
    /// The size of numbers in blocks and cells, points.
    double numbersPt() const { return numberPt > 0 ? numberPt : fontPt; }
    bool operator==(const FigureStyle&) const = default;
};

inline constexpr EnumName<BlockColouring> colouringNames[] = {{BlockColouring::kind, "kind"},
                                                              {BlockColouring::miniBatch, "mini-batch"},
                                                              {BlockColouring::weightVersion, "version"},
                                                              {BlockColouring::staleness, "staleness"},
                                                              {BlockColouring::microbatch, "microbatch"},
                                                              {BlockColouring::chunk, "chunk"},
                                                              {BlockColouring::copy, "copy"},
                                                              {BlockColouring::stage, "stage"}};
inline constexpr EnumName<TimeUnit> timeUnitNames[] = {{TimeUnit::automatic, "auto"},
                                                       {TimeUnit::seconds, "s"},
                                                       {TimeUnit::milliseconds, "ms"},
                                                       {TimeUnit::microseconds, "us"}};
inline constexpr EnumName<BlockText> blockTextNames[] = {{BlockText::microbatch, "microbatch"},
                                                         {BlockText::stage, "stage"},
                                                         {BlockText::chunk, "chunk"},
                                                         {BlockText::none, "none"}};
inline constexpr EnumName<FigureAxis> figureAxisNames[] = {
    {FigureAxis::seconds, "seconds"}, {FigureAxis::blocks, "blocks"}, {FigureAxis::none, "none"}};

/// Bounds within which a style can be drawn; what is 0 by default may be 0 as well.
inline constexpr double narrowestMm = 30, widestMm = 2000, smallestPt = 4, largestPt = 72, lowestLaneMm = 1,
                        highestLaneMm = 200;
inline constexpr int fewestColumns = 1;  ///< of panels; mostPanelColumns
inline constexpr int coarsestDpi = 1, finestDpi = 2400;

/// What a style says of any figure: type, hatches, greys, title. Figures of equal drawing and style are
/// equal. @throws std::invalid_argument if there is no such font, with the name nearest to it, or if what
/// stands between dollars is no formula
Figure inStyle(Figure figure, const FigureStyle& style);

/// What `drawn` gives for the style, in that style. On a slide it has a margin, and as its height or that of
/// its lanes what there is room for. @throws std::invalid_argument as inStyle and `drawn` do
Figure drawnInStyle(const FigureStyle& style, const std::function<Figure(const FigureStyle&)>& drawn);

/// The widths that venues ask for.
struct FigureVenue {
    const char* name;
    double widthMm;
};
const std::vector<FigureVenue>& figureVenues();

/// What a page of 16:9 is high.
constexpr double slideHeightMm(double widthMm) { return widthMm * 9 / 16; }

/// Styles that come with the program.
const std::vector<FigureStyle>& shippedFigureStyles();

}  // namespace stagecraft::views::figures
