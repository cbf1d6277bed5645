#pragma once

#include "app/rooms.h"
#include "core/formats/files/project_file.h"

#include <QString>

#include <memory>
#include <vector>

namespace stagecraft::app::document {

/// A project that travels with the program.
struct Sample {
    QString id;            ///< its file's name up to the first dot
    QString title;         ///< the project's name without what is in brackets
    QString origin;        ///< what is in brackets: where it is from
    QString facts;         ///< "27 layers, 32 GPUs, 32 microbatches"
    QString about;         ///< the profile's source
    bool testbed = false;  ///< one of a paper's testbeds: shown as a group
    std::shared_ptr<const Project> project;
};

/// All of them: training of today, others that are no testbeds by id, then testbeds. Read once.
const std::vector<Sample>& samples();
/// The sample that has one network under every schedule family.
inline const QString everyScheduleSample = QStringLiteral("schedules");
/// nullptr if there is none of that id.
const Sample* findSample(const QString& id);
/// Whether the file is a sample in the folder that came with the program, which stays as it is.
bool isShippedSample(const QString& path);
/// Where files of a project are proposed to go: beside it; of one without a file, or that came with
/// Stagecraft, into the person's documents.
QString proposedFolder(const QString& projectPath);

}  // namespace stagecraft::app::document
