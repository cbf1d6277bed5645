#pragma once

#include <QScrollArea>

class QLabel;
class QVBoxLayout;

namespace stagecraft {

/// What a person asked of a chart, in words and numbers, beside it: sections one below the other, each shown
/// while it has something to say.
class DetailsPane : public QScrollArea {
    Q_OBJECT
public:
    explicit DetailsPane(QWidget* parent = nullptr);

    /// Below those that there are, hidden until setSectionShown; the pane owns `content`.
    void addSection(const QString& title, QWidget* content);
    void setSectionShown(QWidget* content, bool shown);
    /// What stands there while no section is shown.
    void setHint(const QString& text);

    QSize sizeHint() const override;

private:
    bool empty() const;

    QVBoxLayout* column_;
    QLabel* hint_;
};

}  // namespace stagecraft
