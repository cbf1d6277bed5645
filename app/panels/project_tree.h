#pragma once

#include "app/document/workspace.h"

#include <QTreeWidget>

namespace stagecraft::app::panels {

/// What the project holds: each plan with its state, recordings of runs, and the figures that it keeps. A
/// click shows it, a double click a figure; F2 renames a plan or a figure, Delete removes it.
class ProjectTree : public QTreeWidget {
    Q_OBJECT

public:
    explicit ProjectTree(const Workspace& workspace, QWidget* parent = nullptr);
    void selectPlan(int id);
    /// The plan of that id; where a figure is chosen and the keyboard is here, that figure.
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
    void recordingChosen(int recording);  ///< of Workspace::recordings()
    void figureChosen(QString name);
    void figureRenamed(QString name, QString wanted);
    void figureRemoveRequested(QString name);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void refresh();
    bool showsPlans() const;
    void rebuildPlans();
    void rebuildFigures();
    void rebuildRecordings();
    int planOf(const QTreeWidgetItem* item) const;
    /// Empty: it is no kept figure.
    QString figureOf(const QTreeWidgetItem* item) const;
    void showFigureMenu(const QString& name, const QPoint& globalPosition);
    QTreeWidgetItem* itemOf(int id) const;
    void show(QTreeWidgetItem* item);

    const Workspace& workspace_;
    QTreeWidgetItem* cluster_;
    QTreeWidgetItem* profile_;
    QTreeWidgetItem* setup_;
    QTreeWidgetItem* plans_;
    QTreeWidgetItem* recordings_;  ///< hidden while there are none
    QTreeWidgetItem* figures_;     ///< hidden while the project keeps none
    bool filling_ = false;
};

}  // namespace stagecraft::app::panels
