#pragma once

#include "core/model/group.h"
#include "core/model/layer_profile.h"
#include "views/rooms.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QPushButton;

namespace stagecraft::views::profile {

/// The microbatch sizes at which a profile was measured, to look at another one or to go over to it, and the
/// tensor-parallel GPUs on which it was, to look at what is on one of them. Each is hidden where there is
/// nothing to choose.
class SizeBar : public QWidget {
    Q_OBJECT
public:
    explicit SizeBar(QWidget* parent = nullptr);

    void setProfile(const LayerProfile& profile);
    int shownSize() const { return shown_; }
    /// Of whose ranks one is shown; one device: the whole layers.
    const Group& shownGroup() const { return group_; }
    QComboBox* sizes() const { return sizes_; }
    QComboBox* groups() const { return groups_; }

signals:
    void sizeChosen(int size);
    void groupChosen();
    /// Plans shall be made for microbatches of this size.
    void adoptRequested(int size);

private:
    void fillSizes(const LayerProfile& profile);
    void fillGroups(const LayerProfile& profile);
    void showState();

    QLabel* groupsLabel_;
    QComboBox* groups_;
    QLabel* sizesLabel_;
    QComboBox* sizes_;
    QLabel* state_;
    QPushButton* adopt_;
    int own_ = 1, shown_ = 1;
    Group group_;                 // that is shown
    std::vector<Group> choices_;  // by the entries of groups_
};

}  // namespace stagecraft::views::profile
