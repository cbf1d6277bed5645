#pragma once

#include "core/model/layer_profile.h"
#include "views/rooms.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace stagecraft::views::profile {

/// The microbatch sizes at which a profile was measured, to look at another one or to go over to it. Hidden
/// for a profile with one size.
class SizeBar : public QWidget {
    Q_OBJECT
public:
    explicit SizeBar(QWidget* parent = nullptr);

    void setProfile(const LayerProfile& profile);
    int shownSize() const { return shown_; }
    QComboBox* sizes() const { return sizes_; }

signals:
    void sizeChosen(int size);
    /// Plans shall be made for microbatches of this size.
    void adoptRequested(int size);

private:
    void showState();

    QComboBox* sizes_;
    QLabel* state_;
    QPushButton* adopt_;
    int own_ = 1, shown_ = 1;
};

}  // namespace stagecraft::views::profile
