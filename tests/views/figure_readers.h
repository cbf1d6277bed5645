#pragma once

#include "views/figures/figure_sink.h"
#include "tests/support/window_rooms.h"

#include <QByteArray>
#include <QRegularExpression>
#include <QTransform>

#include <cmath>
#include <vector>

namespace stagecraft {

/// Corners and ends of all shapes and lines, in millimetres from the top left, in the order of drawing.
using Coordinates = std::vector<QPointF>;

/// What the writers are given.
class CoordinateSink : public FigureSink {
public:
    Coordinates points, baselines;
    Coordinates otherCorners;  ///< of rectangles, which are in `points` with two of theirs
    void rectangle(const QRectF& rect, const QColor& fill, const Stroke& stroke,
                   const std::string&) override {
        if (fill.isValid() || stroke.visible()) add(rect);
    }
    void polygon(const std::vector<QPointF>& all, const QColor& fill, const Stroke& stroke,
                 const std::string&) override {
        if (fill.isValid() || stroke.visible()) points.insert(points.end(), all.begin(), all.end());
    }
    void polyline(const std::vector<QPointF>& all, const Stroke&, const std::string&) override {
        points.insert(points.end(), all.begin(), all.end());
    }
    void segments(const std::vector<QLineF>& lines, const Stroke&, const std::string&) override {
        for (const QLineF& line : lines) points.insert(points.end(), {line.p1(), line.p2()});
    }
    void text(const FigureText& text, const QPointF& at) override {
        if (text.rotationDeg == 0) baselines.push_back(at);
    }
    void outline(const QPainterPath&, const QColor&) override {}
    void beginClip(const QRectF& rect) override { add(rect); }
    void endClip() override {}

private:
    void add(const QRectF& rect) {
        points.insert(points.end(), {rect.topLeft(), rect.bottomRight()});
        otherCorners.insert(otherCorners.end(), {rect.topRight(), rect.bottomLeft()});
    }
};

/// Of an SVG by writeSvg, read as a viewer reads it: rectangles and paths of M, L and Z.
struct Read {
    Coordinates points, baselines;
};

inline Read readSvg(const QString& svg) {
    Read read;
    static const QRegularExpression element(
        "<rect x=\"([-\\d.]+)\" y=\"([-\\d.]+)\" width=\"([-\\d.]+)\" height=\"([-\\d.]+)\"|<path "
        "d=\"([^\"]+)\""
        "|<text x=\"([-\\d.]+)\" y=\"([-\\d.]+)\"( transform)?");
    static const QRegularExpression pair("[ML]([-\\d.]+) ([-\\d.]+)");
    for (auto it = element.globalMatch(svg); it.hasNext();) {
        const auto match = it.next();
        const auto number = [&](int i) { return match.captured(i).toDouble(); };
        if (match.hasCaptured(1)) {
            read.points.insert(read.points.end(),
                               {{number(1), number(2)}, {number(1) + number(3), number(2) + number(4)}});
        } else if (match.hasCaptured(5)) {
            for (auto p = pair.globalMatch(match.captured(5)); p.hasNext();) {
                const auto point = p.next();
                read.points.push_back({point.captured(1).toDouble(), point.captured(2).toDouble()});
            }
        } else if (!match.hasCaptured(8)) {
            read.baselines.push_back({number(6), number(7)});
        }
    }
    return read;
}

inline Read readTikz(const QString& tikz) {
    Read read;
    static const QRegularExpression pair("\\(([-\\d.]+),([-\\d.]+)\\)");
    for (const QString& line : tikz.split('\n')) {
        if (line.contains("bounding box")) continue;
        const bool text = line.contains("\\node");
        if (text && line.contains("rotate=")) continue;
        for (auto p = pair.globalMatch(line); p.hasNext();) {
            const auto point = p.next();
            (text ? read.baselines : read.points)
                .push_back({point.captured(1).toDouble(), point.captured(2).toDouble()});
            if (text) break;
        }
    }
    return read;
}

/// The page's content stream.
inline QByteArray pageContent(const QByteArray& pdf) {
    QByteArray best;
    for (qsizetype at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at + 7)) {
        if (at >= 3 && pdf.mid(at - 3, 3) == "end") continue;
        const qsizetype end = pdf.indexOf("\nendstream", at);
        QByteArray packed = pdf.mid(at + 7, end - at - 7);
        const quint32 guess = 1 << 22;
        QByteArray header(4, '\0');
        for (int i = 0; i < 4; ++i) header[i] = static_cast<char>(guess >> (24 - 8 * i));
        const QByteArray plain = qUncompress(header + packed);
        if (plain.contains(" re\n") || plain.contains(" l\n")) best = plain;
    }
    return best;
}

/// Interprets the operators that QPdfWriter uses, with the current matrix.
inline Read readPdf(const QByteArray& pdf) {
    Read read;
    const auto box = QRegularExpression("/MediaBox \\[\\s*([\\d.]+) ([\\d.]+) ([\\d.]+) ([\\d.]+)\\s*\\]")
                         .match(QString::fromLatin1(pdf));
    const double top = box.captured(4).toDouble();
    constexpr double mm = 25.4 / 72;
    QTransform matrix, textMatrix;
    std::vector<QTransform> stack;
    std::vector<double> operands;
    Coordinates path;
    bool inText = false;
    const auto toMm = [&](QPointF point) { return QPointF(point.x() * mm, (top - point.y()) * mm); };
    for (const QByteArray& line : pageContent(pdf).split('\n'))
        for (const QByteArray& token : line.split(' ')) {
            if (token.isEmpty()) continue;
            bool isNumber = false;
            const double value = token.toDouble(&isNumber);
            if (isNumber) {
                operands.push_back(value);
                continue;
            }
            const auto operand = [&](std::size_t fromEnd) { return operands[operands.size() - fromEnd]; };
            const std::size_t count = operands.size();
            if (token == "q") stack.push_back(matrix);
            if (token == "Q" && !stack.empty()) {
                matrix = stack.back();
                stack.pop_back();
            }
            if ((token == "cm" || token == "Tm") && count >= 6) {
                const QTransform own(operand(6), operand(5), operand(4), operand(3), operand(2), operand(1));
                if (token == "cm")
                    matrix = own * matrix;
                else
                    textMatrix = own;
            }
            if (token == "BT") inText = true;
            if (token == "Tm" && inText && textMatrix.m12() == 0)
                read.baselines.push_back(toMm(matrix.map(QPointF(textMatrix.dx(), textMatrix.dy()))));
            if (token == "ET") inText = false;
            if (token == "re" && count >= 4) {
                path.push_back(toMm(matrix.map(QPointF(operand(4), operand(3)))));
                path.push_back(toMm(matrix.map(QPointF(operand(4) + operand(2), operand(3) + operand(1)))));
            }
            if ((token == "m" || token == "l") && count >= 2)
                path.push_back(toMm(matrix.map(QPointF(operand(2), operand(1)))));
            if (token == "f" || token == "f*" || token == "S" || token == "B" || token == "B*" ||
                token == "n" || token == "W*" || token == "W") {
                if (token != "W" && token != "W*") {
                    read.points.insert(read.points.end(), path.begin(), path.end());
                    path.clear();
                }
            }
            operands.clear();
        }
    return read;
}

inline double distance(const QPointF& a, const QPointF& b) {
    return std::hypot(a.x() - b.x(), a.y() - b.y());
}

/// How far the farthest point of `wanted` is from what was found, wherever in the file that is.
inline double farthest(const Coordinates& wanted, const Coordinates& found) {
    double worst = 0;
    for (const QPointF& point : wanted) {
        double nearest = 1e9;
        for (const QPointF& other : found) nearest = std::min(nearest, distance(point, other));
        worst = std::max(worst, nearest);
    }
    return worst;
}

}  // namespace stagecraft
