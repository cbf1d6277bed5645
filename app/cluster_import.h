#pragma once

#include "app/document_opener.h"
#include "app/workspace.h"

#include <QObject>

namespace stagecraft {

class ImportReport;

/// The topology that was imported last: read again, away from the GUI thread, whenever a person answers what
/// its text does not say. The import and its answers are one undo step.
class ClusterImport : public QObject {
    Q_OBJECT

public:
    ClusterImport(Workspace& workspace, ImportReport& report, QObject* parent = nullptr);
    /// Makes it the open document's cluster.
    void begin(const OpenedTopology& opened);

signals:
    /// An answer has been worked in, or refused.
    void updated();

private:
    void readAgain();
    void finish(int run, const ReadTopology& read);
    void apply(const Cluster& cluster);

    Workspace& workspace_;
    ImportReport& report_;
    std::shared_ptr<const std::vector<TopologyText>> texts_;
    QString step_, mergeKey_;
    int imports_ = 0;
    int run_ = 0;  ///< an older one's result is void
};

}  // namespace stagecraft
