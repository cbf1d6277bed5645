#include "views/vpipe/utilisation_figure.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/figures/axis.h"
#include "views/figures/figure_fills.h"
#include "views/figures/legend.h"

#include <cmath>

namespace stagecraft::views::vpipe {

namespace {

constexpr double mostBarRowEm = 12, leastBarRowEm = 6;
constexpr double throughputShare = 0.34;  // of the width right of the titles

QString percent(double share) { return qtText(formatPercent(share)); }

class UtilisationPainter {
public:
    UtilisationPainter(const std::vector<UtilisationRow>& rows, const DrawingLook& look)
        : rows_(rows), look_(look), em_(look.em()) {}

    HoverDrawing draw() {
        figure().widthMm = look_.widthMm;
        figure().title = QStringLiteral("Utilisation of the GPUs");
        place();
        for (std::size_t i = 0; i < rows_.size(); ++i) drawRow(i);
        const double bottom = drawing_.frameMm.bottom();
        write({barsLeft_ + barsMm_ / 2, bottom + 1.9 * em_}, QStringLiteral("GPU"), TextAnchor::middle,
              look_.muted);
        drawThroughputAxis(bottom);
        const std::size_t first = figure().items.size();
        const double top = bottom + 3 * em_;
        const double height =
            look_.legend ? addLegend(figure(), legend(), 0, look_.widthMm, top, look_.fontPt) : 0;
        inkText(figure(), first, look_);
        figure().heightMm = std::ceil((top + height) * 10) / 10;
        return std::move(drawing_);
    }

private:
    Figure& figure() { return drawing_.figure; }

    void write(const QPointF& at, const QString& what, TextAnchor anchor, const QColor& colour) {
        figure().add(FigureText{at, what, look_.fontPt, anchor, TextRise::middle, 0, colour, false});
    }

    void place() {
        double titles = 0;
        for (const UtilisationRow& row : rows_)
            titles = std::max(titles, textWidthMm(row.title, look_.fontPt));
        titles = std::min(titles, 0.29 * look_.widthMm);
        titlesMm_ = titles;
        const double axisMm = textWidthMm(QStringLiteral("100 %"), look_.fontPt) + 0.6 * em_;
        const double whole = look_.widthMm - titles - em_;
        throughputMm_ = throughputShare * whole;
        throughputLeft_ = look_.widthMm - throughputMm_;
        barsLeft_ = titles + em_ + axisMm;
        barsMm_ = throughputLeft_ - 2 * em_ - barsLeft_;
        const double count = std::max<double>(1, static_cast<double>(rows_.size()));
        const double room = look_.heightMm > 0 ? (look_.heightMm - 6 * em_) / count : 0;
        rowMm_ = std::clamp(room, leastBarRowEm * em_, mostBarRowEm * em_);
        drawing_.frameMm = QRectF(barsLeft_, 0.4 * em_, look_.widthMm - barsLeft_, count * rowMm_);
        for (const UtilisationRow& row : rows_) most_ = std::max({most_, row.throughput, row.ideal});
        perSample_ =
            (throughputMm_ - textWidthMm(QStringLiteral(" 00000 "), look_.fontPt)) / (most_ > 0 ? most_ : 1);
    }

    /// In two lines where one is too long.
    void writeTitle(const QString& title, double y) {
        QStringList lines{title};
        for (const QString& joint : {QStringLiteral(" + "), QStringLiteral(", ")})
            if (const qsizetype at = title.indexOf(joint);
                lines.size() == 1 && at > 0 && textWidthMm(title, look_.fontPt) > titlesMm_)
                lines = {title.left(at), title.mid(at + (joint == QStringLiteral(", ") ? 2 : 1))};
        for (qsizetype i = 0; i < lines.size(); ++i)
            figure().add(FigureText{{0, y + (double(i) - 0.5 * double(lines.size() - 1)) * 1.2 * em_},
                                    cutToWidth(lines[i], titlesMm_, look_.fontPt),
                                    look_.fontPt,
                                    TextAnchor::start,
                                    TextRise::middle,
                                    0,
                                    look_.ink,
                                    false});
    }

    void drawRow(std::size_t index) {
        const UtilisationRow& row = rows_[index];
        const double top = drawing_.frameMm.top() + static_cast<double>(index) * rowMm_;
        const QRectF bars(barsLeft_, top + 0.14 * rowMm_, barsMm_, 0.68 * rowMm_);
        writeTitle(row.title, bars.center().y());
        if (!row.obstacle.isEmpty()) {
            write({bars.left(), bars.center().y()},
                  cutToWidth(row.obstacle, look_.widthMm - bars.left(), look_.fontPt), TextAnchor::start,
                  look_.muted);
            drawing_.spots.push_back({QRectF(0, top, look_.widthMm, rowMm_), row.obstacle.toHtmlEscaped()});
            return;
        }
        for (const double share : {0.0, 0.5, 1.0}) {
            const double y = bars.bottom() - share * bars.height();
            figure().add(
                FigureLine{{bars.left(), y}, {bars.right(), y}, {look_.grid, 0.12, {}}, false, "grid"});
            write({bars.left() - 0.4 * em_, y}, QStringLiteral("%1 %").arg(100 * share), TextAnchor::end,
                  look_.muted);
        }
        drawBars(row, bars, index + 1 == rows_.size());
        drawThroughput(row, bars);
    }

    void drawBars(const UtilisationRow& row, const QRectF& area, bool numbers) {
        const double slot = area.width() / static_cast<double>(std::max<std::size_t>(1, row.devices.size()));
        const double widest = textWidthMm(QString::number(row.devices.size()), look_.fontPt);
        const int every = std::max(1, static_cast<int>(std::ceil(1.3 * widest / slot)));
        for (std::size_t i = 0; i < row.devices.size(); ++i) {
            const DeviceUtilisation& device = row.devices[i];
            const double x = area.left() + static_cast<double>(i) * slot;
            const double useful = device.useful * area.height(), wasted = device.repeated() * area.height(),
                         busy = device.busyInAll() * area.height();
            const QRectF bar(x + 0.18 * slot, area.bottom() - useful, 0.64 * slot, useful);
            if (busy > 1.001 * (useful + wasted))
                figure().add(FigureRectangle{
                    {bar.left(), area.bottom() - busy, bar.width(), busy}, {}, busyStroke(), "busy"});
            figure().add(FigureRectangle{bar, blockFill(BlockKind::forward), look_.outline(), "useful"});
            if (wasted > 0)
                figure().add(FigureRectangle{{bar.left(), bar.top() - wasted, bar.width(), wasted},
                                             {look_.surface, Hatch::vertical, blockColour()},
                                             look_.outline(),
                                             "recompute"});
            if (numbers && i % static_cast<std::size_t>(every) == 0)
                write({x + slot / 2, area.bottom() + 0.8 * em_}, QString::number(i), TextAnchor::middle,
                      look_.muted);
            QString rows = spotRow(QStringLiteral("Useful work"), percent(device.useful));
            rows += spotRow(QStringLiteral("Repeated work"), percent(device.repeated()));
            rows += spotRow(QStringLiteral("Busy"), percent(device.busyInAll()));
            rows += spotRow(QStringLiteral("Recomputing"), percent(device.recompute));
            rows += spotRow(QStringLiteral("Waiting for swaps"), percent(device.swapStall));
            rows += spotRow(QStringLiteral("Link to the host"), percent(device.hostLink));
            drawing_.spots.push_back({QRectF(x, area.top(), slot, area.height()),
                                      spotTable(row.title + QStringLiteral(", ") + row.names[i], rows)});
        }
    }

    static QColor blockColour() { return blockFill(BlockKind::recompute).colour; }

    void drawThroughput(const UtilisationRow& row, const QRectF& bars) {
        const QRectF bar(throughputLeft_, bars.center().y() - 0.17 * rowMm_, row.throughput * perSample_,
                         0.34 * rowMm_);
        figure().add(FigureRectangle{bar, blockFill(BlockKind::backward), look_.outline(), "throughput"});
        const double idealX = throughputLeft_ + row.ideal * perSample_;
        figure().add(
            FigureLine{{idealX, bars.top()}, {idealX, bars.bottom()}, idealStroke(), false, "ideal"});
        const QString number = qtText(formatNumber(row.throughput));
        const double numberMm = textWidthMm(number, look_.fontPt) + 0.8 * em_;
        // Beside the bar, unless the line of the ideal is there.
        const bool inside = bar.right() + numberMm > idealX && bar.right() <= idealX;
        write({(inside ? idealX : bar.right()) + 0.4 * em_, bar.center().y()}, number, TextAnchor::start,
              look_.ink);
        QString rows = spotRow(QStringLiteral("Throughput"), number + QStringLiteral(" samples/s"));
        rows +=
            spotRow(QStringLiteral("Ideal"), qtText(formatNumber(row.ideal)) + QStringLiteral(" samples/s"));
        if (row.ideal > 0)
            rows += spotRow(QStringLiteral("of the ideal"), percent(row.throughput / row.ideal));
        drawing_.spots.push_back(
            {QRectF(throughputLeft_, bars.top(), throughputMm_, bars.height()), spotTable(row.title, rows)});
    }

    void drawThroughputAxis(double bottom) {
        const AxisTicks ticks = numberTicks(0, most_ > 0 ? most_ : 1, 4);
        for (const double value : ticks.values)
            write({throughputLeft_ + value * perSample_, bottom + 0.1 * em_}, ticks.label(value),
                  TextAnchor::middle, look_.muted);
        write({throughputLeft_ + throughputMm_ / 2, bottom + 1.9 * em_}, QStringLiteral("samples/s"),
              TextAnchor::middle, look_.muted);
    }

    Stroke busyStroke() const { return {look_.muted, 0.2, {0.6, 0.5}}; }
    Stroke idealStroke() const { return {look_.ink, 0.4, {1.2, 0.8}}; }

    std::vector<LegendEntry> legend() const {
        return {{QStringLiteral("useful work, at the speed of the large microbatch"),
                 blockFill(BlockKind::forward),
                 look_.outline(),
                 false,
                 "useful",
                 {}},
                {QStringLiteral("wasted on recompute"),
                 {look_.surface, Hatch::vertical, blockColour()},
                 look_.outline(),
                 false,
                 "recompute",
                 {}},
                {QStringLiteral("busy: as long as it really takes"), {}, busyStroke(), false, "busy", {}},
                {QStringLiteral("throughput"),
                 blockFill(BlockKind::backward),
                 look_.outline(),
                 false,
                 "throughput",
                 {}},
                {QStringLiteral("ideal: no memory limit, always balanced"),
                 {},
                 idealStroke(),
                 true,
                 "ideal",
                 {}}};
    }

    const std::vector<UtilisationRow>& rows_;
    const DrawingLook& look_;
    HoverDrawing drawing_;
    double em_;
    double titlesMm_ = 0, barsLeft_ = 0, barsMm_ = 0, throughputLeft_ = 0, throughputMm_ = 0, rowMm_ = 0;
    double most_ = 0, perSample_ = 0;
};

std::string quoted(const QString& field) {
    QString copy = field;
    return '"' + copy.replace('"', QStringLiteral("\"\"")).toStdString() + '"';
}

std::string exact(double value) { return QString::number(value, 'g', 9).toStdString(); }

}  // namespace

UtilisationRow utilisationRow(const PlanRun& run, const CostModel* reference) {
    UtilisationRow row;
    row.title = qtText(run.title());
    if (!run.ok()) {
        row.obstacle = qtText(run.result.reason);
        return row;
    }
    const Metrics& metrics = run.evaluation->metrics;
    row.devices = utilisation(*run.costs, run.result.plan, metrics, run.evaluation->timeline, reference);
    for (const DeviceUtilisation& device : row.devices)
        row.names.push_back(
            qtText(run.costs->problem().cluster.devices[static_cast<std::size_t>(device.device)].id));
    row.throughput = metrics.throughputSamplesPerS;
    row.ideal = idealThroughputSamplesPerS(*run.costs, run.result.plan.stageCount());
    return row;
}

HoverDrawing drawUtilisation(const std::vector<UtilisationRow>& rows, const DrawingLook& look) {
    return UtilisationPainter(rows, look).draw();
}

std::string utilisationCsv(const std::vector<UtilisationRow>& rows) {
    std::string csv =
        "plan,device,useful,repeated,busy,recompute,swap_stall,host_link,throughput_samples_per_s,ideal_"
        "samples_"
        "per_s\r\n";
    for (const UtilisationRow& row : rows)
        for (std::size_t i = 0; i < row.devices.size(); ++i) {
            const DeviceUtilisation& device = row.devices[i];
            csv += quoted(row.title) + "," + quoted(row.names[i]);
            for (const double value : {device.useful, device.repeated(), device.busyInAll(), device.recompute,
                                       device.swapStall, device.hostLink, row.throughput, row.ideal})
                csv += "," + exact(value);
            csv += "\r\n";
        }
    return csv;
}

}  // namespace stagecraft::views::vpipe
