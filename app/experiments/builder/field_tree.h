#pragma once

#include "app/rooms.h"
#include "core/experiments/variable_fields.h"

#include <QWidget>

#include <set>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagecraft::app::experiments {

/// Everything of an experiment that may vary, as a tree that narrows to what one types. A double click, Enter
/// or the button makes an axis of a field; its present value is edited in place (F2, or a click on it).
class FieldTree : public QWidget {
    Q_OBJECT
public:
    explicit FieldTree(QWidget* parent = nullptr);

    /// @param varied pointers that axes vary already
    void setFields(std::vector<VariableField> fields, std::set<std::string> varied);
    const std::vector<VariableField>& fields() const { return fields_; }
    /// Why the last value could not be set; empty: it was.
    void showError(const QString& sentence);

signals:
    void varyRequested(const stagecraft::experiments::VariableField& field);
    void valueGiven(const stagecraft::experiments::VariableField& field, const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void showAll();
    void showMatches(const QStringList& words);
    QTreeWidgetItem* groupFor(const std::vector<std::string>& groups, std::size_t depth);
    QTreeWidgetItem* addField(QTreeWidgetItem* parent, std::size_t field);
    void fill(QTreeWidgetItem* item);
    void takeEdit(QTreeWidgetItem* item, int column);
    void vary();
    const VariableField* current() const;

    std::vector<VariableField> fields_;
    std::set<std::string> varied_;
    QLineEdit* search_;
    QTreeWidget* tree_;
    QLabel* note_;
    QPushButton* vary_;
    bool building_ = false;
};

}  // namespace stagecraft::app::experiments
