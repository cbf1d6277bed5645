#pragma once

#include "app/rooms.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace stagecraft::views::common {
class ElidedLabel;
}
namespace stagecraft::views::strip {
class PartitionStrip;
}

namespace stagecraft::app::plan {

/// Above a plan's charts: what the last change did, buttons for the ways of editing, and below them the
/// partition, which can be folded away. A person's choice, the same for all plans.
class EditBar : public QWidget {
    Q_OBJECT
public:
    explicit EditBar(QWidget* parent = nullptr);

    PartitionStrip& strip() { return *strip_; }
    QToolButton& orderButton() { return *order_; }
    QToolButton& scheduleButton() { return *schedule_; }
    QToolButton& whatIfButton() { return *whatIf_; }
    /// Offers the copies of the network one by one where there are several.
    void setPipelines(int count);
    /// Folds the partition away or opens it, for good.
    void fold();
    bool stripShown() const;

    enum class Tone { plain, refusal };
    void setText(const QString& text, Tone tone = Tone::plain);
    const QString& text() const;
    /// What is shown is older than what was asked.
    void setBehind(bool behind);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void layOut();
    void setStripShown(bool shown);

    PartitionStrip* strip_;
    QToolButton* fold_;
    QComboBox* pipelines_;
    ElidedLabel* words_;
    QLabel* behind_;
    QToolButton* order_;
    QToolButton* schedule_;
    QToolButton* whatIf_;
};

}  // namespace stagecraft::app::plan
