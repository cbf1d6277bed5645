#include "app/shell/lesson_actions.h"

#include "app/document/file_names.h"
#include "app/lessons/class_window.h"
#include "app/lessons/hand_out.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_list.h"
#include "app/lessons/lesson_panel.h"
#include "app/lessons/lesson_player.h"
#include "app/panels/right_dock.h"
#include "app/shell/session.h"
#include "app/shell/window_parts.h"
#include "app/shell/window_stage.h"
#include "core/formats/text_file.h"
#include "core/lessons/results.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMainWindow>
#include <QStatusBar>

namespace stagecraft::app::shell {

LessonActions::LessonActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                             FileController& files, QMainWindow& window)
    : QObject(&window),
      actions_(actions),
      window_(window),
      stage_(new WindowStage(actions, workspace, workbench, files, this)),
      player_(new LessonPlayer(*stage_, this)) {
    const auto isRunning = [this] { return player_->isRunning(); };
    actions.add({"lesson.list", lessonMenu, tr("&Lessons"), {}, "present"}, [this] { showList(); });
    actions.add({"lesson.open", lessonMenu, tr("&Open lesson…"), {}, "open"}, [this] { askFile(); });
    actions.add(
        {"lesson.handOut", lessonMenu, tr("&Hand-out…"), {}, "export"}, [this] { askHandOut(); }, isRunning);
    actions.add(
        {"lesson.results", lessonMenu, tr("Save my &results…"), {}, "save"}, [this] { askResults(); },
        isRunning);
    actions.add({"lesson.class", lessonMenu, tr("&Class results…"), {}, "compare"}, [this] { showClass(); });
    actions.add(
        {"lesson.end", lessonMenu, tr("&End lesson"), {}}, [this] { player_->stop(); }, isRunning);
    connect(player_, &LessonPlayer::started, this, [this] {
        stage_->setWatching(true);
        actions_.refresh();
    });
    connect(player_, &LessonPlayer::stopped, this, [this] {
        stage_->setWatching(false);
        actions_.refresh();
    });
}

void LessonActions::watchActions() { stage_->watchActions(); }

LessonPanel& LessonActions::panel() {
    if (!dock_) {
        dock_ = new QDockWidget(tr("Lessons"));
        dock_->setObjectName(QStringLiteral("lessonDock"));
        auto* panel = new LessonPanel(*player_, actions_);
        dock_->setWidget(panel);
        addRightDock(window_, *dock_);
        connect(&panel->list(), &LessonList::lessonChosen, this, &LessonActions::take);
        connect(&panel->list(), &LessonList::openRequested, this, &LessonActions::askFile);
        connect(&panel->list(), &LessonList::fileChosen, this, &LessonActions::openFile);
        connect(panel, &LessonPanel::handOutRequested, this, &LessonActions::askHandOut);
        connect(panel, &LessonPanel::topicChosen, this, &LessonActions::topicChosen);
        connect(panel, &LessonPanel::statusText, window_.statusBar(),
                [bar = window_.statusBar()](const QString& text) { bar->showMessage(text, messageMs); });
    }
    static_cast<LessonPanel*>(dock_->widget())->list().setFolder(Preferences::lessonsFolder());
    dock_->show();
    dock_->raise();
    return *static_cast<LessonPanel*>(dock_->widget());
}

void LessonActions::showList() { panel().list().showProgress(); }

void LessonActions::take(const QString& id) {
    const ShippedLesson* shipped = findLesson(id);
    if (!shipped) return;
    panel();
    const LessonProgress progress = LessonProgress::load(id);
    player_->start(shipped->lesson, id, progress.step < progress.steps ? progress.step : 0);
}

void LessonActions::openFile(const QString& path) {
    try {
        const std::vector<InputError> faults = lessonFaults(path.toStdString());
        // All but the first, which is thrown below.
        for (std::size_t i = 1; i < faults.size(); ++i) try {
                throw faults[i];
            } catch (...) {
                emit failed(failureOf(path));
            }
        Lesson lesson = openLesson(path.toStdString());
        const auto unknown = actionFaults(lesson, path.toStdString(),
                                          [this](const std::string& id) { return stage_->hasAction(id); });
        if (!unknown.empty()) throw unknown.front();
        panel();
        const QString id = fileNameOf(path);
        // From where it was left, unless it has changed since.
        const LessonProgress progress = LessonProgress::load(id);
        const bool goesOn =
            progress.steps == static_cast<int>(lesson.steps.size()) && progress.step < progress.steps;
        player_->start(std::move(lesson), id, goesOn ? progress.step : 0);
    } catch (...) {
        emit failed(failureOf(path));
    }
}

void LessonActions::askFile() {
    const QString path = QFileDialog::getOpenFileName(
        &window_, tr("Open lesson"), Preferences::lessonsFolder(), tr("Lessons (*.lesson.md)"));
    if (!path.isEmpty()) openFile(path);
}

void LessonActions::askHandOut() {
    const QString blank = tr("With room for answers (*.pdf)"), answered = tr("With answers (*.pdf)");
    QString filter = blank;
    QString path = QFileDialog::getSaveFileName(
        &window_, tr("Hand-out"), player_->id() + QStringLiteral(".pdf"), blank + ";;" + answered, &filter);
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".pdf"))) path += QLatin1String(".pdf");
    try {
        writeHandOut(player_->lesson(), filter == answered, path.toStdString());
        window_.statusBar()->showMessage(tr("Written to %1").arg(path), messageMs);
    } catch (...) {
        emit failed(failureOf(path));
    }
}

void LessonActions::askResults() {
    const QString suffix =
        QString::fromUtf8(resultsSuffix.data(), static_cast<qsizetype>(resultsSuffix.size()));
    QString path = QFileDialog::getSaveFileName(&window_, tr("Save my results under your name"),
                                                tr("My name") + suffix, tr("Results (*%1)").arg(suffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(suffix)) path += suffix;
    try {
        const QString name = QFileInfo(path).fileName().chopped(suffix.size());
        writeFileAtomically(path.toStdString(), writeResults(player_->results(name)));
        window_.statusBar()->showMessage(tr("Written to %1").arg(path), messageMs);
    } catch (...) {
        emit failed(failureOf(path));
    }
}

void LessonActions::showClass() {
    if (!class_) class_ = new ClassWindow(&window_);
    class_->show();
    class_->raise();
    class_->activateWindow();
}

}  // namespace stagecraft::app::shell
