#include "views/figures/time_drawing.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::views::figures {

void addMissing(std::vector<LegendEntry>& entries, const std::vector<LegendEntry>& more) {
    for (const LegendEntry& each : more)
        if (std::none_of(entries.begin(), entries.end(), [&](const LegendEntry& known) {
                return known.text == each.text && known.role == each.role;
            }))
            entries.push_back(each);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const LegendEntry& a, const LegendEntry& b) { return a.place < b.place; });
}

Figure finished(TimeDrawing drawing, bool legend, double fontPt) {
    Figure& figure = drawing.figure;
    double y = figure.heightMm;
    if (legend)
        for (const std::vector<LegendEntry>& entries : drawing.legends)
            y += addLegend(figure, entries, 0.4, figure.widthMm, y, fontPt);
    figure.heightMm = std::ceil(y * 10) / 10;
    return std::move(figure);
}

}  // namespace stagecraft::views::figures
