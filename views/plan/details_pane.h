#pragma once

#include "views/rooms.h"

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace stagecraft::views::plan {

/// What a person asked of a chart, in words and numbers, beside it: sections one below the other, each shown
/// while it has something to say.
class DetailsPane : public QScrollArea {
    Q_OBJECT
public:
    explicit DetailsPane(QWidget* parent = nullptr);

    /// Below those that there are, hidden until setSectionShown; the pane owns `content`.
    /// @param first above all others, where nothing that changes moves it
    void addSection(const QString& title, QWidget* content, bool first = false);
    void setSectionShown(QWidget* content, bool shown);
    /// Scrolls to it, once it has its place.
    void showSection(QWidget* content);
    /// What is there while no section is shown.
    void setHint(const QString& text);

    QSize sizeHint() const override;

private:
    bool empty() const;

    QVBoxLayout* column_;
    QLabel* hint_;
};

}  // namespace stagecraft::views::plan
