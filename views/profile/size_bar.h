#pragma once

#include "core/model/group.h"
#include "core/model/layer_profile.h"
#include "views/rooms.h"

#include <QWidget>

#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;

namespace stagecraft::views::profile {

/// The microbatch sizes at which a profile was measured, to look at another one or to go over to it, and the
/// tensor-parallel GPUs and the other types of GPUs on which it was, to look at what is on one of them. Each
/// is hidden where there is nothing to choose.
class SizeBar : public QWidget {
    Q_OBJECT
public:
    explicit SizeBar(QWidget* parent = nullptr);

    void setProfile(const LayerProfile& profile);
    int shownSize() const { return shown_; }
    /// What is shown of a profile at shownSize(): as it is on one of the chosen ranks, of the chosen type.
    LayerProfile shownOf(const LayerProfile& profile) const;
    /// Whether that has the profile's own numbers, at some size.
    bool showsOwn() const { return shownOn_ == On{}; }
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
    struct On {
        std::string gpu;  ///< empty: the profile's own
        Group group;
        bool operator==(const On&) const = default;
    };
    static QString nameOf(const On& on);
    On shownOn_;
    std::vector<On> choices_;  // by the entries of groups_
};

}  // namespace stagecraft::views::profile
