#pragma once

#include "app/document/document_opener.h"
#include "app/document/workspace.h"
#include "views/common/job.h"

#include <QObject>

#include <map>
#include <memory>
#include <set>

namespace stagecraft::app::recording {

/// What the files of the project's recordings hold, read as the document comes and goes, away from the GUI
/// thread.
class RecordingLibrary : public QObject {
    Q_OBJECT

public:
    explicit RecordingLibrary(Workspace& workspace, QObject* parent = nullptr);
    ~RecordingLibrary() override;

    /// Those files were read already.
    void put(const std::vector<std::string>& files, std::shared_ptr<const RecordedRun> recorded);
    /// Null while it is being read, and where that failed.
    std::shared_ptr<const RecordedRun> find(const RecordedFiles& files) const;
    bool isReading() const { return reading_ > 0; }

signals:
    /// Something was read, or could not be.
    void changed();
    void failed(const OpenFailure& failure);

private:
    using Files = std::vector<std::string>;

    void readMissing();
    void take(const Files& files, const OpenedDocument& document);

    Workspace& workspace_;
    std::map<Files, std::shared_ptr<const RecordedRun>> read_;
    std::set<Files> tried_;  ///< in this document
    int reading_ = 0;
};

}  // namespace stagecraft::app::recording
