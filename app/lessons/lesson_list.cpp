#include "app/lessons/lesson_list.h"

#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_player.h"
#include "views/common/widgets.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft::app::lessons {

namespace {

constexpr int listMargin = 16, titleMargin = 8;

QString progressText(const ShippedLesson& shipped) {
    const LessonProgress progress = LessonProgress::load(shipped.id);
    QString text = LessonList::tr("%1 minutes").arg(shipped.lesson.minutes);
    if (progress.steps == 0) return text;
    if (progress.step >= progress.steps)
        return text + LessonList::tr(" · done, %1 %").arg(std::lround(100 * progress.credit));
    return text + LessonList::tr(" · step %1 of %2").arg(progress.step + 1).arg(progress.steps);
}

/// A title as a button, in as many lines as it takes: the dock may be narrower.
class TitleButton : public QPushButton {
public:
    explicit TitleButton(const QString& title) : title_(newParagraph(title, "heading")) {
        setProperty("quiet", true);
        setAccessibleName(title);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        title_->setParent(this);
        title_->setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        const int wide = width() - 2 * titleMargin, high = title_->heightForWidth(wide);
        title_->setGeometry(titleMargin, titleMargin / 2, wide, high);
        setFixedHeight(high + titleMargin);
        QPushButton::resizeEvent(event);
    }

private:
    QLabel* title_;
};

}  // namespace

LessonList::LessonList(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("lessonList"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(listMargin, listMargin, listMargin, listMargin);
    column->setSpacing(4);
    column->addWidget(
        newParagraph(tr("Each lesson opens a sample, sets the window for every step, and asks. What you "
                        "reach in an exercise is judged by simulating it."),
                     "muted"));
    for (const ShippedLesson& shipped : shippedLessons()) {
        auto* button = new TitleButton(QString::fromStdString(shipped.lesson.title));
        button->setObjectName(QStringLiteral("lesson:") + shipped.id);
        button->setToolTip(QString::fromStdString(shipped.lesson.about));
        connect(button, &QPushButton::clicked, this, [this, id = shipped.id] { emit lessonChosen(id); });
        column->addSpacing(8);
        column->addWidget(button);
        auto* state = newParagraph({}, "muted");
        state->setObjectName(QStringLiteral("progress:") + shipped.id);
        state->setContentsMargins(8, 0, 0, 0);
        column->addWidget(state);
    }
    auto* open = new QPushButton(tr("Open a lesson of your own…"));
    connect(open, &QPushButton::clicked, this, &LessonList::openRequested);
    column->addSpacing(listMargin);
    column->addWidget(open, 0, Qt::AlignLeft);
    column->addStretch();
    setWidget(page);
    showProgress();
}

void LessonList::showProgress() {
    for (const ShippedLesson& shipped : shippedLessons())
        findChild<QLabel*>(QStringLiteral("progress:") + shipped.id)->setText(progressText(shipped));
}

void LessonList::showEvent(QShowEvent* event) {
    QScrollArea::showEvent(event);
    showProgress();
}

}  // namespace stagecraft::app::lessons
