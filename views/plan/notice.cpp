#include "views/plan/notice.h"

#include "core/base/units.h"
#include "core/runs/cautions.h"
#include "core/runs/standing.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::plan {

namespace {

constexpr std::size_t mostDetails = 12;

QString excessText(const PlanRun& run, const MemoryExcess& excess) {
    const auto device = static_cast<std::size_t>(excess.device);
    const Problem& problem = run.costs->problem();
    return QStringLiteral("%1 exceeds its %2 by %3, first at %4; most of it is %5")
        .arg(QString::fromStdString(problem.cluster.devices[device].id),
             QString::fromStdString(formatBytes(problem.memoryLimitBytes(excess.device))),
             QString::fromStdString(formatBytes(excess.excessBytes)),
             QString::fromStdString(formatSeconds(excess.timeS)), memoryKindName(excess.largest));
}

template <typename Items, typename Text>
QString listed(const Items& items, Text text) {
    QStringList lines;
    for (std::size_t i = 0; i < items.size() && i < mostDetails; ++i) lines << text(items[i]);
    if (items.size() > mostDetails) lines << QStringLiteral("and %1 more").arg(items.size() - mostDetails);
    return lines.join("\n");
}

}  // namespace

NoticeRow::NoticeRow(Kind kind, QWidget* parent)
    : QFrame(parent), kind_(kind), text_(new QLabel(this)), show_(new QToolButton(this)) {
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    show_->setText("Show");
    show_->setFocusPolicy(Qt::TabFocus);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 6, 8, 6);
    layout->addWidget(text_, 1);
    layout->addWidget(show_);
    connect(show_, &QToolButton::clicked, this, &NoticeRow::showRequested);
    hide();
}

void NoticeRow::setNotice(const QString& text, const QString& more, bool canShow) {
    text_->setText(text);
    setToolTip(more);
    show_->setVisible(canShow);
    setVisible(!text.isEmpty());
}

void NoticeRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const QColor colour = kind_ == Kind::error ? theme.error : theme.warning;
    QColor wash = colour;
    wash.setAlpha(28);
    painter.fillRect(rect(), theme.surface);
    painter.fillRect(rect(), wash);
    painter.fillRect(0, 0, 4, height(), colour);
}

PlanNotices::PlanNotices(QWidget* parent)
    : QWidget(parent),
      violations_(new NoticeRow(NoticeRow::Kind::error, this)),
      excess_(new NoticeRow(NoticeRow::Kind::error, this)),
      caution_(new NoticeRow(NoticeRow::Kind::warning, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(violations_);
    column->addWidget(excess_);
    column->addWidget(caution_);
    connect(violations_, &NoticeRow::showRequested, this, &PlanNotices::showViolation);
    connect(excess_, &NoticeRow::showRequested, this, &PlanNotices::showExcess);
}

void PlanNotices::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = std::move(run);
    violations_->setNotice({}, {}, false);
    excess_->setNotice({}, {}, false);
    caution_->setNotice({}, {}, false);
    if (!run_) return;
    const Evaluation& evaluation = *run_->evaluation;
    const bool located = std::any_of(evaluation.violations.begin(), evaluation.violations.end(),
                                     [](const Violation& it) { return it.block != noBlock; });
    // What was made for another problem is out of date; that it breaks rules of this one says nothing more.
    if (isCompared(*run_))
        violations_->setNotice(violationNotice(evaluation), violationDetails(evaluation), located);
    excess_->setNotice(memoryNotice(*run_), memoryDetails(*run_), true);
    caution_->setNotice(cautionNotice(*run_), {}, false);
}

void PlanNotices::showViolation() {
    for (const Violation& violation : run_->evaluation->violations)
        if (violation.block != noBlock) return emit blockRequested(violation.block);
}

void PlanNotices::showExcess() {
    const std::vector<MemoryExcess>& excesses = run_->evaluation->metrics.excesses;
    const auto worst = std::max_element(
        excesses.begin(), excesses.end(),
        [](const MemoryExcess& a, const MemoryExcess& b) { return a.excessBytes < b.excessBytes; });
    emit excessRequested(worst->device, worst->timeS);
}

QString violationNotice(const Evaluation& evaluation) {
    if (evaluation.valid()) return {};
    const Violation& first = evaluation.violations.front();
    const std::size_t others = evaluation.violations.size() - 1;
    QString text = QStringLiteral("<b>Invalid plan.</b> %1 (%2)")
                       .arg(QString::fromStdString(first.message).toHtmlEscaped(), ruleName(first.rule));
    if (others > 0) text += QStringLiteral(" · %1 more").arg(others);
    return text;
}

QString violationDetails(const Evaluation& evaluation) {
    return listed(evaluation.violations, [](const Violation& violation) {
        return QStringLiteral("%1: %2").arg(ruleName(violation.rule),
                                            QString::fromStdString(violation.message));
    });
}

QString memoryNotice(const PlanRun& run) {
    const Metrics& metrics = run.evaluation->metrics;
    if (metrics.fitsMemory || metrics.excesses.empty()) return {};
    const MemoryExcess* worst = &metrics.excesses.front();
    for (const MemoryExcess& excess : metrics.excesses)
        if (excess.excessBytes > worst->excessBytes) worst = &excess;
    QString text = "<b>Does not fit in memory.</b> " + excessText(run, *worst).toHtmlEscaped();
    if (const std::size_t others = metrics.excesses.size() - 1; others > 0)
        text += QStringLiteral(" · ") + countedText(static_cast<long long>(others), "more device");
    return text;
}

QString memoryDetails(const PlanRun& run) {
    return listed(run.evaluation->metrics.excesses,
                  [&run](const MemoryExcess& excess) { return excessText(run, excess); });
}

QString cautionNotice(const PlanRun& run) {
    QStringList sentences;
    for (const std::string& caution : runs::cautionsOn(run))
        sentences << QString::fromStdString(caution).toHtmlEscaped();
    return sentences.join(QLatin1Char(' '));
}

QString failureHeading(const PlanRun& run) {
    switch (run.result.status) {
        case PlanStatus::infeasible:
            return "No plan is possible";
        case PlanStatus::failed:
            return "Planning failed";
        case PlanStatus::ok:
            break;
    }
    return "The plan could not be simulated";
}

}  // namespace stagecraft::views::plan
