#pragma once

#include "app/help/help_library.h"

#include <QTextBrowser>
#include <QTimer>

#include <functional>

class QPrinter;

namespace stagecraft::app {

class ActionRegister;

/// A page of help, or what a search found, with a history of its own. A link to an action of the window
/// triggers it, one to a sample opens it.
class HelpView : public QTextBrowser {
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
    /// The page in view in dark letters on white.
    void printTo(QPrinter& printer) const;

signals:
    void pageShown();
    void sampleChosen(QString id);
    /// What became of a link that did nothing.
    void statusText(QString text);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
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
    /// Sets the text again, in the place where it is.
    void refresh();
    void follow(const QUrl& link);
    QString searchText(const QString& words) const;
    QString linkOf(const QString& words) const;

    const ActionRegister& actions_;
    std::vector<Visit> history_;
    int at_ = -1;
    const HelpPage* page_ = nullptr;
    QString text_;
    double points_;
    QTimer resized_;
};

}  // namespace stagecraft::app
