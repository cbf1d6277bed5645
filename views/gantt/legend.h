#pragma once

#include "core/model/timeline.h"

#include <QWidget>

#include <vector>

namespace stagecraft {

/// What colours and textures mean; only the kinds that occur. Wraps where it is narrow.
class Legend : public QWidget {
    Q_OBJECT
public:
    explicit Legend(QWidget* parent = nullptr);
    void setKinds(std::vector<BlockKind> kinds);
    void setMarks(bool bubbles, bool criticalPath);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    enum class Sign { block, bubble, critical };
    struct Item {
        Sign sign;
        BlockKind kind;
        QString text;
        QRect chip;  ///< with the text to its right
    };
    std::vector<Item> placed(int width) const;

    std::vector<BlockKind> kinds_;
    bool bubbles_ = true;
    bool criticalPath_ = false;
};

}  // namespace stagecraft
