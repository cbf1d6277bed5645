#include "app/shell/profile_actions.h"

#include "app/document/file_names.h"
#include "app/shell/window_parts.h"
#include "core/editing/profile_edit.h"
#include "core/formats/files/project_file.h"
#include "core/model/vocabulary.h"
#include "views/profile/profile_editor.h"
#include "views/profile/profile_view.h"

#include <QFileDialog>
#include <QInputDialog>
#include <QMenu>

#include <set>
#include <tuple>

namespace stagecraft::app::shell {
ProfileActions::ProfileActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                               QObject* parent)
    : QObject(parent),
      actions_(actions),
      workspace_(workspace),
      workbench_(workbench),
      view_(*workbench.profile()) {
    const auto canEdit = [this] { return view_.editor().canEdit(); };
    const auto chosen = [this] { return view_.editor().canEdit() && !view_.chosenLayers().empty(); };
    add({"profile.insert", profileMenu, tr("&Insert layer"), QKeySequence(Qt::Key_Insert), "", true},
        &ProfileEditor::insertLayer, canEdit);
    share("edit.delete", &ProfileEditor::deleteChosen, chosen);
    add({"profile.repeat", profileMenu, tr("&Repeat layers…"), QKeySequence(tr("Ctrl+R"))},
        &ProfileEditor::askCopies, chosen);
    add({"profile.scale", profileMenu, tr("&Multiply numbers…"), QKeySequence(tr("Ctrl+M"))},
        &ProfileEditor::askFactor, canEdit);
    add({"profile.merge", profileMenu, tr("Mer&ge layers"), QKeySequence(tr("Ctrl+J")), "", true},
        &ProfileEditor::mergeChosen, [this] { return view_.editor().canMerge(); });
    add({"profile.split", profileMenu, tr("Split into &nodes"), QKeySequence(tr("Ctrl+Shift+J"))},
        &ProfileEditor::splitChosen, [this] { return view_.editor().canSplit(); });
    add({"profile.finest", profileMenu, tr("&Finest layers: one per operator"), {}},
        &ProfileEditor::makeFinest, [this] { return view_.editor().canMakeFinest(); });
    add({"profile.regroup", profileMenu, tr("Re&group nodes"), {}}, &ProfileEditor::regroup,
        [this] { return view_.editor().canEdit() && view_.editor().hasNodes(); });
    share("edit.copy", &ProfileEditor::copyChosen, [this] { return !view_.chosenLayers().empty(); });
    share("edit.paste", &ProfileEditor::paste, chosen);
    add({"profile.pasteAsNew", profileMenu, tr("&Paste as new layers"), {}}, &ProfileEditor::pasteAsNew,
        canEdit);
    addSequences();
    addWords();
    addOtherGpu();
    addCharts();
    connect(&view_, &ProfileView::chosenLayersChanged, &actions_, &ActionRegister::refresh);
    connect(&view_, &ProfileView::menuRequested, this, &ProfileActions::showMenu);
}

void ProfileActions::add(const ActionSpec& spec, Operation operation, std::function<bool()> enabledWhen) {
    QAction* action = actions_.add(
        spec, [this, operation] { std::invoke(operation, view_.editor()); },
        inViewAnd(std::move(enabledWhen)));
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    view_.addAction(action);
}

void ProfileActions::share(const char* id, Operation operation, std::function<bool()> enabledWhen) {
    view_.addAction(actions_.share(
        QLatin1String(id), [this, operation] { std::invoke(operation, view_.editor()); },
        inViewAnd(std::move(enabledWhen))));
}

void ProfileActions::addCharts() {
    using Chart = ProfileView::Chart;
    const std::tuple<const char*, QString, Chart> charts[] = {
        {"profile.bars", tr("Layers as &bars"), Chart::bars},
        {"profile.curves", tr("C&umulative curves"), Chart::curves},
        {"profile.scatter", tr("&Time over bytes"), Chart::scatter},
        {"profile.graph", tr("Network as a grap&h"), Chart::graph}};
    for (const auto& [id, text, chart] : charts) {
        actions_.add(
            {id, profileMenu, text, {}, "", chart == Chart::bars},
            [this, chart = chart] {
                workbench_.showProfile();
                view_.showChart(chart);
            },
            inViewAnd([this, chart = chart] { return view_.canShow(chart); }));
    }
}

/// Slices of sequences can go one after the other in such networks alone, and few files say so.
void ProfileActions::addSequences() {
    QAction* causal = actions_.add(
        {"profile.causal", profileMenu, tr("Samples are &causal sequences"), {}, "", true},
        [this] {
            LayerProfile profile = workspace_.problem().profile;
            profile.causalSequence = !profile.causalSequence.value_or(false);
            workspace_.editProfile(std::move(profile), tr("Change kind of samples"));
        },
        [this] { return workspace_.isOpen() && !workspace_.problem().profile.layers.empty(); });
    causal->setCheckable(true);
    causal->setToolTip(
        tr("No part of a sample needs a later one, as in a decoder; schedules that cut sequences "
           "need that"));
    const auto show = [this, causal] {
        causal->setChecked(workspace_.problem().profile.causalSequence.value_or(false));
    };
    connect(&workspace_, &Workspace::projectReplaced, causal, show);
    connect(&workspace_, &Workspace::problemChanged, causal, show);
}

/// Schedules that share out the layers of a vocabulary need to know which those are.
void ProfileActions::addWords() {
    const auto isOfWords = [this] { return vocabularyLayers(workspace_.problem().profile).head >= 0; };
    QAction* words = actions_.add(
        {"profile.words", profileMenu, tr("Embedding and head of &words"), {}, "", false},
        [this, isOfWords] {
            LayerProfile profile = workspace_.problem().profile;
            setVocabularyLayers(profile, isOfWords() ? VocabularyEnds::none : VocabularyEnds::both);
            workspace_.editProfile(std::move(profile), tr("Change layers of words"));
        },
        [this] { return workspace_.isOpen() && workspace_.problem().profile.layerCount() > 1; });
    words->setCheckable(true);
    words->setToolTip(
        tr("The first layer looks words up and the last scores each of them; schedules that share these "
           "layers out need that"));
    const auto show = [this, words, isOfWords] { words->setChecked(workspace_.isOpen() && isOfWords()); };
    connect(&workspace_, &Workspace::projectReplaced, words, show);
    connect(&workspace_, &Workspace::problemChanged, words, show);
}

void ProfileActions::addOtherGpu() {
    QAction* other = actions_.add(
        {"profile.onGpu", profileMenu, tr("Add times on another GP&U…"), {}, "", true},
        [this] { askTimesOnGpu(); },
        [this] { return workspace_.isOpen() && !workspace_.problem().profile.layers.empty(); });
    other->setToolTip(
        tr("A profile of the same layers that was measured on another type of GPU; GPUs of that "
           "type go by its times"));
}

void ProfileActions::askTimesOnGpu() {
    const QString path =
        QFileDialog::getOpenFileName(&workbench_, tr("Times on another GPU"), {}, profileFilter());
    if (path.isEmpty()) return;
    std::set<QString> types;  // of the cluster
    for (const Device& device : workspace_.problem().cluster.devices)
        if (!device.gpu.empty()) types.insert(QString::fromStdString(device.gpu));
    bool isGiven = false;
    const QString gpu = QInputDialog::getItem(
        &workbench_, tr("Times on another GPU"),
        tr("The type of GPU that they were measured on, as devices have it, or part of that:"),
        QStringList(types.begin(), types.end()), 0, true, &isGiven);
    if (isGiven) addTimesOn(gpu.trimmed(), path);
}

void ProfileActions::addTimesOn(const QString& gpu, const QString& path) {
    workbench_.showProfile();
    try {
        const LayerProfile measured = openProfile(path.toStdString()).profile;
        workspace_.editProfile(withTimesOn(workspace_.problem().profile, measured, gpu.toStdString()),
                               tr("Add times on %1").arg(gpu));
    } catch (const std::exception& error) {
        view_.complain(QString::fromUtf8(error.what()));
    }
}

bool ProfileActions::inView() const {
    return workspace_.isOpen() && workbench_.currentKey() == QLatin1String("profile");
}

std::function<bool()> ProfileActions::inViewAnd(std::function<bool()> enabledWhen) const {
    return [this, enabledWhen = std::move(enabledWhen)] { return inView() && enabledWhen(); };
}

void ProfileActions::showMenu(const QPoint& globalPosition) {
    QMenu menu;
    for (QAction* action : view_.actions()) {
        const bool begins =
            actions_.beginsSection(action) || action->objectName() == QLatin1String("edit.copy");
        if (begins && !menu.isEmpty()) menu.addSeparator();
        menu.addAction(action);
    }
    menu.exec(globalPosition);
}

}  // namespace stagecraft::app::shell
