#include "app/lessons/lesson_panel.h"

#include "app/help/markdown_view.h"
#include "app/lessons/lesson_list.h"
#include "app/lessons/lesson_player.h"
#include "app/lessons/task_card.h"
#include "views/common/flow_layout.h"
#include "views/common/widgets.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStyle>
#include <QTextDocument>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace stagecraft::app::lessons {

namespace {

constexpr int sideMargin = 16, rowSpacing = 8, progressHeight = 4;
constexpr int leastTaskHeight = 112;  // of a task with much to read, on a low screen

/// As high as the task, and scrolled where the window is too low for it.
class TaskScroll : public QScrollArea {
public:
    explicit TaskScroll(QWidget* card) {
        setObjectName(QStringLiteral("taskScroll"));
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setWidgetResizable(true);
        setWidget(card);
        card->setAutoFillBackground(false);
        viewport()->setAutoFillBackground(false);
        fit();
    }

    QSize sizeHint() const override { return {widget()->sizeHint().width(), maximumHeight()}; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool whole = QScrollArea::eventFilter(watched, event);
        const QEvent::Type type = event->type();
        if (watched == widget() &&
            (type == QEvent::LayoutRequest || type == QEvent::ShowToParent || type == QEvent::HideToParent))
            fit();
        return whole;
    }

    void resizeEvent(QResizeEvent* event) override {
        QScrollArea::resizeEvent(event);
        fit();
    }

private:
    void fit() {
        const QWidget& card = *widget();
        const int high = card.isHidden()            ? 0
                         : card.hasHeightForWidth() ? card.heightForWidth(viewport()->width())
                                                    : card.sizeHint().height();
        setMaximumHeight(high);
        setMinimumSize(card.isHidden() ? 0 : card.minimumSizeHint().width(), std::min(high, leastTaskHeight));
        updateGeometry();
    }
};

}  // namespace

LessonPanel::LessonPanel(LessonPlayer& player, const ActionRegister& actions, QWidget* parent)
    : QWidget(parent), player_(player), pages_(new QStackedWidget), list_(new LessonList) {
    setObjectName(QStringLiteral("lessonPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    pages_->addWidget(list_);
    pages_->addWidget(makeLesson(actions));
    connect(&player_, &LessonPlayer::stepShown, this, &LessonPanel::showStep);
    connect(&player_, &LessonPlayer::resultChanged, this, &LessonPanel::showState);
    connect(&player_, &LessonPlayer::stopped, this, [this] { pages_->setCurrentWidget(list_); });
}

QWidget* LessonPanel::makeLesson(const ActionRegister& actions) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, rowSpacing, 0, rowSpacing);
    column->setSpacing(rowSpacing);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(sideMargin, 0, sideMargin, 0);
    title_ = newParagraph({}, "heading");
    place_ = newLine({}, "muted");
    place_->setObjectName(QStringLiteral("lessonPlace"));
    progress_ = new QProgressBar;
    progress_->setTextVisible(false);
    progress_->setFixedHeight(progressHeight);
    head->addWidget(title_);
    head->addWidget(place_);
    head->addWidget(progress_);
    column->addLayout(head);
    text_ = new MarkdownView(actions);
    text_->setObjectName(QStringLiteral("lessonText"));
    connect(text_, &MarkdownView::topicChosen, this, &LessonPanel::topicChosen);
    connect(text_, &MarkdownView::statusText, this, &LessonPanel::statusText);
    connect(text_, &MarkdownView::heightChanged, this, &LessonPanel::fitText);
    column->addWidget(text_, 1000);
    auto* task = new QVBoxLayout;
    task->setContentsMargins(sideMargin, 0, sideMargin, 0);
    task->addWidget(new TaskScroll(new TaskCard(player_)));
    column->addLayout(task);
    column->addStretch(1);
    column->addWidget(makeSteps());
    return page;
}

QWidget* LessonPanel::makeSteps() {
    auto* bar = new QWidget;
    auto* row = new FlowLayout(rowSpacing, bar);
    row->setContentsMargins(sideMargin, 0, sideMargin, 0);
    back_ = new QPushButton(tr("Back"));
    back_->setObjectName(QStringLiteral("lessonBack"));
    connect(back_, &QPushButton::clicked, this, [this] { player_.goTo(player_.step() - 1); });
    next_ = new QPushButton;
    next_->setObjectName(QStringLiteral("lessonNext"));
    connect(next_, &QPushButton::clicked, this, &LessonPanel::goNext);
    auto* all = new QPushButton(tr("All lessons"));
    all->setObjectName(QStringLiteral("lessonAll"));
    all->setProperty("quiet", true);
    connect(all, &QPushButton::clicked, &player_, &LessonPlayer::stop);
    auto* print = new QPushButton(tr("Hand-out…"));
    print->setProperty("quiet", true);
    print->setToolTip(tr("This lesson as a PDF, with or without its answers"));
    connect(print, &QPushButton::clicked, this, &LessonPanel::handOutRequested);
    // Those that belong together stay together where the dock is narrow.
    auto* pair = new QWidget;
    auto* steps = new QHBoxLayout(pair);
    steps->setContentsMargins(0, 0, 0, 0);
    steps->setSpacing(rowSpacing);
    steps->addWidget(back_);
    steps->addWidget(next_);
    row->addWidget(pair);
    row->addWidget(all);
    row->addWidget(print);
    return bar;
}

void LessonPanel::showStep() {
    pages_->setCurrentIndex(1);
    const LessonStep& step = player_.current();
    title_->setText(QString::fromStdString(player_.lesson().title));
    const int steps = static_cast<int>(player_.lesson().steps.size());
    progress_->setRange(0, steps);
    progress_->setValue(player_.step() + 1);
    const QString heading =
        player_.step() > 0 ? "## " + QString::fromStdString(step.title) + "\n\n" : QString();
    text_->showText(heading + QString::fromStdString(step.text), player_.id() + ".lesson.md");
    back_->setEnabled(player_.step() > 0);
    fitText();
    showState();
    if (std::holds_alternative<std::monostate>(step.task)) next_->setFocus();
}

void LessonPanel::fitText() {
    text_->setMaximumHeight(static_cast<int>(std::ceil(text_->document()->size().height())) +
                            2 * text_->frameWidth());
}

void LessonPanel::showState() {
    if (!player_.isRunning()) return;
    const int steps = static_cast<int>(player_.lesson().steps.size());
    const bool done = player_.isDone(player_.step());
    QString place = tr("Step %1 of %2").arg(player_.step() + 1).arg(steps);
    if (player_.isLast() && done) place += tr(" · done, %1 %").arg(std::lround(100 * player_.credit()));
    place_->setText(place);
    next_->setText(player_.isLast() ? tr("Finish") : done ? tr("Next") : tr("Skip"));
    next_->setProperty("primary", done);
    // A style sheet reads properties once, when it first styles a widget.
    next_->style()->unpolish(next_);
    next_->style()->polish(next_);
}

void LessonPanel::goNext() {
    if (player_.isLast())
        player_.stop();
    else
        player_.goTo(player_.step() + 1);
}

}  // namespace stagecraft::app::lessons
