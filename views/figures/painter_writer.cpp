#include "views/figures/painter_writer.h"

#include "views/figures/figure_formats.h"
#include "views/figures/figure_sink.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <stdexcept>

namespace stagecraft::views::figures {
namespace {

QPen pen(const Stroke& stroke) {
    if (!stroke.visible()) return Qt::NoPen;
    QPen result(stroke.colour, stroke.widthMm, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    if (stroke.dashMm.empty()) return result;
    QList<qreal> pattern;
    for (const double length : stroke.dashMm) pattern << length / stroke.widthMm;
    result.setDashPattern(pattern);
    return result;
}

/// Gives the painter back as it was, also when a figure turns out to be faulty.
class SavedState {
public:
    explicit SavedState(QPainter& painter) : painter_(painter) { painter_.save(); }
    ~SavedState() { painter_.restore(); }
    Q_DISABLE_COPY_MOVE(SavedState)

private:
    QPainter& painter_;
};

/// Draws on a painter whose unit is one millimetre.
class PainterSink : public FigureSink {
public:
    PainterSink(QPainter& painter, QString family) : painter_(painter), family_(std::move(family)) {}

    void rectangle(const QRectF& rect, const QColor& fill, const Stroke& stroke,
                   const std::string&) override {
        use(fill, stroke);
        painter_.drawRect(rect);
    }
    void polygon(const std::vector<QPointF>& points, const QColor& fill, const Stroke& stroke,
                 const std::string&) override {
        use(fill, stroke);
        painter_.drawPolygon(points.data(), static_cast<int>(points.size()), Qt::OddEvenFill);
    }
    void polyline(const std::vector<QPointF>& points, const Stroke& stroke, const std::string&) override {
        use(QColor(), stroke);
        painter_.drawPolyline(points.data(), static_cast<int>(points.size()));
    }
    void segments(const std::vector<QLineF>& lines, const Stroke& stroke, const std::string&) override {
        use(QColor(), stroke);
        painter_.drawLines(lines.data(), static_cast<int>(lines.size()));
    }

    void text(const FigureText& text, const QPointF& baseline) override {
        const QFont font = layoutFont(family_, text.bold, text.italic);
        painter_.save();
        painter_.setTransform(textTransform(text, baseline, font), true);
        painter_.setFont(font);
        painter_.setPen(text.colour);
        painter_.drawText(QPointF(0, 0), text.text);
        painter_.restore();
    }

    double widthMm(const FigureText& text) const override {
        return QFontMetricsF(layoutFont(family_, text.bold, text.italic)).horizontalAdvance(text.text) *
               mmOfPoints(text.sizePt) / layoutPixels;
    }

    void outline(const QPainterPath& path, const QColor& fill) override {
        QPainterPath filled = path;
        filled.setFillRule(Qt::WindingFill);
        painter_.fillPath(filled, fill);
    }

    void beginClip(const QRectF& rect) override {
        painter_.save();
        painter_.setClipRect(rect, Qt::IntersectClip);
    }
    void endClip() override {
        painter_.restore();
        used_ = false;
    }

private:
    void use(const QColor& fill, const Stroke& stroke) {
        if (used_ && fill == fill_ && stroke == stroke_) return;
        used_ = true;
        fill_ = fill;
        stroke_ = stroke;
        painter_.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
        painter_.setPen(pen(stroke));
    }

    QPainter& painter_;
    QString family_;
    /// What pen and brush are set to: setting them costs as much as a small rectangle.
    bool used_ = false;
    QColor fill_;
    Stroke stroke_;
};

}  // namespace

std::unique_ptr<FigureSink> painterSink(QPainter& painter, const QString& family) {
    return std::make_unique<PainterSink>(painter, family);
}

void paintFigure(QPainter& painter, const Figure& figure, double scale) {
    const SavedState saved(painter);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.scale(scale, scale);
    PainterSink sink(painter, figure.fontFamily);
    draw(figure, sink);
}

QByteArray writePng(const Figure& figure, double dpi) {
    if (!(dpi >= 1 && dpi <= 2400)) throw std::invalid_argument("a resolution must be within 1 and 2400 dpi");
    requireLetters(figure);
    const double scale = dpi / 25.4;
    QImage image(std::max(1, static_cast<int>(std::lround(figure.widthMm * scale))),
                 std::max(1, static_cast<int>(std::lround(figure.heightMm * scale))), QImage::Format_RGB32);
    if (image.isNull()) throw std::invalid_argument("the picture is too large; a lower resolution is needed");
    image.fill(Qt::white);
    image.setDotsPerMeterX(static_cast<int>(std::lround(scale * 1000)));
    image.setDotsPerMeterY(static_cast<int>(std::lround(scale * 1000)));
    QPainter painter(&image);
    paintFigure(painter, figure, scale);
    painter.end();
    return pngBytes(image);
}

QByteArray pngBytes(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

FigureFormat pngFormat() {
    FigureFormat format{QStringLiteral("png"), QStringLiteral("PNG"), {QStringLiteral("png")}};
    format.mimeType = QStringLiteral("image/png");
    format.isRaster = true;
    format.write = [](const Figure& figure, const FigureStyle& style) { return writePng(figure, style.dpi); };
    return format;
}

}  // namespace stagecraft::views::figures
