#pragma once

#include "app/document/document_opener.h"
#include "app/document/workspace.h"
#include "core/editing/cluster_mistakes.h"
#include "core/editing/profile_oddities.h"
#include "core/generation/gpu_speed.h"
#include "views/topology/cluster_selection.h"

#include <QAbstractTableModel>

#include <functional>

namespace stagecraft::app::document {

enum class Severity { note, warning, error };

/// Where a problem can be looked at.
struct JumpTarget {
    enum class Place { none, cluster, profile, setup, plan } place = Place::none;
    int plan = 0;  ///< id in the workspace
    std::uint32_t block = noBlock;
    ClusterSelection selection = {};  ///< in the cluster
    int layer = -1;                   ///< of the profile

    bool operator==(const JumpTarget&) const = default;
};

/// What a button in the row changes in the document: a step that Undo takes back.
struct ProblemFix {
    QString text;  ///< of the button
    std::function<void(Workspace&)> apply = {};

    explicit operator bool() const { return static_cast<bool>(apply); }
};

struct ProblemRow {
    Severity severity = Severity::error;
    QString where;
    QString text;
    JumpTarget jump;
    ProblemFix fix = {};  ///< most rows have none
};

/// What is wrong or worth knowing: with the files that were opened, with the problem, and with each plan.
class ProblemsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { whereColumn, textColumn, fixColumn, columns };

    explicit ProblemsModel(const Workspace& workspace, QObject* parent = nullptr);

    /// A row about an input, which stays until clearInputs().
    void addInput(const ProblemRow& row);
    void clearInputs();
    /// Rows about files of the custom planners' folder, in place of those of before; they stay whatever is
    /// opened.
    void setPrograms(std::vector<ProblemRow> rows);
    /// Works all rows about the document out afresh; the model is reset if they are others.
    void refresh();

    const ProblemRow& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
    int errorCount() const;
    /// Errors and warnings.
    int faultCount() const;
    bool hasFixes() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void collectRows();
    void sortRows();
    void addMistakes();
    void addSpeedGaps();
    void addUnusedSpeeds();
    void addPrecision();
    void addOddities();
    void addUnplannable();
    void addAges();

    const Workspace& workspace_;
    /// Those of the cluster and profile of one problem, which is looked at again with every plan that comes.
    std::shared_ptr<const Problem> searched_;
    std::vector<ClusterMistake> mistakes_;
    std::optional<std::string> whyUnplannable_, whyNoGroups_;
    std::vector<ProfileOddity> oddities_;
    std::vector<SpeedGap> speedGaps_;
    std::vector<ProblemRow> inputs_, programs_;
    std::vector<ProblemRow> rows_;
    std::shared_ptr<const Problem> shown_;              ///< that rows_ are of
    std::map<std::pair<QString, QString>, int> since_;  ///< where and what: in which refresh it came
    int round_ = 0;
};

/// Everything that is wrong with one run or remarkable in it: why there is no plan, what does not fit, what
/// the validator refuses, which bound it does not keep.
std::vector<ProblemRow> problemsOf(const PlanRun& run, int planId);
ProblemRow problemOf(const OpenFailure& failure);

}  // namespace stagecraft::app::document
