#include "views/pareto/frontier_chart.h"

#include "views/common/theme.h"
#include "views/plot/plot_style.h"

#include <QLineF>
#include <QMouseEvent>
#include <QTextDocumentFragment>
#include <QToolTip>

#include <algorithm>
#include <numeric>

namespace stagecraft::views::pareto {

namespace {

constexpr double pickWithin = 20, selectedRadius = 8, signRadius = 4;
constexpr double airShare = 0.06;  // of what is shown, around it
const QList<qreal> provenDashes = {4, 3};

PlotScale aired(double least, double most) {
    const double air = airShare * std::max(most - least, airShare * most);
    return {std::max(0.0, least - air), most + air, false};
}

}  // namespace

FrontierChart::FrontierChart(QWidget* parent) : AxesChart(QStringLiteral("Frontier of the search"), parent) {}

void FrontierChart::setScene(FrontierScene scene) {
    const bool isOther = scene.acrossTitle != scene_.acrossTitle || scene.marks.size() != scene_.marks.size();
    scene_ = std::move(scene);
    if (selected_ >= static_cast<int>(scene_.marks.size())) selected_ = -1;
    pointed_ = -1;
    rebuild();
    if (isOther) fit();
}

void FrontierChart::select(int mark) {
    selected_ = mark;
    updateMarks();
}

QPointF FrontierChart::pointOf(int mark) const {
    const FrontierMark& own = scene_.marks[static_cast<std::size_t>(mark)];
    return pixelsOf(own.across, own.seconds);
}

void FrontierChart::build() {
    if (scene_.marks.empty()) return setPanels({});
    double least = INFINITY, most = 0, low = INFINITY, high = 0;
    for (const FrontierMark& mark : scene_.marks) {
        least = std::min(least, mark.across);
        most = std::max(most, mark.across);
        low = std::min(low, mark.seconds);
        high = std::max(high, mark.seconds);
    }
    for (const auto& [upTo, seconds] : scene_.proven)
        if (upTo >= least) low = std::min(low, seconds);
    const PlotScale across = aired(least, most), upright = aired(low, high);
    setPanels({{{},
                scene_.isCounted ? ChartAxis::ofCounts(across, scene_.acrossTitle)
                                 : ChartAxis::ofNumbers(across, scene_.unit, scene_.acrossTitle),
                ChartAxis::ofNumbers(upright, "s", tr("time of an iteration"))}});
    plotProven(across);
    plotPlans(across);
}

void FrontierChart::plotProven(const PlotScale& across) {
    std::vector<QPointF> line;
    double from = across.from();
    for (const auto& [upTo, seconds] : scene_.proven) {
        const double to = std::min(upTo, across.to());
        if (to < from) continue;
        line.emplace_back(from, seconds);
        line.emplace_back(to, seconds);
        from = to;
    }
    if (line.empty()) return;
    QPen pen(Theme::current().mutedText, 1);
    pen.setDashPattern(provenDashes);
    addToKey(*addGraph(axesOf(), line, pen), tr("proven: none is faster"));
}

void FrontierChart::plotPlans(const PlotScale& across) {
    const Theme& theme = Theme::current();
    std::vector<QPointF> stairs, beaten;
    for (const FrontierMark& mark : scene_.marks)
        (mark.isUnbeaten ? stairs : beaten).emplace_back(mark.across, mark.seconds);
    std::ranges::sort(stairs, {}, &QPointF::x);
    const QPen none(Qt::NoPen);
    if (!beaten.empty()) {
        QColor faint = theme.mutedText;
        QCPGraph* signs = addGraph(axesOf(), beaten, none);
        signs->setScatterStyle(
            signStyle(1, signRadius, mixedColour(faint, theme.surface, 0.5), theme.surface));
        addToKey(*signs, tr("beaten by another"));
    }
    // With more than the last takes the fastest goes on.
    std::vector<QPointF> steps = stairs;
    steps.emplace_back(across.to(), stairs.back().y());
    QCPGraph* line = addGraph(axesOf(), steps, QPen(theme.accent, 1.5));
    line->setLineStyle(QCPGraph::lsStepLeft);
    QCPGraph* signs = addGraph(axesOf(), stairs, none);
    signs->setScatterStyle(signStyle(0, signRadius, theme.accent, theme.surface));
    addToKey(*signs, tr("best for what it takes"));
}

void FrontierChart::paintMarks(QPainter& painter) const {
    painter.setBrush(Qt::NoBrush);
    const auto ring = [&](int mark, const QColor& colour) {
        if (mark < 0) return;
        painter.setPen(QPen(colour, 2));
        painter.drawEllipse(pointOf(mark), selectedRadius, selectedRadius);
    };
    ring(pointed_, Theme::current().mutedText);
    ring(selected_, Theme::current().text);
}

int FrontierChart::nearest(const QPointF& position) const {
    int best = -1;
    double distance = pickWithin;
    for (int mark = 0; mark < static_cast<int>(scene_.marks.size()); ++mark)
        if (const double away = QLineF(position, pointOf(mark)).length(); away < distance) {
            distance = away;
            best = mark;
        }
    return best;
}

void FrontierChart::describe(int mark) {
    const QString words = scene_.marks[static_cast<std::size_t>(mark)].words;
    setAccessibleDescription(QTextDocumentFragment::fromHtml(words).toPlainText());
    QToolTip::showText(mapToGlobal(pointOf(mark).toPoint() + QPoint(12, 12)), words, this);
}

void FrontierChart::pointTo(const std::optional<QPointF>& position) {
    const int mark = position ? nearest(*position) : -1;
    if (mark == pointed_) return;
    pointed_ = mark;
    updateMarks();
    setCursor(mark >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (mark >= 0)
        describe(mark);
    else
        QToolTip::hideText();
}

bool FrontierChart::hit(const QPointF& position) {
    const int mark = nearest(position);
    if (mark < 0) return false;
    select(mark);
    emit selectedByPerson(mark);
    return true;
}

bool FrontierChart::step(QPoint by) {
    if (scene_.marks.empty()) return true;
    std::vector<int> order(scene_.marks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [this](int mark) {
        const FrontierMark& own = scene_.marks[static_cast<std::size_t>(mark)];
        return std::pair(own.across, own.seconds);
    });
    const auto place = std::ranges::find(order, selected_);
    // Down is to what is slower, up to what is faster: to the left and to the right.
    const auto at = place == order.end()
                        ? std::ptrdiff_t{0}
                        : std::clamp<std::ptrdiff_t>(place - order.begin() + by.x() - by.y(), 0,
                                                     static_cast<std::ptrdiff_t>(order.size()) - 1);
    select(order[static_cast<std::size_t>(at)]);
    emit selectedByPerson(selected_);
    describe(selected_);
    return true;
}

bool FrontierChart::pick(Qt::KeyboardModifiers) {
    if (selected_ >= 0) emit activated(selected_);
    return true;
}

void FrontierChart::mouseDoubleClickEvent(QMouseEvent* event) {
    const int mark = event->button() == Qt::LeftButton ? nearest(event->position()) : -1;
    if (mark < 0) return AxesChart::mouseDoubleClickEvent(event);
    emit activated(mark);
}

}  // namespace stagecraft::views::pareto
