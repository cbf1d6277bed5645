#include "views/interconnect/bandwidth_figure.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/interconnect/bandwidth_scale.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::interconnect {
namespace {

constexpr int mostDevices = 1024;
constexpr double overlapMm = 0.04;  // of neighbours, so that no seam shows between them
const QColor lineColour(0x40, 0x40, 0x40), white(0xFF, 0xFF, 0xFF);

class MatrixDrawing {
public:
    MatrixDrawing(const Cluster& cluster, const BandwidthFigureOptions& options)
        : cluster_(cluster),
          options_(options),
          interconnect_(cluster),
          scale_(interconnect_),
          em_(mmOfPoints(options.fontPt)),
          count_(cluster.deviceCount()) {}

    Figure draw() {
        figure_.widthMm = options_.widthMm;
        figure_.title = QString::fromStdString(cluster_.name);
        double labelMm = 0;
        for (const Device& device : cluster_.devices)
            labelMm = std::max(labelMm, textWidthMm(QString::fromStdString(device.id), options_.fontPt));
        labelMm = std::min(labelMm + 1.2, 0.3 * options_.widthMm);
        const double side = options_.widthMm - labelMm - 0.4;
        matrix_ = QRectF(labelMm, labelMm, side, side);
        cell_ = side / count_;
        numbered_ = numbersFit();
        for (int row = 0; row < count_; ++row) drawRow(row);
        drawServers();
        drawLabels(labelMm - 0.8);
        double bottom = matrix_.bottom() + 0.5;
        if (options_.legend && !scale_.isEmpty()) bottom = drawScale(bottom + 0.6 * em_);
        figure_.heightMm = std::ceil(bottom * 10) / 10;
        return std::move(figure_);
    }

private:
    QRectF cells(int row, int first, int last) const {
        return {matrix_.left() + first * cell_, matrix_.top() + row * cell_, (last - first + 1) * cell_,
                cell_};
    }

    /// -1: a device with itself; 0: no path.
    double value(int row, int column) const {
        return row == column ? -1 : interconnect_.bandwidthBps(row, column);
    }

    /// Neighbours of equal bandwidth are one rectangle, which keeps large clusters small.
    void drawRow(int row) {
        for (int first = 0, last = 0; first < count_; first = last + 1) {
            last = first;
            const double bps = value(row, first);
            while (last + 1 < count_ && value(row, last + 1) == bps) ++last;
            const Fill fill = bps < 0    ? Fill{white}
                              : bps == 0 ? Fill{white, Hatch::rising, QColor(0xB8, 0xB8, 0xB8)}
                                         : Fill{scale_.colour(bps)};
            const std::string role = bps < 0 ? "same device" : bps == 0 ? "no path" : "bandwidth";
            const QRectF box =
                cells(row, first, last).adjusted(0, 0, overlapMm, overlapMm).intersected(matrix_);
            figure_.add(FigureRectangle{box, fill, {}, role});
            for (int column = first; bps > 0 && column <= last; ++column)
                drawNumber(cells(row, column, column), bps);
        }
    }

    /// To two digits, also where the second is a zero, so that 5.0 and 4.9 are alike; whole numbers from 100.
    static QString numberOf(double bps) {
        constexpr double giga = 1e9;
        const double value = bps / giga;
        if (value >= 99.5) return QString::number(value, 'f', 0);
        const int magnitude = static_cast<int>(std::floor(std::log10(value) + 1e-9));
        const int decimals = std::max(0, 1 - magnitude);
        const QString text = QString::number(value, 'f', decimals);
        // 9.96 is 10, not 10.0.
        return decimals == 1 && text == QLatin1String("10.0") ? QStringLiteral("10") : text;
    }

    /// All of them or none.
    bool numbersFit() const {
        double widest = 0;
        for (int row = 0; options_.numbers && row < count_; ++row)
            for (int column = 0; column < row; ++column)
                if (const double bps = value(row, column); bps > 0)
                    widest = std::max(widest, textWidthMm(numberOf(bps), 1));
        return widest > 0 && widest * options_.numberPt + 0.4 < cell_;
    }

    void drawNumber(const QRectF& cell, double bps) {
        if (numbered_)
            figure_.add(FigureText{cell.center(), numberOf(bps), options_.numberPt, TextAnchor::middle,
                                   TextRise::middle, 0, readableOn(scale_.colour(bps))});
    }

    /// Lines where one server ends and the next begins.
    void drawServers() {
        const Stroke line{white, 0.35, {}}, frame{lineColour, 0.15, {}};
        for (int i = 1; i < count_; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (cluster_.devices[at].server == cluster_.devices[at - 1].server) continue;
            const double x = matrix_.left() + i * cell_, y = matrix_.top() + i * cell_;
            figure_.add(FigureLine{{x, matrix_.top()}, {x, matrix_.bottom()}, line, false, "server edge"});
            figure_.add(FigureLine{{matrix_.left(), y}, {matrix_.right(), y}, line, false, "server edge"});
        }
        figure_.add(FigureRectangle{matrix_, {}, frame, "frame"});
    }

    /// As many device names as fit without overlapping.
    void drawLabels(double roomMm) {
        const int step = std::max(1, static_cast<int>(std::ceil(1.05 * mmOfPoints(options_.fontPt) / cell_)));
        for (int i = 0; i < count_; i += step) {
            const double middle = (i + 0.5) * cell_;
            const QString name =
                cutToWidth(QString::fromStdString(cluster_.devices[static_cast<std::size_t>(i)].id), roomMm,
                           options_.fontPt);
            figure_.add(FigureText{{matrix_.left() - 0.6, matrix_.top() + middle},
                                   name,
                                   options_.fontPt,
                                   TextAnchor::end,
                                   TextRise::middle});
            figure_.add(FigureText{{matrix_.left() + middle, matrix_.top() - 0.6},
                                   name,
                                   options_.fontPt,
                                   TextAnchor::start,
                                   TextRise::middle,
                                   -90});
        }
    }

    double drawScale(double top) {
        constexpr int steps = 48;
        const double left = matrix_.left(), width = matrix_.width(), high = 0.8 * em_;
        const bool flat = !(scale_.mostBps() > scale_.leastBps());
        for (int i = 0; i < (flat ? 1 : steps); ++i) {
            const double part = width / (flat ? 1 : steps);
            figure_.add(FigureRectangle{
                QRectF(left + i * part, top, part + (i + 1 < steps && !flat ? overlapMm : 0), high),
                Fill{BandwidthScale::colourAt(flat ? 1 : (i + 0.5) / steps)},
                {},
                "scale"});
        }
        figure_.add(
            FigureRectangle{QRectF(left, top, width, high), {}, {lineColour, 0.15, {}}, "scale frame"});
        constexpr int mostTicks = 6;
        const std::vector<double> ticks = flat ? std::vector{scale_.mostBps()} : scale_.ticks(mostTicks);
        double labelledMm = 0;  // to there; what would be on top of another label is left out
        for (const double bps : ticks) {
            const double x = left + (flat ? 0.5 : scale_.position(bps)) * width;
            const QString text = QString::fromStdString(formatBandwidth(bps));
            const double half = textWidthMm(text, options_.fontPt) / 2;
            figure_.add(
                FigureLine{{x, top + high}, {x, top + high + 0.7}, {lineColour, 0.15, {}}, false, "axis"});
            const double middle =
                std::clamp(x, half + 0.2, std::max(half + 0.2, options_.widthMm - half - 0.2));
            if (middle - half < labelledMm) continue;
            labelledMm = middle + half + 0.2;
            figure_.add(FigureText{
                {middle, top + high + 1.1}, text, options_.fontPt, TextAnchor::middle, TextRise::top});
        }
        return top + high + 1.1 + 1.4 * em_;
    }

    const Cluster& cluster_;
    const BandwidthFigureOptions& options_;
    const Interconnect interconnect_;
    const BandwidthScale scale_;
    const double em_;
    const int count_;
    QRectF matrix_;
    double cell_ = 0;
    bool numbered_ = false;
    Figure figure_;
};

}  // namespace

Figure bandwidthFigure(const Cluster& cluster, const BandwidthFigureOptions& options) {
    if (cluster.deviceCount() < 2 || cluster.deviceCount() > mostDevices)
        throw std::invalid_argument("a bandwidth matrix needs 2 to 1024 devices");
    if (!(options.widthMm >= 30 && options.widthMm <= 5000) || !(options.fontPt >= 4 && options.fontPt <= 72))
        throw std::invalid_argument("figure width must be 30–5000 mm and font size 4–72 pt");
    return MatrixDrawing(cluster, options).draw();
}

}  // namespace stagecraft::views::interconnect
