#include "views/stack/stack_row.h"

#include "core/base/units.h"
#include "core/runs/reference_plan.h"
#include "core/runs/standing.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/stack/stack_marks.h"
#include "views/timeline/gantt_chart.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::stack {

namespace {
/// Below this many blocks six charts are ready before a frame is lost.
constexpr std::uint32_t preparedAtOnce = 20'000;
}  // namespace

StackData::StackData(const std::shared_ptr<const PlanRun>& run)
    : chart(std::make_shared<const ChartData>(run)),
      passes(run->evaluation->timeline, run->result.plan, run->costs->problem().setup.microbatches) {}

StackRow::StackRow(int id, std::shared_ptr<const PlanRun> run, QWidget* parent)
    : QWidget(parent), id_(id), run_(std::move(run)), chart_(new GanttChart(this)) {
    marks_ = new StackMarks(&chart_->plot());
    chart_->setCommunication(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    column->addWidget(chart_, 1);
    prepare();
}

QWidget* StackRow::makeHead() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(8, 4, 8, 0);
    row->setSpacing(8);
    name_ = new QToolButton(head);
    name_->setObjectName(QStringLiteral("measureAgainst"));
    QString title = QString::fromStdString(run_->title()).replace('&', QStringLiteral("&&"));
    if (!isCompared(*run_))
        title += QStringLiteral(" (%1)").arg(QLatin1String(standingName(standingOf(*run_))));
    name_->setText(title);
    name_->setToolTip(tr("Measure the other plans against this one"));
    name_->setCheckable(true);
    name_->setFocusPolicy(Qt::TabFocus);
    connect(name_, &QToolButton::clicked, this, [this] {
        name_->setChecked(true);  // a second click does not take it back
        emit measureAgainst(id_);
    });
    words_ = new ElidedLabel(head);
    words_->setObjectName(QStringLiteral("difference"));
    remove_ = new QToolButton(head);
    remove_->setObjectName(QStringLiteral("removeFromStack"));
    remove_->setIcon(lineIcon(QStringLiteral("close")));
    remove_->setToolTip(tr("Take this plan out of the stack"));
    remove_->setAutoRaise(true);
    remove_->setFocusPolicy(Qt::TabFocus);
    connect(remove_, &QToolButton::clicked, this, [this] { emit removeWanted(id_); });
    row->addWidget(name_);
    row->addWidget(words_, 1);
    row->addWidget(remove_);
    return head;
}

void StackRow::prepare() {
    if (run_->evaluation->timeline.blockCount() <= preparedAtOnce)
        return showData(std::make_shared<const StackData>(run_));
    preparing_.start([run = run_] { return std::make_shared<const StackData>(run); },
                     [this](std::shared_ptr<const StackData> prepared) { showData(std::move(prepared)); });
}

void StackRow::showData(std::shared_ptr<const StackData> data) {
    data_ = std::move(data);
    chart_->setData(data_->chart);
    emit ready();
}

QString StackRow::words() const { return words_->whole(); }

void StackRow::setWords(const QString& words) {
    name_->setChecked(words.isEmpty());
    const PlanOutcome own = outcomeOf(*run_);
    const QString facts = QStringLiteral("%1, %2 bubbles%3; the others are measured against it.")
                              .arg(QString::fromStdString(formatSeconds(own.iterationTimeS)),
                                   QString::fromStdString(formatPercent(own.bubbleFraction)),
                                   own.peakBytes > 0 ? QStringLiteral(", peak memory ") +
                                                           QString::fromStdString(formatBytes(own.peakBytes))
                                                     : QString());
    words_->setWhole(!words.isEmpty() ? words
                     : own.fits       ? facts
                                      : facts + QStringLiteral(" It does not fit into memory."));
}

void StackRow::lightUp(const PassLookup::Pass& pass) {
    std::vector<QRectF> lit;
    if (data_)
        for (const std::uint32_t block : data_->passes.blocksOf(data_->chart->timeline(), pass))
            if (const QRectF where = chart_->blockRect(block); !where.isEmpty()) lit.push_back(where);
    marks_->setLit(std::move(lit));
}

void StackRow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && remove_)
        remove_->setIcon(lineIcon(QStringLiteral("close")));
}

}  // namespace stagecraft::views::stack
