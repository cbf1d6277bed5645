#pragma once

#include "views/common/block_colouring.h"

#include <QWidget>

#include <vector>

namespace stagecraft::views {

/// What colours, textures and marks mean; only what occurs. Wraps where it is narrow.
class Legend : public QWidget {
    Q_OBJECT
public:
    struct Marks {
        bool bubbles = true;
        bool criticalPath = false;
        bool updates = false;
        bool bellwethers = false;
        bool predictions = false;
        bool operator==(const Marks&) const = default;
    };

    explicit Legend(QWidget* parent = nullptr);
    void setKinds(std::vector<BlockKind> kinds);
    /// In place of the kinds the steps of another colouring; by kind: the kinds again.
    void setColouring(const BlockClasses& classes);
    void setMarks(const Marks& marks);
    /// What the numbers in blocks are, where that is not plain; empty: nothing.
    void setNumbers(const QString& meaning);
    QStringList texts() const;  ///< of all items, in order
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    enum class Sign { none, block, step, bubble, critical, update, bellwether, prediction };
    struct Item {
        Sign sign = Sign::none;
        QString text;
        BlockKind kind = BlockKind::forward;
        ColourStep step;
        bool last = true;  ///< of what belongs together
        QRect chip;        ///< with the text to its right
    };
    std::vector<Item> items() const;
    std::vector<Item> placed(int width) const;
    void paintSign(QPainter& painter, const Item& item) const;
    void changed();

    std::vector<BlockKind> kinds_;
    BlockColouring colouring_ = BlockColouring::kind;
    QString title_;
    std::vector<ColourStep> steps_;
    QString numbers_;
    Marks marks_;
};

}  // namespace stagecraft::views
