#pragma once

#include "views/figures/axis.h"
#include "views/figures/legend.h"

#include <QString>

#include <cmath>
#include <utility>
#include <vector>

namespace stagecraft::views::figures {

/// Colours of what is not data in a chart.
struct PlotLook {
    QColor ink, muted, grid, surface;
    bool dark = false;

    /// Black on white.
    static const PlotLook& paper();
};

/// From values to millimetres, straight or by logarithm.
struct PlotScale {
    FigureScale mm;  ///< of the values, or of their logarithms
    bool logarithmic = false;

    PlotScale() = default;
    PlotScale(double from, double to, bool logarithmic);
    double at(double value) const { return mm.at(logarithmic ? std::log10(value) : value); }
    double from() const { return logarithmic ? std::pow(10, mm.from) : mm.from; }
    double to() const { return logarithmic ? std::pow(10, mm.to) : mm.to; }
    void place(double startMm, double endMm) {
        mm.startMm = startMm;
        mm.endMm = endMm;
    }
    /// The part of it between two shares of its length, 0 to 1.
    PlotScale part(double first, double last) const;
};

struct PlotTick {
    double value = 0;
    QString label;
};

struct PlotAxis {
    PlotScale scale;
    std::vector<PlotTick> ticks;
    QString title;
    bool grid = true;  ///< a line across the chart at each tick; else a short one outside
    // Of names below a level axis, of which none is left out:
    bool named = false;
    bool turned = false;  ///< upright
    double extraMm = 0;   ///< what they take below the frame beyond a line of text
};

/// Names with `roomMm` each below an axis: on one line or, broken between words, on up to three, or upright
/// where one does not fit even so. Where not even upright names fit, those that touch are left out.
PlotAxis namedAxis(PlotAxis axis, double roomMm, double fontPt);

/// Ticks and title of an axis of numbers in `unit` ("s", "B", or any that is not converted). `about` is the
/// largest number of ticks wanted.
PlotAxis numberAxis(const PlotScale& scale, const std::string& unit, const QString& title, int about);

/// The axes of a chart around `frame`, grid lines first. Labels that would touch are left out.
/// @param titles whether the axes are named below and on the left
void addPlotFrame(Figure& figure, const QRectF& frame, const PlotAxis& across, const PlotAxis& upright,
                  double fontPt, const PlotLook& look, std::pair<bool, bool> titles = {true, true});
/// The name of an axis alone, in the middle of a frame, or of several that share it.
void addAcrossTitle(Figure& figure, const QRectF& frame, const PlotAxis& across, double fontPt,
                    const PlotLook& look);
void addUprightTitle(Figure& figure, const QRectF& frame, const PlotAxis& upright, double fontPt,
                     const PlotLook& look);
/// What labels and title of the upright axis take beside the frame, and those of the other below.
double plotLeftMm(const PlotAxis& upright, double fontPt);
double plotBelowMm(double fontPt);

/// How many kinds of sign there are, all told apart without colour.
inline constexpr std::size_t plotSigns = 10;
/// The corners of a sign. After the last kind they begin again.
std::vector<QPointF> plotSign(std::size_t kind, const QPointF& at, double radiusMm);

/// addLegend in the look's ink.
double addPlotLegend(Figure& figure, const std::vector<LegendEntry>& entries, double leftMm, double rightMm,
                     double topMm, double fontPt, const PlotLook& look);

/// `over` laid on `under` with that share of its own.
QColor mixedColour(const QColor& over, const QColor& under, double share);

}  // namespace stagecraft::views::figures
