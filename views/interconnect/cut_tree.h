#pragma once

#include "views/interconnect/bandwidth_scale.h"
#include "views/interconnect/interconnect_job.h"

#include <QAbstractScrollArea>

namespace stagecraft::views::interconnect {

/// The recursion of SPP's device order as a dendrogram: the whole cluster at the left, a fork for each
/// minimum cut with its weight, devices in their order at the right. Pointing at a fork describes its two
/// sides; a click keeps it, arrows move on, Escape lets it go.
class CutTree : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit CutTree(QWidget* parent = nullptr);

    /// @param cuts may be null: nothing is shown
    void setCuts(std::shared_ptr<const InterconnectData> known, std::shared_ptr<const DeviceCuts> cuts);
    int forkCount() const { return static_cast<int>(forks_.size()); }
    int chosenFork() const { return hover_ >= 0 ? hover_ : kept_; }  ///< index into DeviceCuts::forks, or -1
    int forkAt(QPointF viewportPosition) const;
    QPointF forkPosition(int fork) const;  ///< in the viewport
    /// "4 | 28 GPUs: a cut of 34.5 GB/s".
    QString describe(int fork) const;

signals:
    void forkChanged(int fork);      ///< -1: none
    void deviceHovered(int device);  ///< -1: none

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Fork {
        int depth = 0;
        double centre = 0;           ///< in rows, halfway between the centres of its sides
        double top = 0, bottom = 0;  ///< the centres of its sides
        int sides[2] = {-1, -1};     ///< forks, or -1 for a lone device
        int parent = -1;
    };
    void layOut();
    double centreOf(int fork, int row) const;
    void place();
    double x(int depth) const;
    double y(double row) const;
    void setHover(int fork);
    void setKept(int fork);
    void paintFork(QPainter& painter, int index);
    void paintLeaves(QPainter& painter, int firstRow, int endRow);

    std::shared_ptr<const InterconnectData> data_;
    std::shared_ptr<const DeviceCuts> cuts_;
    std::vector<Fork> forks_;  ///< as DeviceCuts::forks
    int depth_ = 0;
    double level_ = 20, row_ = 20, labels_ = 60;  ///< pixels
    int hover_ = -1, kept_ = -1, hoveredDevice_ = -1;
};

}  // namespace stagecraft::views::interconnect
