#include "views/interconnect/traffic_view.h"

#include "core/base/units.h"
#include "views/common/colour_mixing.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::interconnect {

namespace {

constexpr int rowRole = Qt::UserRole;
constexpr double thinnest = 1.5, thickest = 7;

QColor colourOf(const Traffic& traffic) {
    switch (traffic.cause) {
        case TrafficCause::allReduce:
            return blockColour(BlockKind::allReduce);
        case TrafficCause::inside:
            return blockColour(BlockKind::forward);
        default:
            return blockColour(BlockKind::transferBackward);
    }
}

/// "Stages 0 – 1", "AllReduce S0, S2" or "Inside stage 3".
QString titleOf(const Traffic& traffic) {
    if (traffic.cause == TrafficCause::inside)
        return QObject::tr("Inside stage %1").arg(traffic.stages.front());
    if (traffic.cause == TrafficCause::transfers)
        return QString::fromUtf8("Stages %1 – %2").arg(traffic.stages.front()).arg(traffic.stages.back());
    QStringList stages;
    for (const int stage : traffic.stages) stages << stageMark(stage);
    return QObject::tr("AllReduce %1").arg(stages.join(QStringLiteral(", ")));
}

double busiest(const Traffic& traffic) {
    double most = 0;
    for (const LinkLoad& load : traffic.links) most = std::max(most, load.busyFraction);
    return most;
}

/// A round share that is no less: what the scale of a cluster's loads ends at.
double roundedUp(double share) {
    for (const double round : {0.01, 0.02, 0.05, 0.1, 0.2, 0.5})
        if (share <= round) return round;
    return 1;
}

QString percent(double share) { return QStringLiteral("%1 %").arg(std::round(share * 1000) / 10); }

}  // namespace

QColor busyColour(double position) {
    const QColor ends[] = {Theme::current().mutedText, QColor(0xE6, 0x9F, 0x00), QColor(0xD5, 0x5E, 0x00)};
    const double place = 2 * std::clamp(position, 0.0, 1.0);
    const std::size_t below = place < 1 ? 0 : 1;
    return laidOver(ends[below + 1], ends[below], place - static_cast<double>(below));
}

/// The colours of busy links, with their shares.
class TrafficView::BusyLegend : public QWidget {
public:
    BusyLegend() {
        setFixedHeight(30);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    void setBusiest(double share) {
        busiest_ = share;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setFont(smallFont(font()));
        constexpr double least = 2;
        const double bottom = thickest + 2;
        for (int x = 0; x < width(); ++x) {
            const double share = double(x) / width();
            const double high = least + share * (thickest - least);
            painter.fillRect(QRectF(x, bottom - high, 1, high), busyColour(share));
        }
        painter.setPen(Theme::current().mutedText);
        const QRectF text(0, bottom + 3, width(), 16);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, QStringLiteral("0 %"));
        painter.drawText(text, Qt::AlignHCenter | Qt::AlignTop, percent(busiest_ / 2));
        painter.drawText(text, Qt::AlignRight | Qt::AlignTop, tr("%1 busy").arg(percent(busiest_)));
    }

private:
    double busiest_ = 1;
};

TrafficView::TrafficView(QWidget* stages, QWidget* parent)
    : QWidget(parent),
      list_(new QTreeWidget),
      load_(new QCheckBox(tr("Colour links by load"))),
      legend_(new BusyLegend),
      note_(new QLabel) {
    list_->setTextElideMode(Qt::ElideMiddle);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    if (stages) column->addWidget(stages, 1);
    column->addWidget(load_);
    column->addWidget(legend_);
    column->addWidget(note_);
    column->addWidget(list_, 1);
    load_->setObjectName(QStringLiteral("colourByLoad"));
    load_->setChecked(true);
    load_->setToolTip(tr("Each link by the share of the iteration in which its busier direction sends"));
    note_->setWordWrap(true);
    note_->setProperty("role", "muted");
    list_->setObjectName(QStringLiteral("traffic"));
    list_->setColumnCount(3);
    list_->setHeaderLabels({tr("What"), tr("Bytes"), tr("Busiest")});
    list_->headerItem()->setToolTip(1, tr("Sent per iteration, in both directions"));
    list_->headerItem()->setToolTip(2, tr("How much of the iteration it keeps its busiest link busy"));
    for (const int number : {1, 2})
        list_->headerItem()->setTextAlignment(number, Qt::AlignRight | Qt::AlignVCenter);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAllColumnsShowFocus(true);
    list_->setMouseTracking(true);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (const int number : {1, 2})
        list_->header()->setSectionResizeMode(number, QHeaderView::ResizeToContents);
    list_->viewport()->installEventFilter(this);
    connect(list_, &QTreeWidget::itemEntered, this, &TrafficView::point);
    connect(list_, &QTreeWidget::itemSelectionChanged, this, &TrafficView::showHighlights);
    connect(load_, &QCheckBox::toggled, this, &TrafficView::showHighlights);
    setRun(nullptr);
}

void TrafficView::setRun(std::shared_ptr<const PlanRun> run) {
    if (run && run == run_) return;
    run_ = std::move(run);
    counting_.abandon();
    const bool planned = run_ && run_->ok();
    if (!planned) return fill({});
    counting_.start(
        [run = run_](const JobContext& context) {
            context.throwIfStopped();
            return traffic(*run->costs, run->result.plan, run->evaluation->lowered(),
                           run->evaluation->metrics.iterationTimeS);
        },
        [this](std::vector<Traffic> rows) { fill(std::move(rows)); });
}

void TrafficView::fill(std::vector<Traffic> rows) {
    rows_ = std::move(rows);
    hovered_ = nullptr;
    const QSignalBlocker quiet(list_);
    list_->clear();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const Traffic& each = rows_[row];
        auto* item = new QTreeWidgetItem(
            list_, {titleOf(each), qtText(formatBytes(each.bytes)), qtText(formatPercent(busiest(each)))});
        item->setData(0, rowRole, static_cast<int>(row));
        item->setIcon(0, colourSwatch(colourOf(each)));
        for (const int number : {1, 2}) item->setTextAlignment(number, Qt::AlignRight | Qt::AlignVCenter);
        item->setToolTip(0,
                         tr("over %1").arg(countedText(static_cast<long long>(each.links.size()), "link")));
    }
    const bool planned = run_ && run_->ok();
    double most = 0;
    if (planned)
        for (const LinkLoad& load : run_->evaluation->metrics.links) most = std::max(most, load.busyFraction);
    busiest_ = roundedUp(most);
    legend_->setBusiest(busiest_);
    note_->setText(!planned ? tr("Run a planner: then this lists what its stages send to each other, and "
                                 "links show how busy they are.")
                   : rows_.empty() ? tr("Nothing is sent: one device does it all.")
                                   : tr("Point at a row to see its links."));
    for (QWidget* widget : {static_cast<QWidget*>(list_), static_cast<QWidget*>(load_)})
        widget->setVisible(!rows_.empty());
    legend_->setVisible(!rows_.empty() && load_->isChecked());
    showHighlights();
}

int TrafficView::shownRow() const {
    const QTreeWidgetItem* item = hovered_;
    if (!item && !list_->selectedItems().isEmpty()) item = list_->selectedItems().front();
    return item ? item->data(0, rowRole).toInt() : -1;
}

void TrafficView::point(QTreeWidgetItem* item) {
    if (item == hovered_) return;
    hovered_ = item;
    showHighlights();
}

void TrafficView::showHighlights() {
    highlights_.clear();
    legend_->setVisible(!rows_.empty() && load_->isChecked());
    const int row = shownRow();
    if (row >= 0) {
        const Traffic& chosen = rows_[static_cast<std::size_t>(row)];
        double most = 0;
        for (const LinkLoad& load : chosen.links) most = std::max(most, load.bytes);
        for (const LinkLoad& load : chosen.links)
            highlights_.push_back({load.link, colourOf(chosen),
                                   2 + 4 * std::sqrt(load.bytes / std::max(most, 1.0)), load.bytes});
    } else if (load_->isChecked() && !rows_.empty()) {
        for (const LinkLoad& load : run_->evaluation->metrics.links)
            if (load.bytes > 0)
                highlights_.push_back(
                    {load.link, busyColour(load.busyFraction / busiest_),
                     thinnest + std::min(1.0, load.busyFraction / busiest_) * (thickest - thinnest)});
    }
    emit highlightsChanged();
}

void TrafficView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) showHighlights();
    QWidget::changeEvent(event);
}

bool TrafficView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Leave) point(nullptr);
    return QWidget::eventFilter(watched, event);
}

}  // namespace stagecraft::views::interconnect
