#pragma once

#include "app/rooms.h"
#include "core/generation/template_catalogue.h"

#include "views/common/job.h"

#include <QDialog>

#include <memory>

class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace stagecraft::app::panels {

class ClusterPreview;
class ParameterForm;

/// Chooses a template and its numbers, with a picture of what they make.
class TemplateDialog : public QDialog {
    Q_OBJECT
public:
    explicit TemplateDialog(QWidget* parent = nullptr);

    /// What the numbers make as they are; nothing if they do not go together.
    const std::optional<Cluster>& cluster() const { return cluster_; }
    const ClusterTemplate& chosen() const;
    void choose(const std::string& id);

private:
    QLayout* makeChoice();
    void addTemplates();
    void showForm(int index);
    /// Draws the entries' pictures, which are laid out away from the GUI thread.
    void drawPictures();
    void makeNothing();
    QWidget* makeButtons();
    void make();
    QString summaryOf(const Cluster& cluster) const;

    QListWidget* list_;
    QLabel* description_;
    QStackedWidget* forms_;
    std::vector<ParameterForm*> formOf_;  ///< by template
    ClusterPreview* preview_;
    QLabel* summary_;
    QPushButton* insert_;
    std::optional<Cluster> cluster_;
    Job drawing_;
};

}  // namespace stagecraft::app::panels
