#include "views/resources/alive_list.h"

#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/resources/memory_painter.h"
#include "views/resources/series_list.h"

#include <QMouseEvent>
#include <QPainter>

namespace stagecraft::views::resources {

namespace {
constexpr int indent = 16;

}  // namespace

AliveList::AliveList(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setSizePolicy(policy);
}

void AliveList::setData(std::shared_ptr<const ChartData> chartData) {
    ledger_.reset();
    data_ = std::move(chartData);
    series_ = hovered_ = -1;
    rows_.clear();
    updateGeometry();
}

void AliveList::ask(int series, double timeS) {
    if (!ledger_)
        ledger_.emplace(*data_->run->costs, data_->plan(), data_->evaluation().lowered().edges,
                        data_->timeline());
    series_ = series;
    timeS_ = timeS;
    hovered_ = -1;
    const MemorySeries& it = data_->memory[static_cast<std::size_t>(series)];
    rows_.clear();
    rows_.push_back({Row::What::total,
                     deviceSummaries(data_->cluster(), it.devices).back() + " at " + secondsText(timeS),
                     bytesText(it.totalAt(timeS)),
                     {},
                     noBlock,
                     it.totalAt(timeS)});
    rows_.push_back({Row::What::peak,
                     timeS == it.peakTimeS() ? QStringLiteral("its peak")
                                             : "show its peak at " + secondsText(it.peakTimeS()),
                     bytesText(it.peakBytes()),
                     {},
                     noBlock,
                     it.peakBytes()});
    const std::vector<MemoryHolder> holders = ledger_->holders(it.devices.front(), timeS);
    for (int kind = memoryKindCount - 1; kind >= 0; --kind) addKind(static_cast<MemoryKind>(kind), holders);
    updateGeometry();
    update();
}

void AliveList::addKind(MemoryKind kind, const std::vector<MemoryHolder>& holders) {
    const std::size_t heading = rows_.size();
    rows_.push_back({Row::What::kind, memoryKindName(kind), {}, memoryColour(kind)});
    for (const MemoryHolder& holder : holders) {
        if (holder.kind != kind) continue;
        rows_[heading].bytes += holder.bytes;
        rows_.push_back(
            {Row::What::holder, nameOf(holder), bytesText(holder.bytes), {}, holder.block, holder.bytes});
        if (kind == MemoryKind::activations) addSaved(holder);
    }
    rows_[heading].value = bytesText(rows_[heading].bytes);
    if (rows_.size() == heading + 1) rows_.pop_back();
}

void AliveList::addSaved(const MemoryHolder& holder) {
    const auto add = [&](SavedBand band, const char* where, double bytes) {
        if (bytes > 0)
            rows_.push_back(
                {Row::What::saved, where, bytesText(bytes), savedColour(band), holder.block, bytes});
    };
    const PlanRun& run = *data_->run;
    const bool onHost = run.costs->stage(run.result.plan, holder.stage).swapBytes > 0;
    add(SavedBand::swap, onHost ? "on the host instead" : "on another GPU instead", holder.savedBySwap);
    add(SavedBand::recompute, "to be recomputed", holder.savedByRecompute);
}

QString AliveList::nameOf(const MemoryHolder& holder) const {
    const QString stage = QStringLiteral("stage %1").arg(holder.stage);
    if (holder.microbatch >= 0) {
        const BlockNumbers& numbers = data_->numbers;
        const bool alone = numbers.severalMiniBatches() && numbers.microbatches() == 1;
        const QString which = (alone ? "mini-batch " : "microbatch ") +
                              numbers.text(holder.iteration, holder.microbatch) + ", " + stage;
        return holder.kind == MemoryKind::buffers ? "sent: " + which : which;
    }
    if (holder.version >= 0)
        return QStringLiteral("%1, %2 %3")
            .arg(stage, holder.predicted ? QStringLiteral("predicted from") : QStringLiteral("version"))
            .arg(holder.version);
    if (holder.kind == MemoryKind::buffers) return "reserved, " + stage;
    return holder.kind == MemoryKind::weightVersions ? stage + ", throughout" : stage;
}

QRect AliveList::rowRect(int row) const {
    return {0, row * SeriesList::rowHeight, width(), SeriesList::rowHeight};
}

QSize AliveList::sizeHint() const { return {200, static_cast<int>(rows_.size()) * SeriesList::rowHeight}; }

bool AliveList::isClickable(int row) const {
    if (row < 0 || row >= static_cast<int>(rows_.size())) return false;
    const Row& it = rows_[static_cast<std::size_t>(row)];
    if (it.what != Row::What::peak) return it.block != noBlock;
    return timeS_ != data_->memory[static_cast<std::size_t>(series_)].peakTimeS();
}

void AliveList::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const QFontMetrics font = painter.fontMetrics();
    const int first = event->rect().top() / SeriesList::rowHeight;
    const int last =
        std::min(static_cast<int>(rows_.size()) - 1, event->rect().bottom() / SeriesList::rowHeight);
    for (int row = first; row <= last; ++row) {
        const Row& it = rows_[static_cast<std::size_t>(row)];
        const QRect where = rowRect(row);
        if (row == hovered_) painter.fillRect(where, theme.window);
        const bool heading = it.what == Row::What::kind;
        const bool top = it.what == Row::What::total || it.what == Row::What::peak;
        int left = top ? 0 : indent;
        if (it.what == Row::What::saved) left += indent;
        if (it.colour.isValid()) {
            const QRect swatch(left - indent,
                               where.top() + (SeriesList::rowHeight - SeriesList::swatchSize) / 2,
                               SeriesList::swatchSize, SeriesList::swatchSize);
            painter.fillRect(swatch, heading ? QBrush(it.colour) : QBrush(it.colour, Qt::BDiagPattern));
        }
        const bool plain = it.what == Row::What::total || heading;
        painter.setPen(plain ? theme.text : theme.mutedText);
        const QRect inside = where.adjusted(left, 0, -2, 0);
        painter.drawText(inside, Qt::AlignVCenter | Qt::AlignRight, it.value);
        if (isClickable(row)) painter.setPen(it.what == Row::What::peak ? theme.accent : theme.text);
        const int room = inside.width() - font.horizontalAdvance(it.value) - SeriesList::gap;
        painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                         font.elidedText(it.text, Qt::ElideMiddle, room));
    }
}

void AliveList::mousePressEvent(QMouseEvent* event) {
    const int row = event->pos().y() / SeriesList::rowHeight;
    if (event->button() != Qt::LeftButton || !isClickable(row)) return;
    const Row& it = rows_[static_cast<std::size_t>(row)];
    if (it.what == Row::What::peak)
        emit peakAsked(series_, data_->memory[static_cast<std::size_t>(series_)].peakTimeS());
    else
        emit blockPicked(it.block);
}

void AliveList::hover(int row) {
    if (!isClickable(row)) row = -1;
    if (hovered_ == row) return;
    hovered_ = row;
    setCursor(row < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    setToolTip(row < 0 || rows_[static_cast<std::size_t>(row)].block == noBlock
                   ? QString()
                   : QStringLiteral("Show the block that took it"));
    update();
}

void AliveList::mouseMoveEvent(QMouseEvent* event) { hover(event->pos().y() / SeriesList::rowHeight); }
void AliveList::leaveEvent(QEvent*) { hover(-1); }

}  // namespace stagecraft::views::resources
