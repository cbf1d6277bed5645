#pragma once

#include "core/cost/interconnect.h"
#include "core/planners/spp/device_order.h"
#include "views/common/job.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace stagecraft::views::interconnect {

/// What planners see of a cluster: all widest paths.
struct InterconnectData {
    std::shared_ptr<const Cluster> cluster;
    Interconnect interconnect;
};

/// Works out a cluster's matrix of bandwidths, and if wanted the device order with its cuts, away from the
/// GUI thread. A newer cluster stops what is under way for an older one.
class InterconnectJob : public QObject {
    Q_OBJECT
public:
    /// A matrix of more devices would take gigabytes and minutes of both cores: there is none.
    static constexpr int mostDevices = 4096;

    explicit InterconnectJob(QObject* parent = nullptr);

    /// A moment later, so that edits in quick succession are answered once. Positions alone change nothing.
    void setCluster(std::shared_ptr<const Cluster> cluster);
    /// The cuts take O(n^4) at worst: only while somebody looks at them.
    void wantCuts(bool wanted);

    const std::shared_ptr<const InterconnectData>& data() const { return data_; }
    const std::shared_ptr<const DeviceCuts>& cuts() const { return cuts_; }

    /// Whether the data are of the cluster that was set last; until then its indices may mean other things.
    bool isUpToDate() const { return data_ && !pending_; }
    /// Why there are no data of the cluster that was set last; empty: there are, or will be.
    QString whyNone() const;

signals:
    /// Not emitted if the new cluster's paths are those of the one before; null for one that is too large.
    void matrixReady(std::shared_ptr<const InterconnectData> data);
    /// isUpToDate() holds again.
    void settled();
    void cutsProgressed(double fraction);
    void cutsReady(std::shared_ptr<const DeviceCuts> cuts);

private:
    void startMatrix();
    void startCuts();

    QTimer delay_;
    bool pending_ = false;
    bool cutsWanted_ = false;
    std::shared_ptr<const Cluster> cluster_;
    std::shared_ptr<const InterconnectData> data_;
    std::shared_ptr<const DeviceCuts> cuts_;
    Job matrixJob_, cutsJob_;
};

}  // namespace stagecraft::views::interconnect
