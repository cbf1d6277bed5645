#include "app/shell/profile_intake.h"

#include "app/document/workspace.h"
#include "app/profile/csv_dialog.h"
#include "app/profile/generate_dialog.h"
#include "app/profile/model_dialog.h"
#include "app/shell/session.h"
#include "core/base/counted.h"
#include "core/formats/profiles/import.h"
#include "core/generation/asked_machines.h"
#include "core/model/cluster.h"
#include "views/profile/profile_view.h"

#include <QFileInfo>

namespace stagecraft::app::shell {

ProfileIntake::ProfileIntake(Workspace& workspace, Workbench& workbench, QWidget& window)
    : QObject(&window), workspace_(workspace), workbench_(workbench), window_(window) {}

void ProfileIntake::put(const LayerProfile& profile) {
    if (workspace_.isOpen()) {
        const bool isFirst = workspace_.problem().profile.layers.empty() && workspace_.plans().empty();
        workspace_.setProfile(profile);
        if (isFirst)
            workspace_.setSetup(Preferences::setupOfNew(usualSetup(workspace_.problem().setup, profile)));
    } else {
        Problem problem = newProblem();
        problem.setup = Preferences::setupOfNew(usualSetup(problem.setup, profile));
        problem.profile = profile;
        emit projectWanted(Project{profile.name, std::move(problem), {}, {}, {}});
    }
    workbench_.showProfile();
}

void ProfileIntake::take(const ImportedProfile& imported, const QString& path) {
    put(imported.profile);
    std::vector<ImportNote> notes = imported.notes;
    for (ImportNote& note : addSplits(imported)) notes.push_back(std::move(note));
    workbench_.profile()->showImportNotes(QFileInfo(path).fileName(), notes);
}

std::vector<ImportNote> ProfileIntake::addSplits(const ImportedProfile& imported) {
    std::vector<ImportNote> notes;
    for (const ImportedSplit& split : imported.splits) {
        if (const auto plan = planOfSplit(split, workspace_.problem().cluster)) {
            workspace_.addPlan(*plan);
            notes.push_back({ImportNote::Kind::took, "the division '" + split.name +
                                                         "' is among the plans, on the cluster's first " +
                                                         counted(split.deviceCount(), "device")});
        } else {
            notes.push_back(
                {ImportNote::Kind::ignored, "the division '" + split.name + "' needs " +
                                                counted(split.deviceCount(), "device") +
                                                "; open a cluster that has them, and then this file again"});
        }
    }
    return notes;
}

void ProfileIntake::matchColumns(const OpenedTable& table, const QString& path) {
    auto* dialog = new CsvDialog(table.text, path.toStdString(), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &CsvDialog::imported, this,
            [this, path](const ImportedProfile& imported) { take(imported, path); });
    dialog->open();
}

void ProfileIntake::askAbout(ModelQuestions questions, const QString& path) {
    auto* dialog = new ModelDialog(std::move(questions), usualGpuOf(workspace_.problem().cluster), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ModelDialog::imported, this,
            [this, path](const ImportedProfile& imported) { take(imported, path); });
    dialog->open();
}

void ProfileIntake::generate() {
    if (!generate_) {
        generate_ = new GenerateDialog(&window_);
        connect(generate_, &GenerateDialog::generated, this, [this](const LayerProfile& profile) {
            put(profile);
            generate_->hide();
        });
    }
    generate_->proposeGpu(usualGpuOf(workspace_.problem().cluster));
    generate_->show();
    generate_->raise();
    generate_->activateWindow();
}

}  // namespace stagecraft::app::shell
