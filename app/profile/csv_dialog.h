#pragma once

#include "app/rooms.h"
#include "core/formats/profiles/csv_profile.h"

#include <QDialog>

#include <optional>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace stagecraft::app::profile {

/// Matches the columns and units of a table with what a profile holds, and shows the layers that come of it.
class CsvDialog : public QDialog {
    Q_OBJECT

public:
    /// @param text a table that readCsvTable() takes; `file` is what messages call it
    CsvDialog(std::string text, std::string file, QWidget* parent = nullptr);

    /// Nothing if the table cannot be read like that.
    const std::optional<ImportedProfile>& preview() const { return imported_; }

signals:
    void imported(const ImportedProfile& imported);

private:
    QWidget* makeFields();
    void fillUnits(CsvField field);
    void readFields();
    void takeUnitOfHeader(CsvField field);
    void showFile();
    void showPreview();

    std::string text_, file_;
    CsvTable table_;
    CsvMapping mapping_;
    std::optional<ImportedProfile> imported_;
    std::vector<QComboBox*> columns_, units_;  ///< by CsvField
    QSpinBox* size_;
    QComboBox* mark_;  ///< decimal point or comma
    QTableWidget* rows_;
    QLabel* state_;
    QPushButton* use_;
    bool filling_ = false;
};

}  // namespace stagecraft::app::profile
