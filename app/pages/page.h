#pragma once

#include "app/document/document_opener.h"
#include "app/document/workspace.h"
#include "app/figures/figure_source.h"

#include <QImage>
#include <QWidget>

namespace stagecraft::app::pages {

/// A tab of an open project, as the workbench, the View menu, sessions and lessons, exports and copies know
/// it. It follows the document while it is in view, and catches up when it comes into view.
class Page : public QWidget {
    Q_OBJECT

public:
    /// How lists of pages show it. The View menu has no plans.
    struct About {
        QString key;            ///< in sessions and lessons: "cluster"
        const char* icon = "";  ///< of its tab and in the menu
        QString title{};        ///< on its tab
        QString menuText{};     ///< in the View menu, with a mnemonic
        int number = 0;         ///< Alt and this digit go to it
        QString tip{};          ///< of its tab
    };

    explicit Page(About about, QWidget* parent = nullptr) : QWidget(parent), about_(std::move(about)) {}
    const About& about() const { return about_; }

    /// Whether there is something to be a page of; else it has no tab.
    virtual bool isOffered() const { return true; }

    /// Another project, a changed problem (flags of EditedDocument's parts) or other plans: to be taken up by
    /// the next bringUpToDate().
    virtual void projectReplaced() {}
    virtual void problemChanged(unsigned /*parts*/) {}
    virtual void plansChanged() {}
    /// Shows what the document has. Called while the page is in view.
    /// @param plan the one last shown, else the first; null: there is none
    virtual void bringUpToDate(const PlanItem* plan) = 0;

    /// What can be printed of what is shown; what is in view comes first. Empty: nothing yet.
    virtual std::vector<FigureSource> figures(const PlanItem* plan) const = 0;
    /// Whether there are any, without making them.
    virtual bool hasFigures() const = 0;
    /// The part of the first that is in view; nothing: figures show all.
    virtual std::optional<FigurePart> partInView() const { return std::nullopt; }
    /// What a reader of the figures has to know, such as that the window shows a trial; empty: nothing.
    virtual QString figuresRemark() const { return {}; }
    /// Notes that were set on its figure become those of what it shows, in one step called `text`.
    /// @return false: they are of the plan in view
    virtual bool takeNotes(const std::vector<ChartNote>& /*notes*/, const QString& /*text*/) { return false; }
    /// What the figures show besides the project, for the name of a file: a plan's title; empty: nothing.
    virtual QString figuresSubject() const { return {}; }
    /// For the clipboard.
    virtual QImage picture() { return grab().toImage(); }
    /// On which the keyboard has its first stop.
    virtual QWidget* focusTarget() { return this; }

signals:
    /// Whether something runs on it, or has results.
    void stateChanged();
    void statusText(QString text);
    void exportRequested();
    void planAgainRequested();
    /// A file of the project could not be read.
    void failed(const OpenFailure& failure);
    void pageRequested(QString key);
    void planRequested(int id);
    /// By its id in the register of actions.
    void actionRequested(QString id);
    /// It can go on being brought up to date in the next turn of the event loop.
    void updateRequested();

private:
    About about_;
};

}  // namespace stagecraft::app::pages
