#pragma once

#include "app/document/document_opener.h"
#include "app/profile/model_questions.h"
#include "app/shell/workbench.h"

namespace stagecraft::app::profile {
class GenerateDialog;
}

namespace stagecraft::app::shell {

/// Brings profiles into the document: imported ones with their report and the splits that came along as
/// plans, tables once their columns are matched, models once their sizes are given, and generated ones.
class ProfileIntake : public QObject {
    Q_OBJECT

public:
    ProfileIntake(Workspace& workspace, Workbench& workbench, QWidget& window);

    void take(const ImportedProfile& imported, const QString& path);
    void matchColumns(const OpenedTable& table, const QString& path);
    void askAbout(ModelQuestions questions, const QString& path);
    void generate();

signals:
    /// Nothing is open: a project with this profile is to be.
    void projectWanted(const Project& project);

private:
    void put(const LayerProfile& profile);
    /// As plans, where the cluster is large enough; else as a note.
    std::vector<ImportNote> addSplits(const ImportedProfile& imported);

    Workspace& workspace_;
    Workbench& workbench_;
    QWidget& window_;
    GenerateDialog* generate_ = nullptr;
};

}  // namespace stagecraft::app::shell
