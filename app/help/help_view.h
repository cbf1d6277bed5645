#pragma once

#include "app/help/help_library.h"
#include "app/help/markdown_view.h"

#include <vector>

namespace stagecraft::app::help {

/// A page of help, or what a search found, with a history of its own.
class HelpView : public MarkdownView {
    Q_OBJECT

public:
    explicit HelpView(const ActionRegister& actions, QWidget* parent = nullptr);

    /// @param topic for findHelpPlace(); one that leads nowhere is searched for
    void showTopic(const QString& topic);
    void showSearch(const QString& words);
    void goBack() { step(-1); }
    void goForward() { step(1); }
    bool canGoBack() const { return at_ > 0; }
    bool canGoForward() const { return at_ + 1 < static_cast<int>(history_.size()); }
    /// nullptr while the results of a search are shown.
    const HelpPage* page() const { return page_; }

signals:
    void pageShown();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Visit {
        QString topic;  ///< or words to search for
        bool isSearch = false;
        int scrolled = 0;
    };

    void visit(Visit next);
    void step(int by);
    void show(const Visit& visit);
    QString searchText(const QString& words) const;

    std::vector<Visit> history_;
    int at_ = -1;
    const HelpPage* page_ = nullptr;
};

}  // namespace stagecraft::app::help
