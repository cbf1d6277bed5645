#include "views/figures/compare_figure.h"

#include "core/runs/standing.h"
#include "views/common/theme.h"
#include "views/figures/axis.h"
#include "views/figures/legend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace stagecraft::views::figures {

namespace {

constexpr double diamondMm = 1, errorEndMm = 0.6, errorCasingMm = 0.75;
constexpr double mostLabelShare = 0.4;  // of the width, for the names of the plans
const QColor greyText(0x80, 0x80, 0x80);
const Stroke axisStroke{QColor(0x40, 0x40, 0x40), 0.15, {}};

/// As the table lists them at first: what does not fit or is out of date comes last.
std::vector<const PlanRun*> sortedRuns(const std::vector<std::shared_ptr<const PlanRun>>& runs) {
    std::vector<const PlanRun*> order;
    for (const auto& run : runs) order.push_back(run.get());
    const auto key = [](const PlanRun* run) {
        return std::pair(standingOf(*run), run->ok() ? run->iterationTimeS() : INFINITY);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const PlanRun* a, const PlanRun* b) { return key(a) < key(b); });
    return order;
}

class CompareDrawing {
public:
    CompareDrawing(const std::vector<std::shared_ptr<const PlanRun>>& runs,
                   const CompareFigureOptions& options)
        : options_(options), order_(sortedRuns(runs)), em_(mmOfPoints(options.fontPt)) {
        if (!options.reference.empty()) reference_ = &plan(options.reference);
        for (const PublishedTime& each : options.published) published_[&plan(each.plan)] = &each;
    }

    Figure draw() {
        figure_ = Figure{options_.widthMm, 0, "Iteration time", {}};
        const double row = options_.barMm > 0 ? options_.barMm : 1.7 * em_;
        const double top = 0.3, bottom = top + row * static_cast<double>(order_.size());
        placeScale();
        drawAxis(top, bottom);
        if (reference_) {
            const double x = scale_.at(reference_->iterationTimeS());
            figure_.add(FigureLine{{x, top}, {x, bottom}, referenceStroke(), false, "reference"});
        }
        for (std::size_t i = 0; i < order_.size(); ++i)
            drawPlan(*order_[i], QRectF(scale_.startMm, top + row * static_cast<double>(i), 0, row));
        figure_.add(FigureLine{{scale_.startMm, top}, {scale_.startMm, bottom}, axisStroke, false, "axis"});
        addPublishedEntry();
        double end = bottom + 1.1 + 2.6 * em_;
        if (options_.legend) end += addLegend(figure_, entries_, 0.4, options_.widthMm, end, options_.fontPt);
        figure_.heightMm = std::ceil(end * 10) / 10;
        return std::move(figure_);
    }

private:
    static Stroke publishedStroke() { return {QColor(0, 0, 0), 0.25, {}}; }
    static Stroke referenceStroke() { return {axisStroke.colour, 0.2, {0.8, 0.6}}; }

    const PlanRun& plan(const std::string& title) const {
        for (const PlanRun* run : order_)
            if (run->ok() && run->title() == title) return *run;
        throw std::invalid_argument("no plan with a time is called '" + title + "'");
    }

    /// "531 ms", "531 ms, 1.27×".
    QString timeText(const PlanRun& run) const {
        // In the axis' unit, to three digits.
        const auto [unit, name] = readUnit(scale_.to, "s");
        const double value = run.iterationTimeS() / unit;
        const int decimals = value > 0 ? std::max(0, 2 - static_cast<int>(std::floor(std::log10(value)))) : 0;
        const QString time = QString::number(value, 'f', decimals) + ' ' + name;
        if (!reference_ || &run == reference_) return time;
        return QStringLiteral("%1, %2%3")
            .arg(time)
            .arg(run.iterationTimeS() / reference_->iterationTimeS(), 0, 'f', 2)
            .arg(QChar(0x00D7));
    }

    double widthOf(const QString& text) const { return textWidthMm(text, options_.fontPt); }

    /// Leaves room for the names on the left and for the longest text right of the longest bar.
    void placeScale() {
        double labelMm = 0, slowest = 0, valueMm = 0;
        for (const PlanRun* run : order_) {
            labelMm = std::max(labelMm, widthOf(QString::fromStdString(run->title())));
            if (!run->ok()) continue;
            slowest = std::max(slowest, run->iterationTimeS());
            if (const PublishedTime* own = publishedOf(*run)) slowest = std::max(slowest, own->mostS);
        }
        scale_.to = std::max(slowest, 1e-12);
        for (const PlanRun* run : order_)
            if (run->ok()) valueMm = std::max(valueMm, widthOf(timeText(*run)));
        const double startMm = std::min(labelMm, options_.widthMm * mostLabelShare) + 1.6;
        scale_ = {0, scale_.to, startMm, std::max(startMm + em_, options_.widthMm - valueMm - 1.2)};
    }

    void drawAxis(double top, double bottom) {
        const int about = std::max(2, static_cast<int>((scale_.endMm - scale_.startMm) / (3.5 * em_)));
        const AxisTicks ticks = timeTicks(scale_.from, scale_.to, about);
        const Stroke grid{QColor(0xDD, 0xDD, 0xDD), 0.1, {}};
        for (const double value : ticks.values) {
            const double x = scale_.at(value);
            if (value > 0) figure_.add(FigureLine{{x, top}, {x, bottom}, grid, false, "grid"});
            figure_.add(FigureLine{{x, bottom}, {x, bottom + 0.7}, axisStroke, false, "axis"});
            addText({x, bottom + 1.1}, ticks.label(value), TextAnchor::middle, TextRise::top);
        }
        figure_.add(FigureLine{{scale_.startMm, bottom}, {scale_.endMm, bottom}, axisStroke, false, "axis"});
        const QString title = QStringLiteral("iteration time (%1)").arg(ticks.unitName);
        const double half = widthOf(title) / 2 + 0.2;
        const double middle =
            std::clamp((scale_.startMm + scale_.endMm) / 2, half, std::max(half, options_.widthMm - half));
        addText({middle, bottom + 1.1 + 1.3 * em_}, title, TextAnchor::middle, TextRise::top);
    }

    void addText(QPointF at, const QString& text, TextAnchor anchor, TextRise rise,
                 const QColor& colour = QColor(0, 0, 0)) {
        figure_.add(FigureText{at, text, options_.fontPt, anchor, rise, 0, colour});
    }

    void drawPlan(const PlanRun& run, const QRectF& row) {
        const double middle = row.center().y();
        addText({scale_.startMm - 1, middle},
                cutToWidth(QString::fromStdString(run.title()), scale_.startMm - 1.4, options_.fontPt),
                TextAnchor::end, TextRise::middle);
        if (!run.ok())
            return addText({scale_.startMm + 0.8, middle}, standingName(standingOf(run)), TextAnchor::start,
                           TextRise::middle, greyText);
        const double end = scale_.at(run.iterationTimeS());
        figure_.add(FigureRectangle{
            QRectF(scale_.startMm, row.top() + 0.15 * row.height(), end - scale_.startMm, 0.7 * row.height()),
            fillOf(run),
            {},
            roleOf(run)});
        const QString time = timeText(run);
        double textMm = end;
        if (const PublishedTime* own = publishedOf(run)) {
            const double at = scale_.at(own->timeS), least = scale_.at(own->leastS),
                         most = scale_.at(own->mostS);
            drawPublished(figure_, {at, middle}, least, most);
            // Beside the bar, whose time it is, where it has room before the mark.
            const double before = std::min(least, at - diamondMm);
            if (before < end + widthOf(time) + 1.4) textMm = std::max({end, at + diamondMm, most});
        }
        if (reference_)  // whose line does not run through the text
            figure_.add(FigureRectangle{QRectF(textMm + 0.5, middle - 0.5 * em_, widthOf(time) + 0.6, em_),
                                        Fill{Qt::white},
                                        {},
                                        "label"});
        addText({textMm + 0.8, middle}, time, TextAnchor::start, TextRise::middle);
    }

    const PublishedTime* publishedOf(const PlanRun& run) const {
        const auto found = published_.find(&run);
        return found == published_.end() ? nullptr : found->second;
    }

    /// A diamond, open as what is not ours, and its error bar.
    static void drawPublished(Figure& figure, const QPointF& at, double leastMm, double mostMm) {
        const std::string role = "published";
        if (mostMm > leastMm) {
            const Stroke casing{Qt::white, errorCasingMm, {}};  // so that it is seen on a dark bar
            figure.add(FigureLine{{leastMm, at.y()}, {mostMm, at.y()}, casing, false, role + " casing"});
            figure.add(FigureLine{{leastMm, at.y()}, {mostMm, at.y()}, publishedStroke(), false, role});
            for (const double x : {leastMm, mostMm})
                figure.add(FigureLine{
                    {x, at.y() - errorEndMm}, {x, at.y() + errorEndMm}, publishedStroke(), false, role});
        }
        figure.add(FigurePolygon{{at + QPointF(0, -diamondMm), at + QPointF(diamondMm, 0),
                                  at + QPointF(0, diamondMm), at + QPointF(-diamondMm, 0)},
                                 true,
                                 Fill{Qt::white},
                                 publishedStroke(),
                                 role});
    }

    void addPublishedEntry() {
        if (published_.empty()) return;
        const bool ranges = std::any_of(published_.begin(), published_.end(),
                                        [](const auto& each) { return each.second->hasRange(); });
        LegendEntry entry{ranges ? "published, with its range" : "published", {}, {}, false, "published", {}};
        entry.sign = [ranges](Figure& figure, const QRectF& box) {
            drawPublished(figure, box.center(), box.left(), ranges ? box.right() : box.left());
        };
        entries_.push_back(std::move(entry));
    }

    bool isFastest(const PlanRun& run) const {
        return &run == order_.front() && standingOf(run) == Standing::fits;
    }
    std::string roleOf(const PlanRun& run) const {
        if (isFastest(run)) return "fastest";
        const Standing standing = standingOf(run);
        return standing == Standing::fits ? "plan" : standingName(standing);
    }

    /// A plan whose time cannot be had as things are is hatched, and the legend says why.
    Fill fillOf(const PlanRun& run) {
        const Standing standing = standingOf(run);
        if (standing == Standing::fits)
            return Fill{blockColour(isFastest(run) ? BlockKind::backward : BlockKind::forward)};
        const Fill fill{QColor(0xFF, 0xFF, 0xFF),
                        standing == Standing::doesNotFit ? Hatch::rising : Hatch::falling,
                        blockColour(BlockKind::forward).darker(130)};
        const QString text = standingName(standing);
        if (std::none_of(entries_.begin(), entries_.end(),
                         [&](const LegendEntry& entry) { return entry.text == text; }))
            entries_.push_back({text, fill, {}, false, roleOf(run)});
        return fill;
    }

    const CompareFigureOptions& options_;
    const std::vector<const PlanRun*> order_;
    const double em_;
    const PlanRun* reference_ = nullptr;
    std::map<const PlanRun*, const PublishedTime*> published_;
    FigureScale scale_;
    std::vector<LegendEntry> entries_;
    Figure figure_;
};

}  // namespace

Figure compareFigure(const std::vector<std::shared_ptr<const PlanRun>>& runs,
                     const CompareFigureOptions& options) {
    if (runs.empty()) throw std::invalid_argument("no plans to compare");
    return CompareDrawing(runs, options).draw();
}

}  // namespace stagecraft::views::figures
