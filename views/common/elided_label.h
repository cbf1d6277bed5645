#pragma once

#include "core/base/rooms.h"

#include <QLabel>

namespace stagecraft::views {

/// A line that takes the room it is given: what does not fit ends in an ellipsis, and the whole of it is the
/// tool tip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setWhole(const QString& text);
    const QString& whole() const { return whole_; }

    QSize sizeHint() const override;  ///< of the whole
    QSize minimumSizeHint() const override;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();

    QString whole_;
};

}  // namespace stagecraft::views
