#pragma once

#include "core/model/layer_profile.h"
#include "views/rooms.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace stagecraft::views::profile {

/// A profile's name, what it adds up to, and where its numbers come from: one line, or all of it on demand.
class ProfileHeader : public QWidget {
    Q_OBJECT
public:
    explicit ProfileHeader(QWidget* parent = nullptr);
    void setProfile(const LayerProfile& profile);

    bool sourceIsExpanded() const;
    void expandSource(bool expanded);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showSource();

    QLabel* name_;
    QLabel* facts_;
    QLabel* source_;
    QToolButton* more_;
    QString sourceText_;
};

}  // namespace stagecraft::views::profile
