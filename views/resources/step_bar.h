#pragma once

#include "views/rooms.h"

#include <QFrame>
#include <QLabel>

namespace stagecraft::views::resources {

/// A row under the toolbar that says in words what happens at an instant of a plan.
class StepBar : public QFrame {
    Q_OBJECT
public:
    explicit StepBar(QWidget* parent = nullptr);
    /// A row below the text.
    void addControls(QWidget* controls);
    /// As many of `lines` as fit are shown, the rest counted; all of them in the tooltip.
    void setStep(const QString& instant, const QStringList& lines);
    QString text() const { return text_->text(); }

signals:
    void closed();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void fit();

    QLabel* instant_;
    QLabel* text_;
    QStringList lines_;
};

}  // namespace stagecraft::views::resources
