#pragma once

#include "app/document/document_opener.h"

#include <QDialog>
#include <QTimer>

class QLabel;
class QPushButton;

namespace stagecraft {

class ParameterForm;

/// Asks what an ONNX model does not say: the GPU that its times are for, and its open dimensions. Shows what
/// comes out, worked out anew with every change.
class OnnxDialog : public QDialog {
    Q_OBJECT

public:
    /// @param file what messages call the model
    OnnxDialog(OpenedOnnx model, std::string file, QWidget* parent = nullptr);

signals:
    void imported(const ImportedProfile& imported);

private:
    using Result = std::variant<ImportedProfile, QString>;
    void ask();
    void start();
    void showResult(const Result& result);

    OpenedOnnx model_;
    std::string file_;
    ParameterForm* form_;
    QLabel* totals_;
    QLabel* source_;
    QPushButton* use_;
    QTimer wait_;
    int asked_ = 0;  ///< counts requests, so that a late answer is not taken for the last one's
    ImportedProfile imported_;
};

}  // namespace stagecraft
