#pragma once

#include "app/experiments/builder/base_chooser.h"
#include "core/experiments/variable_fields.h"
#include "views/common/job.h"

#include <map>

namespace stagecraft::app::experiments {

class DraftHistory;
class FieldTree;

/// The base of an experiment, and the tree of everything in it that may vary.
class BasePane : public QWidget {
    Q_OBJECT
public:
    BasePane(DraftHistory& history, OpenProject openProject, QWidget* parent = nullptr);

    void showDraft();
    /// The next draft's base is looked into anew.
    void forget() { fieldsOf_.clear(); }
    void showError(const QString& sentence) { chooser_->showError(sentence); }
    /// What a base is called wherever it comes up.
    void nameBase(const std::string& base, const QString& name);
    BaseChooser& chooser() { return *chooser_; }

signals:
    void varyRequested(const stagecraft::experiments::VariableField& field);

private:
    /// Those of a large base are found off the window's thread.
    void showFields();
    void giveValue(const VariableField& field, const QString& text);

    DraftHistory& history_;
    std::map<std::size_t, QString> names_;  ///< by hash of a base: where it is from
    std::string fieldsOf_;                  ///< the base that the tree was made for
    Job finding_;                           ///< the fields of a large base
    BaseChooser* chooser_;
    FieldTree* fields_;
};

}  // namespace stagecraft::app::experiments
