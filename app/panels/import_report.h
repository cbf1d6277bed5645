#pragma once

#include "app/rooms.h"
#include "core/formats/topology/import.h"

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace stagecraft::app::panels {

class ParameterForm;

/// What an import took, derived, assumed and ignored, what a person chose, and fields for what the text does
/// not hold. Stays until it is closed.
class ImportReport : public QWidget {
    Q_OBJECT

public:
    explicit ImportReport(QWidget* parent = nullptr);

    /// @param title what was imported: "h200.xml, NCCL topology XML"
    /// @param questions with what is assumed at present as defaults; fields that nobody answered show that
    /// @param answers what a person said so far
    void showImport(const QString& title, const std::vector<Parameter>& questions,
                    const ParameterValues& answers, const ImportedCluster& imported);
    /// Why the last answer could not be used; empty: it was.
    void setError(const QString& error);
    /// Why answers would change nothing, in which case there is nothing to answer; empty: they would.
    void setIdle(const QString& why);
    /// Of the fields that a person changed, and of no others.
    const ParameterValues& answers() const { return answers_; }

signals:
    void answersChanged();

private:
    void makeForm(const QString& title);
    void takeAnswers();
    void showNotes(const ImportedCluster& imported);

    QVBoxLayout* layout_;
    QWidget* head_ = nullptr;
    QWidget* body_ = nullptr;
    ParameterForm* form_ = nullptr;
    QLabel* error_ = nullptr;
    QLabel* idle_ = nullptr;
    QString title_;
    std::vector<Parameter> questions_;
    ParameterValues shown_;  ///< what the fields showed before the last change
    ParameterValues answers_;
    QStringList notes_;  ///< what is below, to see whether it is to be made anew
};

}  // namespace stagecraft::app::panels
