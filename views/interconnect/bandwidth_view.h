#pragma once

#include "views/interconnect/bandwidth_map.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace stagecraft::views::interconnect {

/// The heat map with its order, its legend and a line that reads off a pair.
class BandwidthView : public QWidget {
    Q_OBJECT
public:
    explicit BandwidthView(QWidget* parent = nullptr);

    /// @param whyNone said in place of a map while there is none for that reason
    void setData(std::shared_ptr<const InterconnectData> known, const QString& whyNone = {});
    /// RDO's order of the same cluster; null while it is not known.
    void setCuts(std::shared_ptr<const DeviceCuts> cuts);
    bool wantsCuts() const;
    BandwidthMap* map() const { return map_; }
    /// Why the pair that is shown has its bandwidth, as rich text with a link to change it; empty: nothing.
    void setReason(const QString& html);

signals:
    void pairChanged(int a, int b);
    void sortingChanged();
    /// The link in the reason was followed.
    void changeWanted();

private:
    void sort();
    void readOff();

    std::shared_ptr<const InterconnectData> data_;
    std::shared_ptr<const DeviceCuts> cuts_;
    QString whyNone_;
    QComboBox* sorting_;
    BandwidthMap* map_;
    BandwidthLegend* legend_;
    QLabel* reading_;
    QLabel* reason_;
};

}  // namespace stagecraft::views::interconnect
