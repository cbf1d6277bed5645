#pragma once

#include "app/document/workspace.h"
#include "app/vpipe/migration_end.h"
#include "views/common/job.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QTabWidget;

namespace stagecraft::views::vpipe {
class ChangingView;
class MigrationView;
class RoundsView;
class UtilisationView;
}  // namespace stagecraft::views::vpipe

namespace stagecraft::app::vpipe {

struct DrawingExport;

/// vPipe in detail, in a window beside the main one: the rounds of its iteration, what the GPUs do with and
/// without it, a network that changes while it trains, and plans that change into one another. Follows the
/// project; everything is worked out on threads.
class VpipeWindow : public QWidget {
    Q_OBJECT

public:
    explicit VpipeWindow(Workspace& workspace, QWidget* parent = nullptr);
    ~VpipeWindow() override;

    /// The plan whose parameters count, if it is vPipe's; else the project's first of vPipe's, else the usual
    /// ones.
    void lookAt(int planId);
    RoundsView& rounds() { return *rounds_; }
    UtilisationView& utilisation() { return *utilisation_; }
    ChangingView& changing() { return *changing_; }
    MigrationView& migration() { return *migration_; }
    QTabWidget& tabs() { return *tabs_; }
    bool isBusy() const;

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void connectJobs();
    void connectViews();
    void documentChanged();
    /// Works out again what differs from the document.
    void bringUpToDate();
    const PlanItem* item() const;
    /// Nothing that was worked out is of the document any more.
    void forget();
    void forgetMigration();
    void abandonJobs();
    void startRounds(bool withScript);
    void startUtilisation();
    void startMigration();
    void startChanging();
    void loadScript();
    void saveScript();
    void showEnds();
    void exportShown(const DrawingExport& what);
    void showTitle();

    Workspace& workspace_;
    Job roundsJob_, utilisationJob_, migrationJob_, changingJob_;
    QTimer settled_;
    QLabel *title_, *message_;
    QTabWidget* tabs_;
    RoundsView* rounds_;
    UtilisationView* utilisation_;
    ChangingView* changing_;
    MigrationView* migration_;
    int lookedAt_ = 0;
    // What is shown is of this.
    std::shared_ptr<const Problem> problem_;
    std::optional<Plan> plan_;
    std::vector<MigrationEnd> ends_;
    struct MigrationQuestion {
        std::shared_ptr<const Problem> problem;
        MigrationEnd first, last;
        int after = -1;
        bool operator==(const MigrationQuestion&) const = default;
    };
    /// The newest question, and that of the migrations that are shown.
    std::optional<MigrationQuestion> asked_, answered_;
    bool scriptIsOwn_ = false;  ///< a person's; it stays with another project
};

}  // namespace stagecraft::app::vpipe
