#pragma once

#include "views/rooms.h"

#include <QFrame>
#include <QTextDocument>

#include <cstdint>
#include <functional>

namespace stagecraft::views::timeline {

/// A tooltip of our own: it follows the pointer without flicker, stays inside its parent, and is written anew
/// only when it is about something else.
class HoverCard : public QFrame {
    Q_OBJECT
public:
    explicit HoverCard(QWidget* parent);
    /// `subject` tells one thing from another; `html` is called only when it has changed.
    void show(std::uint32_t subject, const std::function<QString()>& html, QPoint at);
    void show(const QString& html, QPoint at);
    /// What it says of `subject` has changed: nothing happens while it is about something else.
    void rewrite(std::uint32_t subject, const QString& html);
    void dismiss();
    /// Beyond which its text is broken into lines.
    void setMostWidth(int pixels) { mostWidth_ = pixels; }
    QString html() const { return html_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void say(const QString& html);
    void place(QPoint at);

    QString html_;
    QTextDocument text_;
    int mostWidth_ = 420;
    QPoint at_;
    std::uint32_t subject_ = 0;
    bool hasSubject_ = false;
};

}  // namespace stagecraft::views::timeline
