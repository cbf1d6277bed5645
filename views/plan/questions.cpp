#include "views/plan/questions.h"

#include "core/base/work_context.h"
#include "core/runs/cautions.h"
#include "views/common/text.h"
#include "views/plan/answer_text.h"
#include "views/plan/details_pane.h"
#include "views/plan/range_section.h"
#include "views/timeline/gantt_chart.h"

#include <QEvent>

namespace stagecraft::views::plan {

namespace {

/// Up to so many blocks an answer is ready before a frame is lost.
constexpr std::uint32_t answeredAtOnce = 20'000;
/// Of larger plans the card under the pointer has the slack once something has been asked: the graph of all
/// blocks takes memory that a glance is not worth.
constexpr std::uint32_t mostForAGlance = 2'000'000;

QString markOf(const ChartData& data) {
    return data.run ? QString::fromStdString(runs::memoryMark(*data.run)) : QString();
}

}  // namespace

Questions::Known::Known(std::shared_ptr<const ChartData> of)
    : data(std::move(of)),
      graph(data->evaluation().graph, data->timeline()),
      slackS(slacksS(graph)),
      bounds(whatBounds(*data->run->costs, data->plan(), data->timeline(), data->evaluation().metrics,
                        data->run->microbatchesAsked)) {}

Questions::Questions(GanttChart& chart, DetailsPane& pane, QObject* parent)
    : QObject(parent), chart_(chart), pane_(pane) {
    idle_ = addText("Why idle");
    range_ = pane_.addSection<RangeSection>("Marked range");
    block_ = addText("Selected block");
    bounds_ = addText("What bounds this plan");
    remarks_ = addText("Notes on this plan");
    connect(range_, &RangeSection::copied, this,
            [this] { emit statusChanged("Range copied to the clipboard as CSV"); });
    connect(&chart_, &GanttChart::blockHovered, this, [this](quint32 block) {
        if (block != noBlock && data_ && data_->timeline().blockCount() <= mostForAGlance)
            prepare(Wait::none);
    });
    pane_.installEventFilter(this);
}

QLabel* Questions::addText(const QString& title) {
    auto* label = pane_.addSection<QLabel>(title);
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    connect(label, &QLabel::linkActivated, this,
            [this](const QString& address) { emit blockRequested(address.toUInt()); });
    return label;
}

bool Questions::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &pane_ && event->type() == QEvent::Show) prepare(Wait::aFrame);
    if (watched == &pane_ && event->type() == QEvent::PaletteChange && known_) know(known_);
    return QObject::eventFilter(watched, event);
}

void Questions::setData(std::shared_ptr<const ChartData> data) {
    data_ = std::move(data);
    known_ = nullptr;
    preparing_.abandon();
    counting_.abandon();
    clearIdle();
    told_ = noBlock;
    for (QWidget* section :
         {static_cast<QWidget*>(range_), static_cast<QWidget*>(block_), static_cast<QWidget*>(bounds_)})
        pane_.setSectionShown(section, false);
    showRemarks();
    if (pane_.isVisible()) prepare(Wait::aFrame);
}

/// What its planner, or the search that found it, says of it.
void Questions::showRemarks() {
    QString html;
    if (data_ && !data_->recorded)
        for (const std::string& remark : remarksOn(*data_->run))
            html += QStringLiteral("<p style='margin-top:0; margin-bottom:4px'>%1</p>").arg(htmlText(remark));
    remarks_->setText(html);
    pane_.setSectionShown(remarks_, !html.isEmpty());
}

void Questions::prepare(Wait wait) {
    if (!data_ || data_->recorded || known_) return;
    // What a glance has begun is not waited for by one who asks.
    if (wait == Wait::aFrame && data_->timeline().blockCount() <= answeredAtOnce)
        return know(std::make_shared<const Known>(data_));
    if (preparing_.isRunning()) return;
    preparing_.start([of = data_] { return std::make_shared<const Known>(of); },
                     [this](std::shared_ptr<const Known> known) { know(std::move(known)); });
}

void Questions::know(std::shared_ptr<const Known> known) {
    known_ = std::move(known);
    preparing_.abandon();
    chart_.setSlacks({known_, &known_->slackS});
    bounds_->setText(boundsAnswer(known_->bounds));
    pane_.setSectionShown(bounds_, true);
    if (askedIdle_) showIdle();
    showBlock();
}

// ---- ranges ----

void Questions::askRange(std::optional<std::pair<double, double>> range) {
    counting_.abandon();
    const bool some = data_ && range && range->first < range->second;
    pane_.setSectionShown(range_, some);
    if (!some) return;
    const auto count = [of = data_, range = *range] {
        if (of->recorded)
            return rangeStatistics(of->timeline(), of->recorded->memory, range.first, range.second);
        return rangeStatistics(BlockBytes(*of->run->costs, of->plan(), of->evaluation().lowered().edges),
                               of->timeline(), of->evaluation().memory, range.first, range.second);
    };
    emit answered();
    const bool atOnce = blocksInRange(data_->timeline(), range->first, range->second) <= answeredAtOnce;
    if (atOnce)
        range_->show(count(), data_->cluster(), markOf(*data_));
    else
        range_->showWorking(range->first, range->second);
    pane_.showSection(range_);
    if (atOnce) return;
    counting_.start(
        [count](const std::stop_token& stop) {
            if (stop.stop_requested()) throw Cancelled();  // it waited while the range was dragged on
            return count();
        },
        [this, of = data_](const RangeStatistics& counted) {
            range_->show(counted, of->cluster(), markOf(*of));
        });
}

// ---- idle stretches ----

void Questions::askIdle(int lane, double timeS) {
    if (!data_) return;
    askedIdle_ = {lane, timeS};
    if (known_ || data_->recorded) return showIdle();
    idle_->setText(QStringLiteral("Working it out…"));
    pane_.setSectionShown(idle_, true);
    emit answered();
    prepare(Wait::aFrame);
}

void Questions::showIdle() {
    const auto [lane, timeS] = *askedIdle_;
    const auto cause =
        known_ ? idleCause(known_->graph, lane, timeS) : idleCause(data_->timeline(), lane, timeS);
    if (!cause) {
        clearIdle();
        return;
    }
    idle_->setText(idleAnswer(*data_, *cause));
    pane_.setSectionShown(idle_, true);
    pane_.showSection(idle_);
    chart_.setIdleCause(std::make_shared<const IdleCause>(*cause));
    emit answered();
}

bool Questions::clearIdle() {
    const bool any = askedIdle_.has_value();
    askedIdle_.reset();
    chart_.setIdleCause(nullptr);
    pane_.setSectionShown(idle_, false);
    return any;
}

// ---- blocks ----

void Questions::tellBlock(quint32 block) {
    told_ = block;
    showBlock();
}

void Questions::showBlock() {
    const bool some = data_ && told_ != noBlock;
    pane_.setSectionShown(block_, some);
    if (!some) return;
    block_->setText(
        blockAnswer(*data_, told_, known_ ? std::optional(known_->slackS[told_]) : std::optional<double>()));
}

}  // namespace stagecraft::views::plan
