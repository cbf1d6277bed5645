#pragma once

#include "core/formats/topology/import.h"

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace stagecraft {

class ParameterForm;

/// What an import took, derived, assumed and ignored, and fields for what the text does not hold. Stays until
/// it is closed.
class ImportReport : public QWidget {
    Q_OBJECT

public:
    explicit ImportReport(QWidget* parent = nullptr);

    /// @param title what was imported: "h200.xml, NCCL topology XML"
    void setQuestions(const QString& title, const std::vector<Parameter>& questions);
    void setResult(const ImportedCluster& imported);
    /// Why the last answer could not be used; empty: it was.
    void setError(const QString& error);
    ParameterValues answers() const;

signals:
    void answersChanged();

private:
    QVBoxLayout* layout_;
    QWidget* head_ = nullptr;
    QWidget* body_ = nullptr;
    ParameterForm* form_ = nullptr;
    QLabel* error_ = nullptr;
};

}  // namespace stagecraft
