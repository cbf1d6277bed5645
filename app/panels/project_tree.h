#pragma once

#include "app/document/workspace.h"

#include <QTreeWidget>

namespace stagecraft::app {

/// What the project holds, each plan with its state. A click shows it; F2 renames a plan, Delete removes it.
class ProjectTree : public QTreeWidget {
    Q_OBJECT

public:
    explicit ProjectTree(const Workspace& workspace, QWidget* parent = nullptr);
    void selectPlan(int id);
    void startRenaming(int id);
    QSize sizeHint() const override;

signals:
    void clusterChosen();
    void profileChosen();
    void setupChosen();
    void planChosen(int id);
    void renamed(int id, QString name);
    void removeRequested(int id);
    void contextMenuWanted(int id, QPoint globalPosition);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void refresh();
    int planOf(const QTreeWidgetItem* item) const;
    QTreeWidgetItem* itemOf(int id) const;
    void show(QTreeWidgetItem* item);

    const Workspace& workspace_;
    QTreeWidgetItem* cluster_;
    QTreeWidgetItem* profile_;
    QTreeWidgetItem* setup_;
    QTreeWidgetItem* plans_;
    bool filling_ = false;
};

}  // namespace stagecraft::app
