#pragma once

#include "app/document/document_opener.h"
#include "views/common/job.h"

#include <QDialog>
#include <QTimer>

class QLabel;
class QPushButton;

namespace stagecraft::app {

class ParameterForm;

/// Asks what an ONNX model does not say: the GPU that its times are for, and its open dimensions. Shows what
/// comes out, worked out anew with every change.
class OnnxDialog : public QDialog {
    Q_OBJECT

public:
    /// @param file what messages call the model
    /// @param gpu of the catalogue, proposed to be the one that times are for; empty: some GPU
    OnnxDialog(OpenedOnnx model, std::string file, const std::string& gpu = {}, QWidget* parent = nullptr);

signals:
    void imported(const ImportedProfile& imported);

private:
    void ask();
    void start();
    void showProfile(const ImportedProfile& read, const QString& totals);

    OpenedOnnx model_;
    std::string file_;
    ParameterForm* form_;
    QLabel* totals_;
    QLabel* source_;
    QPushButton* use_;
    QTimer wait_;
    Job reading_;
    ImportedProfile imported_;
};

}  // namespace stagecraft::app
