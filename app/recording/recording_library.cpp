#include "app/recording/recording_library.h"

#include <algorithm>

namespace stagecraft::app::recording {

RecordingLibrary::RecordingLibrary(Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
    connect(&workspace_, &Workspace::projectReplaced, this, [this] {
        tried_.clear();
        readMissing();
        // What the document before had is not kept.
        std::erase_if(read_, [this](const auto& each) {
            return std::ranges::none_of(workspace_.recordings(), [&each](const RecordedFiles& files) {
                return files.files == each.first;
            });
        });
    });
    connect(&workspace_, &Workspace::recordingsChanged, this, &RecordingLibrary::readMissing);
}

RecordingLibrary::~RecordingLibrary() = default;

void RecordingLibrary::put(const Files& files, std::shared_ptr<const RecordedRun> recorded) {
    read_[files] = std::move(recorded);
    emit changed();
}

std::shared_ptr<const RecordedRun> RecordingLibrary::find(const RecordedFiles& files) const {
    const auto found = read_.find(files.files);
    return found == read_.end() ? nullptr : found->second;
}

void RecordingLibrary::readMissing() {
    for (const RecordedFiles& recording : workspace_.recordings()) {
        const Files& files = recording.files;
        if (read_.contains(files) || !tried_.insert(files).second) continue;
        QStringList paths;
        for (const std::string& file : files) paths << QString::fromStdString(file);
        ++reading_;
        Job* job = Job::once(this);
        connect(job, &Job::ended, this, [this] { --reading_; });
        job->start([paths](const JobContext& context) { return readRecordingOf(paths, context); },
                   [this, files](const OpenedDocument& document) { take(files, document); });
    }
}

void RecordingLibrary::take(const Files& files, const OpenedDocument& document) {
    if (const auto* opened = std::get_if<OpenedRecording>(&document))
        read_[files] = opened->recorded;
    else if (const auto* failure = std::get_if<OpenFailure>(&document))
        emit failed(*failure);
    emit changed();
}

}  // namespace stagecraft::app::recording
