#include "app/lessons/lesson_list.h"

#include "app/document/file_names.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_player.h"
#include "views/common/widgets.h"

#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft::app::lessons {

namespace {

constexpr int listMargin = 16, titleMargin = 8;

QString progressText(const QString& id, int minutes) {
    const LessonProgress progress = LessonProgress::load(id);
    QString text = LessonList::tr("%1 minutes").arg(minutes);
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

/// A lesson's title to click, and below it how far a person is. @return the title
QPushButton* addLesson(QVBoxLayout& column, const QString& title, const QString& about, const QString& state,
                       const QString& name) {
    auto* button = new TitleButton(title);
    button->setObjectName(QStringLiteral("lesson:") + name);
    button->setToolTip(about);
    column.addSpacing(8);
    column.addWidget(button);
    auto* below = newParagraph(state, "muted");
    below->setObjectName(QStringLiteral("progress:") + name);
    below->setContentsMargins(8, 0, 0, 0);
    column.addWidget(below);
    return button;
}

}  // namespace

LessonList::LessonList(QWidget* parent) : QScrollArea(parent), column_(new QVBoxLayout) {
    setObjectName(QStringLiteral("lessonList"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget;
    page->setLayout(column_);
    column_->setContentsMargins(listMargin, listMargin, listMargin, listMargin);
    column_->setSpacing(4);
    column_->addWidget(
        newParagraph(tr("Each lesson opens a sample, sets the window for every step, and asks. What you "
                        "reach in an exercise is judged by simulating it."),
                     "muted"));
    for (const ShippedLesson& shipped : shippedLessons())
        connect(addLesson(*column_, QString::fromStdString(shipped.lesson.title),
                          QString::fromStdString(shipped.lesson.about), {}, shipped.id),
                &QPushButton::clicked, this, [this, id = shipped.id] { emit lessonChosen(id); });
    auto* open = new QPushButton(tr("Open a lesson of your own…"));
    connect(open, &QPushButton::clicked, this, &LessonList::openRequested);
    column_->addSpacing(listMargin);
    column_->addWidget(open, 0, Qt::AlignLeft);
    column_->addStretch();
    setWidget(page);
    showProgress();
}

void LessonList::setFolder(const QString& folder) {
    folder_ = folder;
    readFolder();
}

void LessonList::readFolder() {
    if (own_) {
        own_->hide();
        own_->setParent(nullptr);
        own_->deleteLater();  // one of its titles may have been clicked
        own_ = nullptr;
    }
    const std::vector<OwnLesson> lessons = lessonsIn(folder_);
    if (lessons.empty()) return;
    own_ = new QWidget;
    own_->setObjectName(QStringLiteral("ownLessons"));
    auto* column = new QVBoxLayout(own_);
    column->setContentsMargins(0, listMargin, 0, 0);
    column->setSpacing(4);
    column->addWidget(newParagraph(tr("In %1").arg(QDir::toNativeSeparators(folder_)), "muted"));
    for (const OwnLesson& own : lessons) {
        const QString name = QFileInfo(own.path).fileName();
        QPushButton* title =
            own.lesson ? addLesson(*column, QString::fromStdString(own.lesson->title),
                                   QString::fromStdString(own.lesson->about),
                                   progressText(fileNameOf(own.path), own.lesson->minutes), name)
                       : addLesson(*column, name, own.fault, tr("No lesson: open it to see why"), name);
        connect(title, &QPushButton::clicked, this, [this, path = own.path] { emit fileChosen(path); });
    }
    // Above the button that opens others, and the stretch.
    column_->insertWidget(column_->count() - 3, own_);
}

void LessonList::showProgress() {
    for (const ShippedLesson& shipped : shippedLessons())
        findChild<QLabel*>(QStringLiteral("progress:") + shipped.id)
            ->setText(progressText(shipped.id, shipped.lesson.minutes));
    readFolder();
}

void LessonList::showEvent(QShowEvent* event) {
    QScrollArea::showEvent(event);
    showProgress();
}

}  // namespace stagecraft::app::lessons
