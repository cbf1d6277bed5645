#include "app/experiments/builder/draft_history.h"

namespace stagecraft::app::experiments {

bool isLargeBase(const std::string& base) { return base.size() > 20'000; }  // bytes

/// Replaces a draft by another. Undo and redo are the same swap.
class DraftCommand : public QUndoCommand {
public:
    DraftCommand(DraftHistory& history, DraftHistory::Draft after, const QString& text, const QString& merge)
        : QUndoCommand(text),
          history_(history),
          before_(history.draft_),
          after_(std::move(after)),
          merge_(merge) {}
    int id() const override { return merge_.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto& next = static_cast<const DraftCommand&>(*other);
        if (next.merge_ != merge_) return false;
        after_ = next.after_;
        return true;
    }
    void undo() override { history_.setDraft(before_); }
    void redo() override { history_.setDraft(after_); }

private:
    DraftHistory& history_;
    DraftHistory::Draft before_, after_;
    QString merge_;
};

DraftHistory::DraftHistory(QObject* parent)
    : QObject(parent), draft_(std::make_shared<const ExperimentDraft>()) {}

void DraftHistory::setDraft(Draft draft) {
    draft_ = std::move(draft);
    emit changed();
}

void DraftHistory::begin(ExperimentDraft draft) {
    settling_.abandon();
    undo_.clear();
    setDraft(std::make_shared<const ExperimentDraft>(std::move(draft)));
}

void DraftHistory::edit(const QString& text, const QString& merge,
                        const std::function<void(ExperimentDraft&)>& how) {
    auto after = std::make_shared<ExperimentDraft>(*draft_);
    how(*after);
    undo_.push(new DraftCommand(*this, std::move(after), text, merge));
}

void DraftHistory::takeBase(const QString& text, const std::string& base,
                            const std::filesystem::path& directory) {
    const auto put = [this, text, base, directory](std::vector<AxisDraft> axes) {
        edit(text, {}, [&](ExperimentDraft& draft) {
            draft.experiment.base = base;
            draft.experiment.directory = directory;
            draft.axes = std::move(axes);
        });
    };
    settling_.abandon();
    if (draft_->axes.empty()) return put({});
    const auto settle = [base, directory](ExperimentDraft draft) {
        draft.experiment.directory = directory;
        setBase(draft, base);
        return draft.axes;
    };
    if (!isLargeBase(base)) return put(settle(*draft_));
    settling_.start([settle, before = draft_](const JobContext&) { return settle(*before); },
                    [=, this, before = draft_](std::vector<AxisDraft> axes) {
                        // Axes that were edited meanwhile are to rest on it as well.
                        draft_ == before ? put(std::move(axes)) : takeBase(text, base, directory);
                    });
}

}  // namespace stagecraft::app::experiments
