#pragma once

#include "views/figures/figure.h"

#include <QFont>
#include <QLineF>
#include <QPainterPath>

#include <memory>

class QPainter;

namespace stagecraft::views::figures {

/// What a writer must be able to draw. draw() turns a figure into these calls, so that hatching, arrowheads
/// and clipping have one geometry in every format.
class FigureSink {
public:
    virtual ~FigureSink() = default;
    virtual void rectangle(const QRectF& rect, const QColor& fill, const Stroke& stroke,
                           const std::string& role) = 0;
    virtual void polygon(const std::vector<QPointF>& points, const QColor& fill, const Stroke& stroke,
                         const std::string& role) = 0;
    virtual void polyline(const std::vector<QPointF>& points, const Stroke& stroke,
                          const std::string& role) = 0;
    virtual void segments(const std::vector<QLineF>& lines, const Stroke& stroke,
                          const std::string& role) = 0;
    /// `baseline` is the anchor of the text's baseline; `text.at` and `text.rise` are done with.
    virtual void text(const FigureText& text, const QPointF& baseline) = 0;
    /// Whether text() sets math itself; else it never sees any.
    virtual bool setsMath() const { return false; }
    /// How wide a stretch without math is set, millimetres.
    virtual double widthMm(const FigureText& text) const { return textWidthMm(text.text, text.sizePt); }
    /// Letters as their outlines, filled by the non-zero rule.
    virtual void outline(const QPainterPath& path, const QColor& fill) = 0;
    virtual void beginClip(const QRectF& rect) = 0;
    virtual void endClip() = 0;
};

/// @throws std::invalid_argument if clips are not balanced or a length is not a finite number
void draw(const Figure& figure, FigureSink& sink);

/// Draws with a painter whose unit is one millimetre; its render hints are the caller's.
std::unique_ptr<FigureSink> painterSink(QPainter& painter, const QString& family);

/// The lines of `hatch` inside a polygon (even-odd rule), in phase with the figure's origin.
std::vector<QLineF> hatchLines(const std::vector<QPointF>& polygon, Hatch hatch);

/// Fonts have whole pixel sizes only: text is laid out at this size, unhinted, and scaled to its own.
inline constexpr int layoutPixels = 100;
QFont layoutFont(const QString& family, bool bold, bool italic = false);
/// @throws std::invalid_argument if the figure's font has no shape for a letter, which would be a box in
/// print
void requireLetters(const Figure& figure);
/// From a place on the page to where text of `layoutFont` begins, at its size and turn. Both need a
/// QGuiApplication.
QTransform textTransform(const FigureText& text, const QPointF& baseline, const QFont& font);

/// Millimetres with up to three decimals and a point, whatever the locale: "12.5".
std::string figureNumber(double value);

}  // namespace stagecraft::views::figures
