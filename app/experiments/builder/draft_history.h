#pragma once

#include "app/rooms.h"
#include "core/experiments/experiment_draft.h"
#include "views/common/job.h"

#include <QUndoStack>

#include <functional>
#include <memory>

namespace stagecraft::app::experiments {

/// Whether looking into a base takes longer than a frame may: it belongs off the window's thread.
bool isLargeBase(const std::string& base);

/// The draft of an experiment; every edit of it can be undone.
class DraftHistory : public QObject {
    Q_OBJECT
public:
    using Draft = std::shared_ptr<const ExperimentDraft>;

    explicit DraftHistory(QObject* parent = nullptr);

    /// Another draft, with nothing to undo.
    void begin(ExperimentDraft draft);
    /// @param merge changes of one kind that follow each other are undone together; empty: this one alone
    void edit(const QString& text, const QString& merge, const std::function<void(ExperimentDraft&)>& how);
    /// Puts another base under the axes; a large one once it was looked at, off the window's thread.
    void takeBase(const QString& text, const std::string& base, const std::filesystem::path& directory);

    const Draft& draft() const { return draft_; }
    const Experiment& experiment() const { return draft_->experiment; }
    QUndoStack& undoStack() { return undo_; }

signals:
    void changed();

private:
    friend class DraftCommand;
    void setDraft(Draft draft);

    Draft draft_;
    QUndoStack undo_;
    Job settling_;  ///< axes on a large base that is about to be taken
};

}  // namespace stagecraft::app::experiments
