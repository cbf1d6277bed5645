#include "views/play/play_picture.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/play/cursor_mark.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft::views {

namespace {

constexpr double titlePart = 1.25, smallPart = 0.8;  // of the type's size
constexpr double mostLabelPart = 0.34;               // of the width
constexpr double memoryPart = 0.2;                   // of a plan's height
constexpr double clusterPart = 0.42, clusterPartBelow = 0.34, clusterPartOfSeveral = 0.3;
constexpr double muchLarger = 1.5;  // a cluster below the lanes than beside them
constexpr int tickLength = 5;

}  // namespace

PlayPicture::PlayPicture(const std::vector<std::shared_ptr<const PlayData>>& plans, const QFont& family,
                         const PictureStyle& style)
    : font_(family), style_(style) {
    font_.setPixelSize(std::max(8, static_cast<int>(std::lround(style.typePixels))));
    std::set<BlockKind> kinds;
    LegendContent::Marks marks;
    bands_.reserve(plans.size());
    for (const auto& plan : plans) {
        bands_.emplace_back(plan, style.communication, style.cluster);
        for (const BlockKind kind : kindsIn(*plan->chart, style.communication || style.cluster))
            kinds.insert(kind);
        const LegendContent::Marks own = marksIn(*plan->chart);
        marks.updates |= own.updates;
        marks.bellwethers |= own.bellwethers;
        fullBytes_ = std::max(fullBytes_, plan->fullBytes);
    }
    legend_.setKinds({kinds.begin(), kinds.end()});
    legend_.setMarks(marks);
    if (plans.size() == 1) legend_.setNumbers(numbersMeaning(*plans.front()->chart));
    std::tie(axis_.t0, axis_.t1) = span();
}

std::pair<double, double> PlayPicture::span() const {
    double begin = 0, end = 0;
    for (const PlanBand& band : bands_) {
        begin = std::min(begin, band.data().chart->timeline().firstStartS());
        end = std::max(end, band.data().chart->endS);
    }
    return {begin, begin < end ? end : begin + 1};
}

void PlayPicture::setSize(QSize size) {
    if (size == size_) return;
    size_ = size;
    layOut();
}

void PlayPicture::setRange(double t0, double t1) {
    axis_.t0 = t0;
    axis_.t1 = t1;
}

QFont PlayPicture::sized(double part, bool bold) const {
    QFont font = font_;
    font.setPixelSize(std::max(8, static_cast<int>(std::lround(part * font_.pixelSize()))));
    font.setBold(bold);
    return font;
}

int PlayPicture::lineHeight() const { return static_cast<int>(std::ceil(QFontMetricsF(font_).height())); }

void PlayPicture::layOut() {
    QRect whole = QRect(QPoint(), size_).adjusted(margin(), margin() / 2, -margin(), -margin() / 2);
    title_ = whole;
    title_.setHeight(QFontMetrics(sized(titlePart, true)).height());
    whole.setTop(title_.bottom() + margin() / 2);
    legendPlace_ = whole;
    const double scale = smallPart * font_.pixelSize() / plainTypePixels;
    legendPlace_.setTop(whole.bottom() - legend_.heightFor(whole.width(), sized(smallPart), scale));
    whole.setBottom(legendPlace_.top() - 1);
    layOutBands(whole);
}

/// Takes the cluster's place off the right or, of one that is much wider than high, off the bottom.
QRect PlayPicture::takeCluster(QRect& whole) const {
    if (!style_.cluster) return {};
    QRect place = whole;
    const double aspect = bands_.front().clusterAspect();
    const double wide = std::min(clusterPart * whole.width() / aspect, double(whole.height()));
    const double low = std::min(clusterPartBelow * whole.height(), whole.width() / aspect);
    if (bands_.size() == 1 && low > muchLarger * wide) {
        place.setTop(whole.bottom() - static_cast<int>(clusterPartBelow * whole.height()));
        whole.setBottom(place.top() - margin());
    } else {
        const double part = bands_.size() == 1 ? clusterPart : clusterPartOfSeveral;
        place.setLeft(whole.right() - static_cast<int>(part * whole.width()));
        whole.setRight(place.left() - margin());
    }
    return place;
}

void PlayPicture::layOutBands(QRect whole) {
    const QRect cluster = takeCluster(whole);
    double labels = QFontMetricsF(sized(smallPart)).horizontalAdvance(QStringLiteral("Memory 999 GiB"));
    for (const PlanBand& band : bands_) labels = std::max(labels, band.labelWidth(font_));
    const int swatch = font_.pixelSize() / 2, gap = font_.pixelSize() / 2;
    const int column = swatch + gap + static_cast<int>(std::min(labels + 2, mostLabelPart * whole.width()));
    axis_.x0 = whole.left() + column;
    axis_.width = std::max(1, whole.width() - column);
    axisBottom_ = whole.top() + QFontMetrics(sized(smallPart)).height() + tickLength + 2;
    // A row is as high in one plan as in the other; words and memory of each are as high as the other's.
    const int between = margin() / 2, count = static_cast<int>(bands_.size());
    int rows = 0;
    for (const PlanBand& band : bands_) rows += std::max(2, band.rowCount());
    const QRect below(whole.left(), axisBottom_, whole.width(), whole.bottom() - axisBottom_);
    const int fixed = lineHeight() * 2 * count;
    double top = below.top();
    for (PlanBand& band : bands_) {
        const double share = double(std::max(2, band.rowCount())) / rows;
        const double height = lineHeight() * 2 + share * std::max(0, below.height() - fixed);
        const QRect place(below.left(), static_cast<int>(top), below.width(),
                          static_cast<int>(height) - (count > 1 ? between : 0));
        const QRect own = count == 1 || cluster.isEmpty()
                              ? cluster
                              : QRect(cluster.left(), place.top(), cluster.width(), place.height());
        placeBand(band, place, own, column);
        top += height;
    }
}

void PlayPicture::placeBand(PlanBand& band, QRect whole, const QRect& cluster, int labels) {
    PlanBand::Places places;
    places.cluster = cluster;
    places.named = bands_.size() > 1;
    places.words = whole;
    if (places.named) {
        places.words.setHeight(lineHeight());
        whole.setTop(places.words.bottom() + 1);
    } else {
        places.words.setTop(whole.bottom() - lineHeight() * 5 / 4);
        whole.setBottom(places.words.top() - 1);
    }
    QRect right = whole;
    right.setLeft(static_cast<int>(axis_.x0));
    places.lanes = right;
    if (style_.memory) {
        const int high = static_cast<int>(memoryPart * right.height());
        places.memory = right;
        places.memory.setTop(right.bottom() - high);
        places.lanes.setBottom(places.memory.top() - margin() / 2);
    }
    const int swatch = font_.pixelSize() / 2;
    places.labels =
        QRect(whole.left() + swatch, places.lanes.top(), labels - 2 * swatch, places.lanes.height());
    band.layOut(places, font_);
}

QString PlayPicture::title() const {
    QStringList names;
    for (const PlanBand& band : bands_) names << QString::fromStdString(band.data().run->title());
    return names.join(QStringLiteral(" · "));
}

/// What is trained, and of one plan how long an iteration takes.
QString PlayPicture::subtitle() const {
    const PlanRun& run = *bands_.front().data().run;
    QStringList parts;
    if (const std::string& name = run.costs->problem().profile.name; !name.empty())
        parts << QString::fromStdString(name);
    if (bands_.size() == 1)
        parts << QStringLiteral("iteration %1")
                     .arg(QString::fromStdString(formatSeconds(run.iterationTimeS())));
    return parts.join(QStringLiteral(" · "));
}

void PlayPicture::paint(QPainter& painter, double timeS) {
    painter.fillRect(QRect(QPoint(), size_), Theme::current().surface);
    paintTitle(painter);
    paintAxis(painter);
    for (PlanBand& band : bands_) band.paint(painter, axis_, fullBytes_, timeS);
    painter.setFont(sized(smallPart));
    paintCursor(painter, QRectF(axis_.x0, axisBottom_, axis_.width, 0), axis_.toX(timeS),
                QString::fromStdString(formatInstant(timeS, span().second / 1000)));
    painter.setFont(sized(smallPart));
    legend_.paint(painter, legendPlace_.topLeft(), legendPlace_.width(),
                  smallPart * font_.pixelSize() / plainTypePixels);
}

void PlayPicture::paintTitle(QPainter& painter) const {
    const QFont large = sized(titlePart, true);
    const QString subject = subtitle();
    const double beside = QFontMetricsF(font_).horizontalAdvance(subject) + margin();
    const QFontMetricsF metrics(large);
    const bool both = metrics.horizontalAdvance(title()) + beside <= title_.width();
    painter.setFont(large);
    painter.setPen(Theme::current().text);
    painter.drawText(title_, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title(), Qt::ElideRight, title_.width()));
    if (!both) return;
    painter.setFont(font_);
    painter.setPen(Theme::current().mutedText);
    painter.drawText(title_, Qt::AlignRight | Qt::AlignVCenter, subject);
}

void PlayPicture::paintAxis(QPainter& painter) const {
    const Theme& theme = Theme::current();
    painter.setFont(sized(smallPart));
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QFontMetricsF metrics(painter.font());
    const double right = axis_.x0 + axis_.width;
    painter.fillRect(QRectF(axis_.x0, axisBottom_ - 1, axis_.width, 1), theme.line);
    for (const TimeTick& tick : timeTicks(axis_, timeTickSpacing * font_.pixelSize() / plainTypePixels)) {
        const double x = std::floor(axis_.toX(tick.timeS));
        painter.fillRect(QRectF(x, axisBottom_ - tickLength, 1, tickLength), theme.line);
        const QString label = QString::fromStdString(tick.label);
        QRectF box(0, 0, metrics.horizontalAdvance(label) + 2, metrics.height());
        box.moveCenter({x, 0});
        box.moveBottom(axisBottom_ - tickLength - 1);
        if (box.right() > right + margin()) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(box, Qt::AlignCenter, label);
    }
}

}  // namespace stagecraft::views
