#pragma once

#include "views/timeline/legend_content.h"

#include <QWidget>

#include <vector>

namespace stagecraft::views::timeline {

/// What colours, textures and marks mean; only what occurs. Wraps where it is narrow.
class Legend : public QWidget {
    Q_OBJECT
public:
    using Marks = LegendContent::Marks;

    explicit Legend(QWidget* parent = nullptr);
    void setKinds(std::vector<BlockKind> kinds);
    /// In place of the kinds the steps of another colouring; by kind: the kinds again.
    void setColouring(const BlockClasses& classes);
    void setMarks(const Marks& marks);
    /// What the numbers in blocks are, where that is not plain; empty: nothing.
    void setNumbers(const QString& meaning);
    QStringList texts() const { return content_.texts(); }  ///< of all items, in order
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void changed();

    LegendContent content_;
};

}  // namespace stagecraft::views::timeline
