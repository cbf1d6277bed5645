#pragma once

#include "views/rooms.h"

#include <QLayout>
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
    /// The same for content that is made in its place.
    template <class Content>
    Content* addSection(const QString& title, bool first = false) {
        QWidget* section = newSection(title, first);
        auto* content = new Content(section);
        section->layout()->addWidget(content);
        return content;
    }
    void setSectionShown(QWidget* content, bool shown);
    /// Scrolls to it, once it has its place.
    void showSection(QWidget* content);
    /// What is there while no section is shown.
    void setHint(const QString& text);

    QSize sizeHint() const override;

private:
    /// Where its content is made: what is moved later is styled anew, with all that is in it.
    QWidget* newSection(const QString& title, bool first);
    bool empty() const;

    QVBoxLayout* column_;
    QLabel* hint_;
};

}  // namespace stagecraft::views::plan
