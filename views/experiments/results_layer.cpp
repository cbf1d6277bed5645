#include "views/experiments/results_layer.h"

#include "views/figures/figure_sink.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace stagecraft::views::experiments {

namespace {

constexpr double mostSmooth = 30000;  // pixels of lines that are stroked smoothly
constexpr std::size_t fewCorners = 48;
constexpr double spriteSize = 32;
constexpr int phases = 4;  // places of a shape within a pixel, each way
constexpr double same = 1e-6;

/// `over` on an opaque pixel. @param share of 256
QRgb blended(QRgb under, QRgb over, unsigned share) {
    const unsigned rest = 256 - share;
    const unsigned redBlue = ((over & 0xFF00FFu) * share + (under & 0xFF00FFu) * rest) >> 8;
    const unsigned green = ((over & 0x00FF00u) * share + (under & 0x00FF00u) * rest) >> 8;
    return 0xFF000000u | (redBlue & 0xFF00FFu) | (green & 0x00FF00u);
}

/// How much of the pixel from `at` to at + 1 is between two places, of 256.
unsigned shareOf(int at, double from, double to) {
    const double covered = std::min(to, at + 1.0) - std::max(from, static_cast<double>(at));
    return static_cast<unsigned>(256 * std::clamp(covered, 0.0, 1.0) + 0.5);
}

/// The pixels that are filled, of an opaque picture.
class Pixels {
public:
    explicit Pixels(QImage& picture)
        : bits_(reinterpret_cast<QRgb*>(picture.bits())),
          stride_(picture.bytesPerLine() / 4),
          clip_(picture.rect()) {}

    const QRect& clip() const { return clip_; }
    void setClip(const QRect& clip) { clip_ = clip; }

    void fill(const QRectF& rect, QRgb colour) {
        const double left = std::max<double>(rect.left(), clip_.left()),
                     right = std::min<double>(rect.right(), clip_.left() + clip_.width()),
                     top = std::max<double>(rect.top(), clip_.top()),
                     bottom = std::min<double>(rect.bottom(), clip_.top() + clip_.height());
        if (!(right > left) || !(bottom > top)) return;
        const int first = static_cast<int>(left), whole = static_cast<int>(std::ceil(left)),
                  end = std::max(whole, static_cast<int>(right));
        const unsigned before = first < whole ? shareOf(first, left, right) : 0,
                       after = end < right ? shareOf(end, left, right) : 0;
        const auto row = [&](int y, unsigned down) {
            QRgb* line = bits_ + y * stride_;
            if (before > 0) line[first] = blended(line[first], colour, before * down >> 8);
            if (down == 256)
                std::fill(line + whole, line + end, colour);
            else
                for (int x = whole; x < end; ++x) line[x] = blended(line[x], colour, down);
            if (after > 0) line[end] = blended(line[end], colour, after * down >> 8);
        };
        const int highest = static_cast<int>(top), lowest = static_cast<int>(std::ceil(bottom)) - 1;
        row(highest, shareOf(highest, top, bottom));
        for (int y = highest + 1; y < lowest; ++y) row(y, 256);
        if (lowest > highest) row(lowest, shareOf(lowest, top, bottom));
    }

    void column(int x, double top, double bottom, QRgb colour) {
        top = std::max<double>(top, clip_.top());
        bottom = std::min<double>(bottom, clip_.top() + clip_.height());
        if (x < clip_.left() || x > clip_.right() || !(bottom > top)) return;
        const int first = static_cast<int>(top), last = static_cast<int>(std::ceil(bottom)) - 1;
        QRgb* pixel = bits_ + first * stride_ + x;
        *pixel = blended(*pixel, colour, shareOf(first, top, bottom));
        for (int y = first + 1; y < last; ++y) *(pixel += stride_) = colour;
        if (last == first) return;
        pixel += stride_;
        *pixel = blended(*pixel, colour, shareOf(last, top, bottom));
    }

    /// @param sprite premultiplied, with its corner at `corner`
    void stamp(const QImage& sprite, const QPoint& corner) {
        const QRect seen = QRect(corner, sprite.size()).intersected(clip_);
        for (int y = seen.top(); y <= seen.bottom(); ++y) {
            const auto* from = reinterpret_cast<const QRgb*>(sprite.constScanLine(y - corner.y()));
            QRgb* line = bits_ + y * stride_;
            for (int x = seen.left(); x <= seen.right(); ++x) {
                const QRgb over = from[x - corner.x()];
                if (qAlpha(over) == 0) continue;
                // The sprite's colours have its alpha in them already.
                line[x] = 0xFF000000u |
                          ((over & 0xFFFFFFu) +
                           (blended(0, line[x], 256u - static_cast<unsigned>(qAlpha(over)) * 257 / 256) &
                            0xFFFFFFu));
            }
        }
    }

private:
    QRgb* bits_;
    qsizetype stride_;
    QRect clip_;
};

/// A small shape, once for each place within a pixel that was asked for.
struct Sprite {
    std::vector<QPointF> way;  ///< corners from the first one, in pixels
    QColor fill;
    Stroke stroke;
    QImage pictures[phases][phases];
    QPoint corner;  ///< of the picture, from the pixel that has the first corner
};

class LayerSink : public FigureSink {
public:
    LayerSink(QImage& picture, QPainter& painter, const Figure& figure, const LayerPlace& place)
        : pixels_(picture), place_(place), slow_(painterSink(painter, figure.fontFamily)) {
        for (const FigureItem& item : figure.items)
            if (const auto* line = std::get_if<FigurePolygon>(&item); line && !line->closed)
                for (std::size_t i = 1; i < line->points.size(); ++i)
                    linesPx_ += (line->points[i] - line->points[i - 1]).manhattanLength() * place.pixelsPerMm;
    }

    void rectangle(const QRectF& rect, const QColor& fill, const Stroke& stroke,
                   const std::string& role) override {
        if ((fill.isValid() && fill.alpha() < 255) || !stroke.dashMm.empty() || rect.width() < 0 ||
            rect.height() < 0)
            return slow_->rectangle(rect, fill, stroke, role);
        const QRectF box(at(rect.topLeft()), rect.size() * place_.pixelsPerMm);
        if (fill.isValid()) pixels_.fill(box, fill.rgb());
        if (stroke.visible()) outlineOf(box, stroke);
    }

    void polygon(const std::vector<QPointF>& points, const QColor& fill, const Stroke& stroke,
                 const std::string& role) override {
        if (points.size() <= fewCorners && stamp(points, fill, stroke)) return;
        if (points.size() <= fewCorners || stroke.visible() || !fill.isValid())
            return slow_->polygon(points, fill, stroke, role);
        fillColumns(points, fill.rgb());
    }

    void polyline(const std::vector<QPointF>& points, const Stroke& stroke,
                  const std::string& role) override {
        if (linesPx_ <= mostSmooth || !stroke.visible() || !stroke.dashMm.empty())
            return slow_->polyline(points, stroke, role);
        lineColumns(points, stroke);
    }

    void segments(const std::vector<QLineF>& lines, const Stroke& stroke, const std::string& role) override {
        const auto straight = [](const QLineF& line) { return line.dx() == 0 || line.dy() == 0; };
        if (!stroke.dashMm.empty() || !std::all_of(lines.begin(), lines.end(), straight))
            return slow_->segments(lines, stroke, role);
        if (!stroke.visible()) return;
        const double half = stroke.widthMm * place_.pixelsPerMm / 2;
        for (const QLineF& line : lines) {
            const QRectF way = QRectF(at(line.p1()), at(line.p2())).normalized();
            pixels_.fill(line.dx() == 0 ? way.adjusted(-half, 0, half, 0) : way.adjusted(0, -half, 0, half),
                         stroke.colour.rgb());
        }
    }

    void text(const FigureText& text, const QPointF& baseline) override { slow_->text(text, baseline); }
    void outline(const QPainterPath& path, const QColor& fill) override { slow_->outline(path, fill); }

    void beginClip(const QRectF& rect) override {
        clips_.push_back(pixels_.clip());
        const QRectF box(at(rect.topLeft()), rect.size() * place_.pixelsPerMm);
        pixels_.setClip(pixels_.clip().intersected(
            QRect(QPoint(static_cast<int>(std::lround(box.left())), static_cast<int>(std::lround(box.top()))),
                  QPoint(static_cast<int>(std::lround(box.right())) - 1,
                         static_cast<int>(std::lround(box.bottom())) - 1))));
        slow_->beginClip(rect);
    }
    void endClip() override {
        pixels_.setClip(clips_.back());
        clips_.pop_back();
        slow_->endClip();
    }

private:
    QPointF at(const QPointF& mm) const { return place_.origin + mm * place_.pixelsPerMm; }

    void outlineOf(const QRectF& box, const Stroke& stroke) {
        const double half = stroke.widthMm * place_.pixelsPerMm / 2;
        const QRectF outer = box.adjusted(-half, -half, half, half);
        const QRgb colour = stroke.colour.rgb();
        if (box.width() <= 2 * half || box.height() <= 2 * half) return pixels_.fill(outer, colour);
        const QRectF inner = box.adjusted(half, half, -half, -half);
        pixels_.fill({outer.topLeft(), QPointF(outer.right(), inner.top())}, colour);
        pixels_.fill({QPointF(outer.left(), inner.bottom()), outer.bottomRight()}, colour);
        pixels_.fill({QPointF(outer.left(), inner.top()), inner.bottomLeft()}, colour);
        pixels_.fill({inner.topRight(), QPointF(outer.right(), inner.bottom())}, colour);
    }

    /// @return false if the shape is too large to be worth it
    bool stamp(const std::vector<QPointF>& points, const QColor& fill, const Stroke& stroke) {
        const QPointF first = at(points.front());
        std::vector<QPointF>& way = way_;
        way.clear();
        for (const QPointF& point : points) {
            way.push_back((point - points.front()) * place_.pixelsPerMm);
            if (way.back().manhattanLength() > spriteSize) return false;
        }
        Sprite& sprite = spriteOf(fill, stroke);
        // To the nearest place that there is a picture of.
        const QPointF steps(std::floor(first.x() * phases + 0.5), std::floor(first.y() * phases + 0.5));
        if (std::max(std::abs(steps.x()), std::abs(steps.y())) > 1e6) return true;  // far out of view
        const int x = static_cast<int>(steps.x()), y = static_cast<int>(steps.y());
        const QPoint pixel(x >> 2, y >> 2), phase(x & 3, y & 3);
        static_assert(phases == 4);
        QImage& picture = sprite.pictures[phase.x()][phase.y()];
        if (picture.isNull()) picture = drawn(sprite, QPointF(phase) / phases);
        pixels_.stamp(picture, pixel + sprite.corner);
        return true;
    }

    Sprite& spriteOf(const QColor& fill, const Stroke& stroke) {
        for (const auto& sprite : sprites_)
            if (sprite->way.size() == way_.size() && sprite->fill == fill && sprite->stroke == stroke &&
                std::equal(
                    way_.begin(), way_.end(), sprite->way.begin(),
                    [](const QPointF& a, const QPointF& b) { return (a - b).manhattanLength() < same; }))
                return *sprite;
        auto made = std::make_unique<Sprite>();
        made->way = way_;
        made->fill = fill;
        made->stroke = stroke;
        sprites_.push_back(std::move(made));
        return *sprites_.back();
    }

    QImage drawn(Sprite& sprite, const QPointF& phase) const {
        const double around = 2 + sprite.stroke.widthMm * place_.pixelsPerMm;
        const QRect box = QPolygonF(QList<QPointF>(sprite.way.begin(), sprite.way.end()))
                              .boundingRect()
                              .adjusted(-around, -around, around, around)
                              .toAlignedRect();
        sprite.corner = box.topLeft();
        QImage picture(box.size(), QImage::Format_ARGB32_Premultiplied);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.translate(phase - box.topLeft());
        painter.scale(place_.pixelsPerMm, place_.pixelsPerMm);
        std::vector<QPointF> corners;
        for (const QPointF& way : sprite.way) corners.push_back(way / place_.pixelsPerMm);
        painterSink(painter, {})->polygon(corners, sprite.fill, sprite.stroke, {});
        return picture;
    }

    /// Calls with each column that the way from `a` to `b` has a part in, and that part.
    template <typename Part>
    void eachColumn(QPointF a, QPointF b, const Part& part) const {
        if (a.x() > b.x()) std::swap(a, b);
        const QRect& clip = pixels_.clip();
        const int first = static_cast<int>(std::floor(std::max<double>(a.x(), clip.left()))),
                  last = static_cast<int>(std::floor(std::min<double>(b.x(), clip.right())));
        const double slope = b.x() > a.x() ? (b.y() - a.y()) / (b.x() - a.x()) : 0;
        for (int x = first; x <= last; ++x)
            part(x, x <= a.x() ? a.y() : a.y() + (x - a.x()) * slope,
                 x + 1 >= b.x() ? b.y() : a.y() + (x + 1 - a.x()) * slope);
    }

    /// As high in each column as the line is there.
    void lineColumns(const std::vector<QPointF>& points, const Stroke& stroke) {
        const QRect& clip = pixels_.clip();
        if (clip.isEmpty()) return;
        constexpr double none = std::numeric_limits<double>::infinity();
        heights_.assign(static_cast<std::size_t>(clip.width()), {none, -none});
        for (std::size_t i = 1; i < points.size(); ++i)
            eachColumn(at(points[i - 1]), at(points[i]), [&](int x, double from, double to) {
                auto& [top, bottom] = heights_[static_cast<std::size_t>(x - clip.left())];
                top = std::min({top, from, to});
                bottom = std::max({bottom, from, to});
            });
        const double half = stroke.widthMm * place_.pixelsPerMm / 2;
        for (std::size_t i = 0; i < heights_.size(); ++i)
            if (heights_[i].first <= heights_[i].second)
                pixels_.column(clip.left() + static_cast<int>(i), heights_[i].first - half,
                               heights_[i].second + half, stroke.colour.rgb());
    }

    /// What is inside by the odd-even rule, asked in the middle of each column.
    void fillColumns(const std::vector<QPointF>& points, QRgb colour) {
        const QRect& clip = pixels_.clip();
        if (clip.isEmpty()) return;
        crossings_.resize(static_cast<std::size_t>(clip.width()));
        for (auto& column : crossings_) column.clear();
        for (std::size_t i = 0; i < points.size(); ++i) {
            QPointF a = at(points[i]), b = at(points[(i + 1) % points.size()]);
            if (a.x() > b.x()) std::swap(a, b);
            const double from = std::max<double>(std::ceil(a.x() - 0.5), clip.left());
            for (double x = from; x + 0.5 < b.x() && x <= clip.right(); ++x)
                crossings_[static_cast<std::size_t>(x - clip.left())].push_back(
                    a.y() + (x + 0.5 - a.x()) * (b.y() - a.y()) / (b.x() - a.x()));
        }
        for (std::size_t i = 0; i < crossings_.size(); ++i) {
            auto& column = crossings_[i];
            std::sort(column.begin(), column.end());
            for (std::size_t k = 0; k + 1 < column.size(); k += 2)
                pixels_.column(clip.left() + static_cast<int>(i), column[k], column[k + 1], colour);
        }
    }

    Pixels pixels_;
    const LayerPlace place_;
    std::unique_ptr<FigureSink> slow_;
    double linesPx_ = 0;  ///< how long all lines are together
    std::vector<QRect> clips_;
    std::vector<QPointF> way_;
    std::vector<std::unique_ptr<Sprite>> sprites_;
    std::vector<std::pair<double, double>> heights_;
    std::vector<std::vector<double>> crossings_;
};

}  // namespace

void paintLayer(QImage& picture, const Figure& figure, const LayerPlace& place) {
    QPainter painter(&picture);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.translate(place.origin);
    painter.scale(place.pixelsPerMm, place.pixelsPerMm);
    LayerSink sink(picture, painter, figure, place);
    draw(figure, sink);
}

}  // namespace stagecraft::views::experiments
