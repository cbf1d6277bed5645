#include "views/plot/axes_chart.h"

#include "views/common/theme.h"
#include "views/plot/own_ticks.h"
#include "views/plot/quiet_plot.h"

#include <QLineF>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::views::plot {

namespace {

constexpr int narrowestPanel = 210;
constexpr int edge = 12;            // between the widget's edge and what is drawn
constexpr double closest = 1e-3;    // of all that there is
constexpr double gridShare = 0.6;   // of the theme's lines, so that data stands out
constexpr int belowKey = 3;         // the library cuts the last row of what is in its key
constexpr double nearlyAll = 1e-9;  // rounding

bool isAll(const PlotScale& shown, const PlotScale& whole) {
    const double slack = nearlyAll * (whole.mm.to - whole.mm.from);
    return shown.mm.from <= whole.mm.from + slack && shown.mm.to >= whole.mm.to - slack;
}

/// Inside the whole, and no smaller than can be told apart.
void clampTo(PlotScale& shown, const PlotScale& whole) {
    const double all = whole.mm.to - whole.mm.from;
    const double size = std::clamp(shown.mm.to - shown.mm.from, closest * all, all);
    shown.mm.from = std::clamp(shown.mm.from, whole.mm.from, whole.mm.to - size);
    shown.mm.to = shown.mm.from + size;
}

/// What is at that share of the axis stays there.
void zoom(PlotScale& shown, const PlotScale& whole, double share, double factor) {
    const double size = shown.mm.to - shown.mm.from, fixed = shown.mm.from + share * size;
    const double all = whole.mm.to - whole.mm.from, after = std::clamp(size / factor, closest * all, all);
    shown.mm.from = fixed - share * after;
    shown.mm.to = shown.mm.from + after;
    clampTo(shown, whole);
}

void shift(PlotScale& shown, const PlotScale& whole, double share) {
    const double by = share * (shown.mm.to - shown.mm.from);
    shown.mm.from += by;
    shown.mm.to += by;
    clampTo(shown, whole);
}

/// While axes are zoomed they do not jump from side to side with the width of their labels.
void setLeastLeft(QCPAxisRect& axes, int pixels) {
    QMargins margins = axes.minimumMargins();
    margins.setLeft(pixels);
    axes.setMinimumMargins(margins);
}

/// As many as fit side by side; a column is as wide as the widest in it.
int keyColumns(const QCPLegend& key, int room) {
    std::vector<int> items;
    for (int i = 0; i < key.itemCount(); ++i)  // a place of its grid may be empty
        if (const QCPAbstractLegendItem* item = key.item(i))
            items.push_back(item->minimumOuterSizeHint().width());
    for (std::size_t columns = items.size(); columns > 1; --columns) {
        std::vector<int> widths(columns);
        for (std::size_t i = 0; i < items.size(); ++i)
            widths[i % columns] = std::max(widths[i % columns], items[i]);
        const int gaps = static_cast<int>(columns - 1) * key.columnSpacing();
        if (std::accumulate(widths.begin(), widths.end(), gaps) <= room) return static_cast<int>(columns);
    }
    return 1;
}

}  // namespace

ChartAxis ChartAxis::ofNumbers(const PlotScale& whole, const std::string& unit, const QString& title) {
    return {whole, [unit, title](const PlotScale& shown, int about) {
                return numberAxis(shown, unit, title, about);
            }};
}

ChartAxis ChartAxis::ofCounts(const PlotScale& whole, const QString& title) {
    return {whole, [title](const PlotScale& shown, int about) {
                PlotAxis axis{shown, {}, title, false};
                for (const double count : numberTicks(shown.from(), shown.to(), about).values)
                    if (count == std::round(count)) axis.ticks.push_back({count, QString::number(count)});
                return axis;
            }};
}

/// As they were last chosen for the size that the axis has.
class AxesChart::Ticker : public OwnTicks {
public:
    PlotAxis axis;

protected:
    std::vector<PlotTick> ticks() const override { return axis.ticks; }
};

class AxesChart::Overlay : public QWidget {
public:
    explicit Overlay(AxesChart* chart) : QWidget(chart), chart_(chart) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        chart_->paintOver(painter);
    }

private:
    AxesChart* chart_;
};

struct AxesChart::Parts {
    explicit Parts(AxesChart* chart) : plot(chart), overlay(new Overlay(chart)) {}

    QuietPlot plot;
    Overlay* overlay;
    QCPLayoutGrid* grid = nullptr;    ///< of the panels
    QCPLayoutGrid* keyRow = nullptr;  ///< the key, and room to its right
    QCPMarginGroup* margins = nullptr;
    bool settled = false;
};

AxesChart::AxesChart(const QString& name, QWidget* parent)
    : Canvas(name, CanvasMotion::along, parent), parts_(std::make_unique<Parts>(this)) {
    QuietPlot& drawn = parts_->plot;
    drawn.setAutoAddPlottableToLegend(false);
    parts_->margins = new QCPMarginGroup(&drawn);
    parts_->grid = new QCPLayoutGrid;
    parts_->keyRow = new QCPLayoutGrid;
    parts_->keyRow->addElement(0, 0, drawn.legend);
    parts_->keyRow->addElement(0, 1, new QCPLayoutElement(&drawn));
    parts_->keyRow->setColumnStretchFactor(0, closest);
    drawn.plotLayout()->clear();
    drawn.plotLayout()->addElement(0, 0, parts_->grid);
    drawn.plotLayout()->addElement(1, 0, parts_->keyRow);
    drawn.plotLayout()->setRowStretchFactor(1, closest);
    drawn.plotLayout()->setRowSpacing(0);
    drawn.legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, false);
    drawn.legend->setBorderPen(Qt::NoPen);
    drawn.legend->setBrush(Qt::NoBrush);
    drawn.legend->setMargins({});
    drawn.legend->setRowSpacing(0);
    drawn.legend->setColumnSpacing(2 * edge);
    connect(&drawn, &QCustomPlot::beforeReplot, this, &AxesChart::settle);
}

AxesChart::~AxesChart() = default;

QCustomPlot& AxesChart::plot() const { return parts_->plot; }
QCPAxisRect& AxesChart::axesOf(std::size_t panel) const { return *panels_[panel].axes; }

void AxesChart::addToKey(QCPAbstractPlottable& plottable, const QString& name) {
    plottable.setName(name);
    plottable.addToLegend();
    parts_->plot.legend->itemWithPlottable(&plottable)->setMargins({0, 0, 0, belowKey});
}

void AxesChart::rebuild() {
    const Theme& theme = Theme::current();
    QuietPlot& drawn = parts_->plot;
    drawn.clearItems();
    drawn.clearPlottables();
    drawn.legend->clearItems();
    const std::vector<Panel> before = std::exchange(panels_, {});
    for (const Panel& panel : before) parts_->grid->remove(panel.axes);
    drawn.setBackground(QBrush(theme.surface));
    drawn.legend->setFont(font());
    drawn.legend->setTextColor(theme.text);
    drawn.legend->setIconSize(2 * fontMetrics().height(), fontMetrics().height());
    build();
    drawn.legend->setVisible(drawn.legend->itemCount() > 0);
    for (std::size_t i = 0; i < panels_.size() && panels_.size() == before.size(); ++i) {
        const auto keep = [](PlotScale& shown, const PlotScale& was, const PlotScale& wholeBefore) {
            if (was.logarithmic != shown.logarithmic || isAll(was, wholeBefore)) return;
            const PlotScale whole = shown;
            shown.mm = was.mm;
            clampTo(shown, whole);
        };
        keep(panels_[i].shownAcross, before[i].shownAcross, before[i].content.across.whole);
        keep(panels_[i].shownUpright, before[i].shownUpright, before[i].content.upright.whole);
    }
    for (Panel& panel : panels_) apply(panel);
    arrange();
}

void AxesChart::setPanels(std::vector<ChartPanel> panels, PanelOrder order) {
    order_ = order;
    const Theme& theme = Theme::current();
    QuietPlot& drawn = parts_->plot;
    for (ChartPanel& content : panels) {
        auto* axes = new QCPAxisRect(&drawn, false);
        axes->setMarginGroup(QCP::msLeft | QCP::msRight, parts_->margins);
        if (order == PanelOrder::beside) axes->setMarginGroup(QCP::msBottom, parts_->margins);
        const int above = content.title.isEmpty() ? 0 : fontMetrics().height() + edge / 2;
        axes->setMinimumMargins({edge, edge + above, edge + 4, edge / 2});
        for (const auto type : {QCPAxis::atBottom, QCPAxis::atLeft}) {
            const ChartAxis& own = type == QCPAxis::atBottom ? content.across : content.upright;
            QCPAxis* axis = axes->addAxis(type);
            axis->setLayer(QStringLiteral("axes"));
            axis->grid()->setLayer(QStringLiteral("grid"));
            axis->setTicker(QSharedPointer<Ticker>::create());
            axis->setScaleType(own.whole.logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
            axis->setSubTicks(false);
            axis->setTickLengthIn(0);
            axis->setBasePen(QPen(theme.mutedText));
            axis->setTickPen(QPen(theme.mutedText));
            axis->setTickLabelColor(theme.mutedText);
            axis->setLabelColor(theme.mutedText);
            axis->setTickLabelFont(font());
            axis->setLabelFont(font());
            axis->setLabelPadding(3);
            axis->setPadding(type == QCPAxis::atLeft ? edge : 0);
            axis->grid()->setPen(QPen(mixedColour(theme.line, theme.surface, gridShare)));
            axis->grid()->setZeroLinePen(Qt::NoPen);
        }
        // What is drawn asks the plot for its axes as soon as it is made; arrange() moves them to their
        // place.
        parts_->grid->addElement(axes);
        const PlotScale across = content.across.whole, upright = content.upright.whole;
        panels_.push_back({std::move(content), across, upright, axes});
    }
}

void AxesChart::apply(Panel& panel) {
    panel.axes->axis(QCPAxis::atBottom)->setRange(panel.shownAcross.from(), panel.shownAcross.to());
    panel.axes->axis(QCPAxis::atLeft)->setRange(panel.shownUpright.from(), panel.shownUpright.to());
}

/// Panels in their rows.
void AxesChart::arrange() {
    const auto count = static_cast<int>(panels_.size());
    const int columns =
        order_ == PanelOrder::stacked ? 1 : std::clamp(width() / narrowestPanel, 1, std::max(1, count));
    for (const Panel& panel : panels_) {
        if (panel.axes->layout()) panel.axes->layout()->take(panel.axes);
        setLeastLeft(*panel.axes, edge);
    }
    parts_->grid->simplify();
    for (int i = 0; i < count; ++i) {
        const Panel& panel = panels_[static_cast<std::size_t>(i)];
        parts_->grid->addElement(i / columns, i % columns, panel.axes);
        parts_->grid->setRowStretchFactor(i / columns, panel.content.share);
    }
    changed();
}

void AxesChart::place() {
    parts_->plot.setGeometry(rect());
    parts_->overlay->setGeometry(rect());
}

/// Ticks and the columns of the key depend on the size of the axes, and that on the width of the labels:
/// twice is enough.
void AxesChart::settle() const {
    if (parts_->settled) return;
    parts_->settled = true;
    parts_->plot.setGeometry(rect());
    const QFontMetrics metrics = fontMetrics();
    const auto name = [](QCPAxis& axis, const ChartAxis& content, const PlotScale& shown, int about) {
        auto& ticker = static_cast<Ticker&>(*axis.ticker());
        ticker.axis = content.ticks(shown, std::max(2, about));
        axis.setLabel(ticker.axis.title);
        axis.setTickLengthOut(ticker.axis.grid ? 0 : 4);
        axis.grid()->setVisible(ticker.axis.grid);
    };
    for (int turn = 0; turn < 2; ++turn) {
        for (const Panel& panel : panels_) {
            name(*panel.axes->axis(QCPAxis::atBottom), panel.content.across, panel.shownAcross,
                 panel.axes->width() / (2 * metrics.horizontalAdvance(QStringLiteral("00.0"))));
            name(*panel.axes->axis(QCPAxis::atLeft), panel.content.upright, panel.shownUpright,
                 2 * panel.axes->height() / (5 * metrics.height()));
        }
        parts_->plot.layOut();
        const bool key = parts_->plot.legend->itemCount() > 0 && !panels_.empty();
        parts_->keyRow->setMargins(key ? QMargins(panels_.front().axes->left(), 4, edge, edge / 2)
                                       : QMargins());
        if (!key) continue;
        QCPLegend& names = *parts_->plot.legend;
        names.setWrap(keyColumns(names, width() - panels_.front().axes->left() - edge));
        names.setFillOrder(QCPLayoutGrid::foColumnsFirst, true);
    }
    for (const Panel& panel : panels_) setLeastLeft(*panel.axes, panel.axes->margins().left());
}

void AxesChart::changed() {
    parts_->settled = false;
    parts_->plot.drawSoon();
    updateMarks();
}

void AxesChart::updateMarks() { parts_->overlay->update(); }

QRectF AxesChart::frameOf(std::size_t panel) const {
    settle();
    return panels_[panel].axes->rect();
}

QPointF AxesChart::pixelsOf(double across, double upright, std::size_t panel) const {
    settle();
    const QCPAxisRect& axes = *panels_[panel].axes;
    return {axes.axis(QCPAxis::atBottom)->coordToPixel(across),
            axes.axis(QCPAxis::atLeft)->coordToPixel(upright)};
}

double AxesChart::acrossAt(double pixelX, std::size_t panel) const {
    settle();
    return panels_[panel].axes->axis(QCPAxis::atBottom)->pixelToCoord(pixelX);
}

PlotAxis AxesChart::drawnAcross(std::size_t panel) const {
    settle();
    return static_cast<Ticker&>(*panels_[panel].axes->axis(QCPAxis::atBottom)->ticker()).axis;
}

PlotAxis AxesChart::drawnUpright(std::size_t panel) const {
    settle();
    return static_cast<Ticker&>(*panels_[panel].axes->axis(QCPAxis::atLeft)->ticker()).axis;
}

void AxesChart::paintOver(QPainter& painter) const {
    settle();
    const Theme& theme = Theme::current();
    painter.setPen(theme.mutedText);
    if (panels_.empty())
        return painter.drawText(rect().adjusted(2 * edge, 8, -2 * edge, -8),
                                Qt::AlignCenter | Qt::TextWordWrap, hint_);
    painter.setPen(theme.text);
    for (const Panel& panel : panels_) {
        const QRect frame = panel.axes->rect(), outer = panel.axes->outerRect();
        const QRect line(outer.left() + edge, outer.top() + edge / 2, outer.width() - 2 * edge,
                         fontMetrics().height());
        painter.drawText(
            line.adjusted(std::max(0, frame.left() - line.left()), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
            fontMetrics().elidedText(panel.content.title, Qt::ElideRight, line.right() - frame.left()));
    }
    paintMarks(painter);
}

bool AxesChart::isFitted() const {
    return std::all_of(panels_.begin(), panels_.end(), [](const Panel& panel) {
        return isAll(panel.shownAcross, panel.content.across.whole) &&
               isAll(panel.shownUpright, panel.content.upright.whole);
    });
}

void AxesChart::fit() {
    for (Panel& panel : panels_) {
        panel.shownAcross = panel.content.across.whole;
        panel.shownUpright = panel.content.upright.whole;
        apply(panel);
    }
    arrange();
}

std::size_t AxesChart::panelAt(const QPointF& position) const {
    std::size_t best = 0;
    double distance = INFINITY;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
        const QRectF frame = frameOf(i);
        if (frame.contains(position)) return i;
        const double away = QLineF(frame.center(), position).length();
        if (away >= distance) continue;
        distance = away;
        best = i;
    }
    return best;
}

void AxesChart::zoomAt(QPointF position, double factor) {
    if (panels_.empty()) return;
    const std::size_t at = panelAt(position);
    const QRectF frame = frameOf(at);
    const QPointF held(std::clamp(position.x(), frame.left(), frame.right()),
                       std::clamp(position.y(), frame.top(), frame.bottom()));
    Panel& panel = panels_[at];
    const double across = panel.axes->axis(QCPAxis::atBottom)->pixelToCoord(held.x()),
                 upright = panel.axes->axis(QCPAxis::atLeft)->pixelToCoord(held.y());
    zoom(panel.shownAcross, panel.content.across.whole, (held.x() - frame.left()) / frame.width(), factor);
    zoom(panel.shownUpright, panel.content.upright.whole, (frame.bottom() - held.y()) / frame.height(),
         factor);
    pointTo({});
    applyChange(at);
    // Labels of another width have moved the axes from under the pointer.
    pan(held - pixelsOf(across, upright, at), at);
}

QPointF AxesChart::middle() const {
    return touched_ < panels_.size() ? frameOf(touched_).center() : Canvas::middle();
}

void AxesChart::panBy(QPointF pixels) {
    if (isPanning()) {
        pointTo({});
        setCursor(Qt::ClosedHandCursor);
    }
    pan(pixels, touched_);
}

void AxesChart::pan(const QPointF& pixels, std::size_t at) {
    if (at >= panels_.size()) return;
    Panel& panel = panels_[at];
    const QRectF frame = frameOf(at);
    shift(panel.shownAcross, panel.content.across.whole, -pixels.x() / frame.width());
    shift(panel.shownUpright, panel.content.upright.whole, pixels.y() / frame.height());
    applyChange(at);
}

void AxesChart::applyChange(std::size_t at) {
    for (std::size_t i = 0; i < panels_.size(); ++i) {
        if (i != at && order_ != PanelOrder::stacked) continue;
        panels_[i].shownAcross = panels_[at].shownAcross;
        apply(panels_[i]);
    }
    changed();
}

void AxesChart::resizeEvent(QResizeEvent*) {
    place();
    arrange();
}

void AxesChart::wheelEvent(QWheelEvent* event) {
    // What shows all already leaves the wheel to what scrolls around it.
    if (panels_.empty() || (event->angleDelta().y() <= 0 && isFitted())) return event->ignore();
    touched_ = panelAt(event->position());
    Canvas::wheelEvent(event);
}

void AxesChart::mousePressEvent(QMouseEvent* event) {
    touched_ = panelAt(event->position());
    Canvas::mousePressEvent(event);
}

void AxesChart::mouseReleaseEvent(QMouseEvent* event) {
    if (isPanning()) setCursor(Qt::ArrowCursor);
    Canvas::mouseReleaseEvent(event);
}

void AxesChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && !hit_) fit();
}

void AxesChart::focusOutEvent(QFocusEvent* event) {
    pointTo({});
    QWidget::focusOutEvent(event);
}

}  // namespace stagecraft::views::plot
