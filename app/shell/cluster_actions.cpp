#include "app/shell/cluster_actions.h"

#include "app/shell/session.h"
#include "app/shell/window_parts.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/scene_folding.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QGuiApplication>
#include <QMenu>

namespace stagecraft::app::shell {
ClusterActions::ClusterActions(ActionRegister& actions, Workspace& workspace, Workbench& workbench,
                               QObject* parent)
    : QObject(parent),
      actions_(actions),
      workspace_(workspace),
      workbench_(workbench),
      view_(*workbench.topology()),
      canvas_(*view_.canvas()),
      editor_(*view_.editor()) {
    addEditing();
    addParts();
    addLinkRates();
    addSelecting();
    addArranging();
    addViewing();
    addFolding();
    connect(&view_, &TopologyView::selectionChanged, &actions_, &ActionRegister::refresh);
    connect(&view_, &TopologyView::otherTextPasted, this, [this] {
        if (QAction* import = actions_.action(QStringLiteral("cluster.importClipboard"))) import->trigger();
    });
    connect(&view_, &TopologyView::menuWanted, this, &ClusterActions::showMenu);
}

QAction* ClusterActions::add(const ActionSpec& spec, std::function<void()> handler,
                             std::function<bool()> enabledWhen) {
    // Copy, paste and the like are those of other views too.
    QAction* action = actions_.add(
        spec,
        [this, handler = std::move(handler)] {
            if (inView()) handler();
        },
        [this, enabledWhen = std::move(enabledWhen)] { return inView() && (!enabledWhen || enabledWhen()); });
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    canvas_.addAction(action);
    return action;
}

void ClusterActions::addEditing() {
    const auto anything = [this] { return !editor_.selection().isEmpty(); };
    const auto nodes = [this] { return editor_.canDuplicate(); };
    add(
        {"edit.cut", editMenu, tr("Cu&t"), QKeySequence::Cut, "cut", true}, [this] { editor_.cut(); }, nodes);
    add(
        {"edit.copy", editMenu, tr("&Copy"), QKeySequence::Copy, "copy"}, [this] { editor_.copy(); }, nodes);
    add({"edit.paste", editMenu, tr("&Paste"), QKeySequence::Paste, "paste"},
        [this] { editor_.paste(canvas_.pointerInScene()); });
    add(
        {"edit.delete", editMenu, tr("&Delete"), QKeySequence::Delete, "remove"},
        [this] { editor_.remove(); }, anything);
    add({"edit.selectAll", editMenu, tr("Select &all"), QKeySequence::SelectAll},
        [this] { editor_.selectAll(); });
    add(
        {"cluster.duplicate", clusterMenu, tr("&Duplicate"), QKeySequence(tr("Ctrl+D")), "duplicate", true},
        [this] { editor_.duplicate(); }, nodes);
    add(
        {"cluster.duplicateTimes", clusterMenu, tr("Duplicate &several times…"),
         QKeySequence(tr("Ctrl+Shift+D"))},
        [this] { view_.duplicateTimes(); }, nodes);
}

void ClusterActions::addParts() {
    int key = Qt::Key_1;
    for (const PaletteEntry& entry : paletteEntries()) {
        const std::string id = std::string("cluster.add.") + entry.id;
        add({id.c_str(), clusterMenu, tr("Add %1").arg(entry.name), QKeySequence(key++), entry.icon,
             entry.part == PalettePart::gpu, addSubmenu},
            [this, part = entry.part] {
                canvas_.setPlacing(part);
                canvas_.setFocus();
            });
    }
    add({"cluster.link", clusterMenu, tr("&Link two things"), QKeySequence(tr("L")), "link"}, [this] {
        canvas_.setLinking(true);
        canvas_.setFocus();
    });
    const auto several = [this] {
        return editor_.selection().devices.size() + editor_.selection().switches.size() > 1;
    };
    add(
        {"cluster.linkRing", clusterMenu, tr("Link in a ring"), QKeySequence(tr("Shift+L")), "", false,
         addSubmenu},
        [this] { editor_.linkChosen(LinkShape::ring); }, several);
    add(
        {"cluster.linkMesh", clusterMenu, tr("Link each to each"), {}, "", false, addSubmenu},
        [this] { editor_.linkChosen(LinkShape::mesh); }, several);
    add(
        {"cluster.linkOneToOne", clusterMenu, tr("Link one to one"), QKeySequence(tr("Ctrl+Alt+L")), "",
         false, addSubmenu},
        [this] { editor_.linkOneToOne(); }, [this] { return editor_.canLinkOneToOne(); });
}

void ClusterActions::addLinkRates() {
    add(
        {"cluster.useDerivedRate", "", tr("Use the derived rate"), {}}, [this] { editor_.useDerivedRates(); },
        [this] { return editor_.canUseDerivedRates(); });
}

void ClusterActions::addSelecting() {
    const auto nodes = [this] { return editor_.canDuplicate(); };
    add(
        {"cluster.selectServers", clusterMenu, tr("Select whole servers"), QKeySequence(tr("Ctrl+Shift+A")),
         "", true},
        [this] { editor_.selectServers(); }, nodes);
    add(
        {"cluster.selectLinks", clusterMenu, tr("Select its lin&ks"), QKeySequence(tr("Ctrl+L"))},
        [this] { editor_.selectLinks(); }, nodes);
}

void ClusterActions::addArranging() {
    struct Row {
        const char* id;
        QString text;
        const char* keys;
        Alignment alignment;
        const char* icon;
    };
    const Row rows[] = {
        {"cluster.alignLeft", tr("Align left"), "Ctrl+Shift+Left", Alignment::left, "align-left"},
        {"cluster.alignCentre", tr("Align centres"), "", Alignment::centre, ""},
        {"cluster.alignRight", tr("Align right"), "Ctrl+Shift+Right", Alignment::right, ""},
        {"cluster.alignTop", tr("Align top"), "Ctrl+Shift+Up", Alignment::top, "align-top"},
        {"cluster.alignMiddle", tr("Align middles"), "", Alignment::middle, ""},
        {"cluster.alignBottom", tr("Align bottom"), "Ctrl+Shift+Down", Alignment::bottom, ""}};
    for (const Row& row : rows)
        add(
            {row.id, clusterMenu, row.text, QKeySequence(QLatin1String(row.keys)), row.icon,
             row.alignment == Alignment::left, alignSubmenu},
            [this, to = row.alignment] { editor_.align(to); }, [this] { return editor_.unitCount() > 1; });
    const auto three = [this] { return editor_.unitCount() > 2; };
    add(
        {"cluster.distributeAcross", clusterMenu, tr("Distribute across"), {}, "", true, alignSubmenu},
        [this] { editor_.distribute(ArrangeAxis::horizontal); }, three);
    add(
        {"cluster.distributeDown", clusterMenu, tr("Distribute down"), {}, "", false, alignSubmenu},
        [this] { editor_.distribute(ArrangeAxis::vertical); }, three);
    add(
        {"cluster.group", clusterMenu, tr("Group into a server"), QKeySequence(tr("Ctrl+Alt+G")), "", true,
         alignSubmenu},
        [this] { editor_.group(); }, [this] { return editor_.canGroup(); });
    add(
        {"cluster.ungroup", clusterMenu, tr("Ungroup"), QKeySequence(tr("Ctrl+Alt+U")), "", false,
         alignSubmenu},
        [this] { editor_.ungroup(); }, [this] { return editor_.canUngroup(); });
    add(
        {"cluster.rotate", clusterMenu, tr("Rotate by 90°"), QKeySequence(tr("R")), "", true, alignSubmenu},
        [this] { editor_.rotate(); }, [this] { return editor_.canRotate(); });
    add(
        {"cluster.layOut", clusterMenu, tr("Lay &out again"), QKeySequence(tr("Ctrl+Shift+L")), "layout"},
        [this] {
            editor_.layOutAfresh();
            canvas_.fit();
        },
        [this] { return !workspace_.problem().cluster.layout.empty(); });
}

void ClusterActions::addFolding() {
    const auto opens = [this] { return SceneFolding(view_.scene()).opens(editor_.selection()); };
    add(
        {"cluster.openOne", clusterMenu, tr("Open one of them"), {}, "", true},
        [this] { view_.toggleFolded(); }, opens);
    add(
        {"cluster.foldAgain", clusterMenu, tr("Fold again")}, [this] { view_.toggleFolded(); },
        [this, opens] { return !opens() && SceneFolding(view_.scene()).of(editor_.selection()); });
    const auto fold = [this](bool folds) {
        FoldChoice choice = view_.scene().folding();
        choice.folds = folds;
        view_.setFolding(choice);
        actions_.refresh();
    };
    add(
        {"cluster.showAll", "", tr("Show all servers")}, [fold] { fold(false); },
        [this] { return hasFolds(view_.scene().layout()); });
    add(
        {"cluster.foldAlike", "", tr("Fold like servers")}, [fold] { fold(true); },
        [this] { return !view_.scene().folding().folds; });
    connect(&canvas_, &TopologyCanvas::foldingWanted, &actions_, &ActionRegister::refresh,
            Qt::QueuedConnection);
}

void ClusterActions::addViewing() {
    add(
        {"cluster.find", clusterMenu, tr("F&ind…"), QKeySequence::Find, "search", true},
        [this] { view_.find(); }, [this] { return !view_.scene().isEmpty(); });
    add({"cluster.fit", clusterMenu, tr("&Fit"), QKeySequence(tr("F")), "fit", true},
        [this] { canvas_.fit(); });
    add(
        {"cluster.fitSelection", clusterMenu, tr("Fit s&election"), QKeySequence(tr("Shift+F"))},
        [this] { canvas_.fitSelection(); }, [this] { return !editor_.selection().isEmpty(); });
    addHabit({"cluster.grid", clusterMenu, tr("&Grid"), QKeySequence(tr("Ctrl+G"))}, QStringLiteral("grid"),
             [this](bool on) {
                 SnapSettings settings = canvas_.snapSettings();
                 settings.grid = on;
                 canvas_.setSnapSettings(settings);
             });
    addHabit({"cluster.guides", clusterMenu, tr("G&uides"), QKeySequence(tr("Ctrl+Shift+G"))},
             QStringLiteral("guides"), [this](bool on) {
                 SnapSettings settings = canvas_.snapSettings();
                 settings.guides = on;
                 canvas_.setSnapSettings(settings);
             });
    addHabit({"cluster.overview", clusterMenu, tr("O&verview"), QKeySequence(tr("O"))},
             QStringLiteral("overview"), [this](bool on) { canvas_.setOverviewWanted(on); });
}

QAction* ClusterActions::addHabit(const ActionSpec& spec, const QString& name,
                                  std::function<void(bool)> apply) {
    QAction* action = add(spec, [] {});
    action->setCheckable(true);
    action->setChecked(Preferences::canvasHabit(name));
    apply(action->isChecked());
    connect(action, &QAction::toggled, this, [name, apply = std::move(apply)](bool on) {
        Preferences::setCanvasHabit(name, on);
        apply(on);
    });
    return action;
}

bool ClusterActions::inView() const {
    return workspace_.isOpen() && workbench_.currentKey() == QLatin1String("cluster");
}

void ClusterActions::showMenu(const QPoint& globalPosition) {
    actions_.refresh();
    QMenu menu;
    const auto addAll = [&](std::initializer_list<const char*> ids) {
        menu.addSeparator();
        for (const char* id : ids)
            if (QAction* action = actions_.action(QLatin1String(id)); action && action->isEnabled())
                menu.addAction(action);
    };
    const ClusterSelection& chosen = editor_.selection();
    if (!chosen.isEmpty()) {
        menu.addAction(tr("Edit properties"), &view_, &TopologyView::detailsWanted)
            ->setShortcut(QKeySequence(Qt::Key_Return));
        addAll({"cluster.openOne", "cluster.foldAgain"});
        addAll({"edit.cut", "edit.copy", "edit.paste", "edit.delete"});
        addAll({"cluster.duplicate", "cluster.duplicateTimes"});
        addAll({"cluster.selectServers", "cluster.selectLinks"});
        addAll({"cluster.link", "cluster.linkRing", "cluster.linkMesh", "cluster.linkOneToOne",
                "cluster.useDerivedRate"});
        addAll({"cluster.alignLeft", "cluster.alignCentre", "cluster.alignRight", "cluster.alignTop",
                "cluster.alignMiddle", "cluster.alignBottom", "cluster.distributeAcross",
                "cluster.distributeDown", "cluster.group", "cluster.ungroup", "cluster.rotate"});
        addAll({"cluster.fitSelection"});
    } else {
        addAll({"edit.paste", "edit.selectAll"});
        addAll({"cluster.add.gpu", "cluster.add.server", "cluster.add.machine", "cluster.add.rack",
                "cluster.add.pcieSwitch", "cluster.add.nvSwitch", "cluster.add.networkSwitch", "cluster.link",
                "cluster.template"});
        addAll({"cluster.showAll", "cluster.foldAlike"});
        addAll({"cluster.layOut", "cluster.find", "cluster.fit", "cluster.grid", "cluster.guides",
                "cluster.overview"});
    }
    menu.exec(globalPosition);
}

}  // namespace stagecraft::app::shell
