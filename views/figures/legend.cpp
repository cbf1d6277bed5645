#include "views/figures/legend.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views {

namespace {

constexpr double chipEms = 1.4, chipGapEms = 0.4;

}  // namespace

double legendTextRoomMm(double leftMm, double rightMm, double fontPt) {
    return rightMm - leftMm - (chipEms + chipGapEms) * mmOfPoints(fontPt);
}

double addLegend(Figure& figure, const std::vector<LegendEntry>& entries, double leftMm, double rightMm,
                 double topMm, double fontPt) {
    if (entries.empty()) return 0;
    const double em = mmOfPoints(fontPt);
    const double box = chipEms * em, gap = chipGapEms * em, row = 1.35 * em;
    double widest = 0;
    for (const LegendEntry& entry : entries) widest = std::max(widest, textWidthMm(entry.text, fontPt));
    const double column = box + gap + widest + 1.1 * em;
    const int columns = std::clamp(static_cast<int>((rightMm - leftMm + 1.1 * em) / column), 1,
                                   static_cast<int>(entries.size()));
    for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
        const LegendEntry& entry = entries[static_cast<std::size_t>(i)];
        const double x = leftMm + (i % columns) * column;
        const double middle = topMm + (i / columns + 0.5) * row;
        const QRectF chip(x, middle - 0.4 * em, box, 0.8 * em);
        if (entry.sign)
            entry.sign(figure, chip);
        else if (entry.line)
            figure.add(
                FigureLine{QPointF(x, middle), QPointF(x + box, middle), entry.stroke, false, entry.role});
        else
            figure.add(FigureRectangle{chip, entry.fill, entry.stroke, entry.role});
        figure.add(FigureText{QPointF(x + box + gap, middle), entry.text, fontPt, TextAnchor::start,
                              TextRise::middle});
    }
    return std::ceil(double(entries.size()) / columns) * row;
}

}  // namespace stagecraft::views
