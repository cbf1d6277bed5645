#pragma once

#include "app/rooms.h"

#include <QTreeWidget>

namespace stagecraft::app::experiments {

/// What there is to choose in the window of experiments: the papers' claims, custom experiments, and
/// those of the papers.
class ExperimentsList : public QTreeWidget {
    Q_OBJECT
public:
    explicit ExperimentsList(QWidget* parent = nullptr);

    void showOverview();
    /// Of paperExperiments().
    void showPaper(const QString& id);
    /// One of a person's own that is listed.
    void showOwn(const QString& path);
    /// What is chosen is reported once more.
    void showCurrent();
    /// A custom experiment; listed first at the next start.
    void nameOwn(const QString& path, const QString& name);
    void dropOwn(const QString& path);
    bool holds(const QString& path) const { return findOwn(path); }
    bool isCurrent(const QString& path) const { return currentItem() && currentItem() == findOwn(path); }

signals:
    void overviewChosen();
    void paperChosen(const QString& id);
    void ownChosen(const QString& path);
    void removeRequested(const QString& path);
    void renameRequested(const QString& path, const QString& name);

private:
    void fill();
    void addOwnActions();
    void showOwnMenu(const QPoint& at);
    void report(const QTreeWidgetItem* item);
    void takeName(QTreeWidgetItem* item);
    QTreeWidgetItem* findOwn(const QString& path) const;
    QTreeWidgetItem* ownItem(const QString& path);

    QTreeWidgetItem* overview_;
    QTreeWidgetItem* own_;
};

}  // namespace stagecraft::app::experiments
