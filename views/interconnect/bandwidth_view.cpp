#include "views/interconnect/bandwidth_view.h"

#include "views/interconnect/device_sorting.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace stagecraft::views::interconnect {

namespace {

enum Sorting { listed, byId, byCuts };

}  // namespace

BandwidthView::BandwidthView(QWidget* parent)
    : QWidget(parent),
      sorting_(new QComboBox),
      map_(new BandwidthMap),
      legend_(new BandwidthLegend),
      reading_(new QLabel),
      reason_(new QLabel) {
    sorting_->setObjectName(QStringLiteral("sorting"));
    sorting_->addItems({tr("as listed"), tr("by id"), tr("device order")});
    sorting_->setItemData(byCuts,
                          tr("The order that SPP makes by cutting recursively where the cut is least"),
                          Qt::ToolTipRole);
    reading_->setWordWrap(true);
    reading_->setProperty("role", "muted");
    reading_->setObjectName(QStringLiteral("reading"));
    reading_->setMinimumHeight(2 * reading_->fontMetrics().height());
    reading_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* top = new QHBoxLayout;
    top->addWidget(new QLabel(tr("Devices")));
    top->addWidget(sorting_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    column->addLayout(top);
    column->addWidget(map_);
    column->addWidget(legend_);
    column->addWidget(reading_);
    reason_->setWordWrap(true);
    reason_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    reason_->setObjectName(QStringLiteral("reason"));
    reason_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    column->addWidget(reason_);
    connect(reason_, &QLabel::linkActivated, this, &BandwidthView::changeWanted);
    column->addStretch(1);
    connect(sorting_, &QComboBox::currentIndexChanged, this, [this] {
        sort();
        emit sortingChanged();
    });
    connect(map_, &BandwidthMap::pairChanged, this, [this](int a, int b) {
        readOff();
        emit pairChanged(a, b);
    });
    readOff();
}

bool BandwidthView::wantsCuts() const { return sorting_->currentIndex() == byCuts; }

void BandwidthView::setData(std::shared_ptr<const InterconnectData> known, const QString& whyNone) {
    data_ = std::move(known);
    whyNone_ = whyNone;
    cuts_.reset();
    map_->setData(data_, data_ ? listedOrder(*data_->cluster) : std::vector<int>());
    legend_->setScale(map_->scale());
    sort();
}

void BandwidthView::setCuts(std::shared_ptr<const DeviceCuts> cuts) {
    cuts_ = std::move(cuts);
    sort();
}

void BandwidthView::setReason(const QString& html) { reason_->setText(html); }

void BandwidthView::sort() {
    if (!data_) return readOff();
    // Until the cuts are known the map keeps the order that it has.
    if (sorting_->currentIndex() == byId) map_->setOrder(orderById(*data_->cluster));
    if (sorting_->currentIndex() == listed) map_->setOrder(listedOrder(*data_->cluster));
    if (wantsCuts() && cuts_) map_->setOrder(cuts_->order);
    readOff();
}

void BandwidthView::readOff() {
    const QString pair = map_->describe(map_->pair());
    map_->setVisible(whyNone_.isEmpty());
    legend_->setVisible(whyNone_.isEmpty());
    sorting_->setEnabled(whyNone_.isEmpty());
    if (!whyNone_.isEmpty())
        reading_->setText(whyNone_);
    else if (!pair.isEmpty())
        reading_->setText(pair);
    else if (wantsCuts() && data_ && !cuts_)
        reading_->setText(tr("Working out the device order…"));
    else
        reading_->setText(tr("Point at a cell: its widest path lights up."));
}

}  // namespace stagecraft::views::interconnect
