#pragma once

#include "core/training/policy.h"
#include "views/rooms.h"

#include <QWidget>

#include <set>

class QToolButton;

namespace stagecraft::views::training {

/// A button for each policy with a piece of its curve, which shows or hides it. Wraps where it is narrow.
class CurveLegend : public QWidget {
    Q_OBJECT
public:
    explicit CurveLegend(QWidget* parent = nullptr);

    void setPolicies(const std::vector<stagecraft::training::Policy>& policies,
                     const std::set<stagecraft::training::Policy>& hidden);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

signals:
    void toggled(stagecraft::training::Policy policy, bool shown);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Where the buttons are at a width. @return the height
    int place(int width, bool move) const;

    std::vector<std::pair<stagecraft::training::Policy, QToolButton*>> buttons_;
};

}  // namespace stagecraft::views::training
