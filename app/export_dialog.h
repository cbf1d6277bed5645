#pragma once

#include "app/figure_export.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QRadioButton;
class QSpinBox;

namespace stagecraft {

/// What to export and how; the file is asked for afterwards.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    enum class Figure { plan, comparison, cluster, training, pareto, pattern };
    ExportDialog(const ExportChoice& choice, Figure figure, QWidget* parent = nullptr);
    ExportChoice choice() const;
    /// "Figures (*.pdf)", for the file dialog.
    static QString filterOf(const QString& format);
    static QString suffixOf(const QString& format);

private:
    void showFormat();
    void showWidth();

    ExportChoice before_;
    Figure figure_;
    QRadioButton* shown_;
    QRadioButton* everything_;
    QComboBox* format_;
    QComboBox* venue_;
    QDoubleSpinBox* width_;
    QSpinBox* dpi_;
    QCheckBox* legend_;
    QCheckBox* memory_;
    QCheckBox* grey_;
};

}  // namespace stagecraft
