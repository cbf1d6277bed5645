#include "views/pareto/pareto_view.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/figures/figure_formats.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>

namespace stagecraft::views::pareto {

namespace {

constexpr int fieldWidth = 160;                  // "1333.33 samples/s"
constexpr int askWidth = 104, answerWidth = 84;  // texts break into lines from here on
constexpr int widestAnswer = 320;
constexpr double firstSpeed = 0.8;  // of the fastest, where the second question starts

}  // namespace

ParetoView::ParetoView(QWidget* parent)
    : QWidget(parent), pages_(new QStackedWidget), chart_(new ParetoChart) {
    setObjectName(QStringLiteral("paretoView"));
    auto* results = new QWidget;
    auto* column = new QVBoxLayout(results);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(chart_, 1);
    column->addWidget(makeQuestions());
    pages_->addWidget(makeStartPage());
    pages_->addWidget(results);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(pages_);
    connect(chart_, &ParetoChart::picked, this, &ParetoView::planRequested);
    refreshIcons();
    setRunning(false);
}

QWidget* ParetoView::makeStartPage() {
    auto* page = new QWidget;
    auto* lines = new QVBoxLayout(page);
    auto* title = new QLabel(tr("Throughput versus memory"));
    title->setProperty("role", "title");
    auto* text = new QLabel(
        tr("Throughput versus memory per GPU, without a barrier between mini-batches.\nMadPipe "
           "plans for less and less memory: with one stage per GPU, and with several stages on one."));
    text->setAlignment(Qt::AlignCenter);
    text->setWordWrap(true);
    auto* start = new QPushButton(tr("Compute both curves"));
    start->setObjectName(QStringLiteral("firstStartPareto"));
    start->setProperty("primary", true);
    connect(start, &QPushButton::clicked, this, &ParetoView::startRequested);
    lines->addStretch(2);
    lines->addWidget(title, 0, Qt::AlignCenter);
    lines->addSpacing(8);
    lines->addWidget(text);
    lines->addSpacing(16);
    lines->addWidget(start, 0, Qt::AlignCenter);
    lines->addStretch(3);
    return page;
}

QWidget* ParetoView::makeBar() {
    auto* bar = new QWidget;
    start_ = new QPushButton;
    start_->setObjectName(QStringLiteral("startPareto"));
    connect(start_, &QPushButton::clicked, this,
            [this] { running_ ? emit stopRequested() : emit startRequested(); });
    progress_ = new QProgressBar;
    progress_->setRange(0, progressSteps);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(120);
    status_ = new QLabel;
    status_->setObjectName(QStringLiteral("paretoStatus"));
    status_->setProperty("role", "muted");
    status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    axis_ = new QComboBox;
    axis_->setObjectName(QStringLiteral("paretoAxis"));
    axis_->addItems({tr("Period"), tr("Throughput")});
    axis_->setToolTip(tr("What the vertical axis shows"));
    axis_->setFocusPolicy(Qt::TabFocus);
    connect(axis_, &QComboBox::currentIndexChanged, this, &ParetoView::showSeries);
    export_ = new QToolButton;
    export_->setObjectName(QStringLiteral("exportPareto"));
    export_->setToolTip(tr("Save the curves as SVG, PDF, PNG, TikZ or CSV"));
    setActionOfTip(*export_, "file.export");
    export_->setAutoRaise(true);
    export_->setFocusPolicy(Qt::TabFocus);
    connect(export_, &QToolButton::clicked, this, &ParetoView::exportRequested);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 8, 8, 4);
    row->setSpacing(8);
    row->addWidget(start_);
    row->addWidget(progress_);
    row->addWidget(status_, 1);
    row->addWidget(axis_);
    row->addWidget(export_);
    return bar;
}

QWidget* ParetoView::makeQuestions() {
    auto* page = new QWidget;
    auto* grid = new QGridLayout(page);
    grid->setContentsMargins(12, 4, 12, 12);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(4);
    const auto add = [&](int row, Question& question, const QString& asks, const char* name,
                         const QString& suffix, bool fastest) {
        auto* label = new QLabel(asks);
        label->setWordWrap(true);
        label->setMinimumWidth(askWidth);
        question.value = new QDoubleSpinBox;
        question.value->setObjectName(QLatin1String(name));
        question.value->setAccessibleName(asks);
        question.value->setRange(0.01, 1e9);
        question.value->setDecimals(2);
        question.value->setSuffix(suffix);
        question.value->setAlignment(Qt::AlignRight);
        question.value->setFixedWidth(fieldWidth);
        label->setBuddy(question.value);
        grid->addWidget(label, row, 0);
        grid->addWidget(question.value, row, 1);
        for (int series = 0; series < 2; ++series) {
            auto* text = new QLabel;
            text->setObjectName(QStringLiteral("%1Answer%2").arg(QLatin1String(name)).arg(series));
            auto* open = new QPushButton(tr("Open"));
            open->setObjectName(QStringLiteral("%1Open%2").arg(QLatin1String(name)).arg(series));
            open->setToolTip(tr("Open this plan in a tab"));
            connect(open, &QPushButton::clicked, this,
                    [this, fastest, series] { emit planRequested(answer(fastest, series)); });
            // The window's width must not depend on what is found.
            text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
            text->setWordWrap(true);
            text->setMinimumWidth(answerWidth);
            text->setMaximumWidth(widestAnswer);
            grid->addWidget(text, row, 2 + 2 * series);
            grid->addWidget(open, row, 3 + 2 * series);
            question.answers.push_back(text);
            question.opens.push_back(open);
        }
        connect(question.value, &QDoubleSpinBox::valueChanged, this, [this, fastest] {
            if (showing_) return;
            fastestAskedLast_ = fastest;
            if (!fastest) speedChosen_ = true;
            showAnswers();
        });
    };
    for (int series = 0; series < 2; ++series) {
        auto* head = new QLabel(ParetoSeries{series == 0 ? "contiguous" : "madpipe", {}}.title());
        head->setProperty("role", "muted");
        head->setWordWrap(true);
        head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        grid->addWidget(head, 0, 2 + 2 * series);
    }
    add(1, memory_, tr("Fastest at this memory per GPU"), "askedMemory", tr(" GiB"), true);
    add(2, speed_, tr("Least memory at this speed"), "askedSpeed", tr(" samples/s"), false);
    for (const int column : {2, 4}) grid->setColumnStretch(column, 4);
    grid->setColumnStretch(6, 1);
    return page;
}

bool ParetoView::isEmpty() const {
    return std::all_of(series_.begin(), series_.end(),
                       [](const ParetoSeries& each) { return each.points.empty(); });
}

void ParetoView::setSeries(const std::vector<ParetoSeries>& series, int samples) {
    series_ = series;
    samples_ = samples;
    if (isEmpty()) speedChosen_ = false;
    showSeries();
}

void ParetoView::setLimit(double bytes) {
    if (bytes == limitBytes_) return;
    limitBytes_ = bytes;
    showing_ = true;
    memory_.value->setValue(bytes / gib);
    showing_ = false;
    showSeries();
}

void ParetoView::setRunning(bool running) {
    running_ = running;
    start_->setText(running ? tr("Stop") : tr("Compute again"));
    progress_->setVisible(running);
    pages_->setCurrentIndex(running || !isEmpty() || !status_->text().isEmpty() ? 1 : 0);
}

void ParetoView::setProgress(double fraction) {
    progress_->setValue(static_cast<int>(fraction * progressSteps));
}

void ParetoView::setStatus(const QString& text, bool isError) {
    status_->setText(text);
    status_->setToolTip(text);
    status_->setProperty("role", isError ? "error" : "muted");
    status_->style()->unpolish(status_);
    status_->style()->polish(status_);
    setRunning(running_);
}

bool ParetoView::showsThroughput() const { return axis_->currentIndex() == 1; }

void ParetoView::showSeries() {
    ParetoFigureOptions options;
    options.samples = samples_;
    options.throughput = showsThroughput();
    options.limitBytes = limitBytes_;
    chart_->setSeries(series_, options);
    export_->setEnabled(!isEmpty());
    if (!speedChosen_) {
        double fastest = 0;
        for (const ParetoSeries& each : series_)
            for (const ParetoPoint& point : each.points)
                fastest = std::max(fastest, samples_ / point.periodS);
        showing_ = true;
        if (fastest > 0) speed_.value->setValue(firstSpeed * fastest);
        showing_ = false;
    }
    showAnswers();
    setRunning(running_);
}

double ParetoView::askedBytes() const {
    // The field rounds: who asks for the devices' memory means all of it.
    const double bytes = memory_.value->value() * gib;
    return std::abs(bytes - limitBytes_) < 0.005 * gib ? limitBytes_ : bytes;
}

double ParetoView::askedPeriodS() const { return samples_ / speed_.value->value(); }

ParetoPlace ParetoView::answer(bool fastest, int series) const {
    if (series >= static_cast<int>(series_.size())) return {};
    const std::vector<ParetoPoint>& points = series_[static_cast<std::size_t>(series)].points;
    const ParetoPoint* found =
        fastest ? fastestWithin(points, askedBytes()) : leanestWithin(points, askedPeriodS());
    return found ? ParetoPlace{series, static_cast<int>(found - points.data())} : ParetoPlace();
}

void ParetoView::showAnswers() {
    std::vector<ParetoPlace> answers;
    for (int series = 0; series < 2; ++series) {
        showAnswer(memory_, true, series);
        showAnswer(speed_, false, series);
        if (const ParetoPlace place = answer(fastestAskedLast_, series)) answers.push_back(place);
    }
    chart_->setAsked(fastestAskedLast_ ? askedBytes() : 0, fastestAskedLast_ ? 0 : askedPeriodS(),
                     std::move(answers));
}

void ParetoView::showAnswer(const Question& question, bool fastest, int series) {
    const auto column = static_cast<std::size_t>(series);
    const ParetoPlace place = answer(fastest, series);
    question.opens[column]->setEnabled(static_cast<bool>(place));
    if (!place) {
        const bool none = column >= series_.size() || series_[column].points.empty();
        question.answers[column]->setText(none ? QString(QChar(0x2013)) : tr("not possible"));
        return;
    }
    const ParetoPoint& point = series_[column].points[static_cast<std::size_t>(place.point)];
    question.answers[column]->setText(tr("%1 samples/s (%2), %3")
                                          .arg(QString::fromStdString(formatNumber(samples_ / point.periodS)),
                                               QString::fromStdString(formatSeconds(point.periodS)),
                                               QString::fromStdString(formatBytes(point.memoryBytes))));
}

void ParetoView::refreshIcons() { export_->setIcon(lineIcon(QStringLiteral("export"))); }

void ParetoView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && export_) refreshIcons();
}

}  // namespace stagecraft::views::pareto
