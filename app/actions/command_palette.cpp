#include "app/actions/command_palette.h"

#include "views/figures/figure_formats.h"

namespace stagecraft::app::actions {
namespace {

/// What people call a command besides its name.
QString alsoCalled(const QString& id) {
    static const std::pair<const char*, const char*> words[] = {
        {"view.theme", "theme dark light night mode appearance"},
        {"file.exportAll", "save pictures folder project"},
        {"file.export", "save figure picture perfetto chrome trace latex csv"},
        {"file.open", "load import"},
        {"file.newPlan", "configuration megatron torchtitan deepspeed hugging face search layouts auto"},
        {"file.engine", "configuration run launch"},
        {"experiment.measured", "measured measurements errors accuracy"},
        {"plan.setup", "microbatches mini-batch barrier memory limit channel settings"},
        {"plan.run", "plan planner"},
        {"cluster.replace", "import load topology nccl hwloc"},
        {"cluster.importClipboard", "paste nvidia-smi topology"},
        {"cluster.measurements", "nccl-tests osu nvbandwidth p2p benchmark rates"},
        {"profile.replace", "import load onnx csv graph"},
        {"profile.onGpu", "heterogeneous mixed types measured speed"},
        {"profile.generate", "model zoo bert resnet network"},
        {"play.", "animation movie apng gif"},
        {"help.keys", "shortcuts keyboard"},
        {"edit.undo", "revert back"}};
    for (const auto& [start, also] : words)
        if (id.startsWith(QLatin1String(start))) {
            const QString own = QString::fromLatin1(also);
            return id == QLatin1String("file.export") ? own + ' ' + figureFormatTitles() : own;
        }
    return {};
}

std::vector<ChoicePopup::Choice> choices(const ActionRegister& actions) {
    std::vector<ChoicePopup::Choice> found;
    for (const QAction* action : actions.all()) {
        const QString between = QStringLiteral("  ›  "), path = actions.pathOf(action, between);
        found.push_back(
            {actions.menuOf(action).isEmpty() ? CommandPalette::tr("Chart") + between + path : path,
             action->icon(), action->shortcut().toString(QKeySequence::NativeText),
             alsoCalled(action->objectName()), action->isEnabled()});
    }
    return found;
}

}  // namespace

CommandPalette::CommandPalette(const ActionRegister& actions, QWidget* parent)
    : ChoicePopup(tr("What do you want to do?"), choices(actions), parent) {
    setObjectName(QStringLiteral("commandPalette"));
    connect(this, &ChoicePopup::chosen, this, [found = actions.all()](int choice) {
        // Once the palette is gone: the action may open a window of its own.
        QMetaObject::invokeMethod(found[static_cast<std::size_t>(choice)], &QAction::trigger,
                                  Qt::QueuedConnection);
    });
}

}  // namespace stagecraft::app::actions
