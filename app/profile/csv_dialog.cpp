#include "app/profile/csv_dialog.h"

#include "core/base/units.h"
#include "views/common/on_screen.h"
#include "views/common/text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::profile {
namespace {

constexpr int previewRows = 100;
constexpr int mostSamples = 1'000'000;

CsvField fieldAt(std::size_t i) { return static_cast<CsvField>(i); }
bool isNumber(CsvField field) { return field != CsvField::name; }

double numberOf(const Layer& layer, CsvField field) {
    switch (field) {
        case CsvField::forward:
            return layer.forwardS;
        case CsvField::backward:
            return layer.backwardS;
        case CsvField::weightGradient:
            return layer.weightGradientS;
        case CsvField::inputGradient:
            return layer.backwardS - layer.weightGradientS;
        case CsvField::parameters:
            return layer.parameterBytes;
        case CsvField::output:
            return layer.outputBytes;
        case CsvField::outputGradient:
            return layer.outputGradientBytes;
        case CsvField::stored:
            return layer.storedActivationBytes;
        case CsvField::name:
            break;
    }
    return 0;
}

}  // namespace

CsvDialog::CsvDialog(std::string text, std::string file, QWidget* parent)
    : QDialog(parent),
      text_(std::move(text)),
      file_(std::move(file)),
      table_(readCsvTable(text_, file_)),
      mapping_(guessCsvMapping(table_)),
      size_(new QSpinBox),
      mark_(new QComboBox),
      rows_(new QTableWidget),
      state_(new QLabel),
      use_(new QPushButton(tr("Use these columns"))) {
    setWindowTitle(tr("Columns of %1").arg(QString::fromStdString(file_).section('/', -1)));
    setObjectName(QStringLiteral("csvDialog"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(makeFields());
    state_->setObjectName(QStringLiteral("csvState"));
    state_->setWordWrap(true);
    column->addWidget(state_);
    rows_->setObjectName(QStringLiteral("csvPreview"));
    rows_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    rows_->setAlternatingRowColors(true);
    rows_->setShowGrid(false);
    rows_->verticalHeader()->hide();
    column->addWidget(rows_, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    use_->setProperty("primary", true);
    use_->setObjectName(QStringLiteral("useColumns"));
    buttons->addButton(use_, QDialogButtonBox::AcceptRole);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit imported(*imported_);
        accept();
    });
    showPreview();
    placeOnScreen(*this, QSize(900, 600));
}

QWidget* CsvDialog::makeFields() {
    auto* fields = new QWidget;
    auto* grid = new QGridLayout(fields);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    filling_ = true;
    for (std::size_t i = 0; i < csvFieldCount; ++i) {
        const CsvField field = fieldAt(i);
        auto* choice = new QComboBox;
        choice->setObjectName(QStringLiteral("column%1").arg(i));
        choice->addItem(tr("not in the table"), -1);
        for (std::size_t c = 0; c < table_.header.size(); ++c)
            choice->addItem(QString::fromStdString(table_.header[c]), static_cast<int>(c));
        choice->setCurrentIndex(choice->findData(mapping_.of(field).column));
        auto* unit = new QComboBox;
        unit->setObjectName(QStringLiteral("unit%1").arg(i));
        unit->setVisible(isNumber(field));
        columns_.push_back(choice);
        units_.push_back(unit);
        fillUnits(field);
        // Two of them beside each other, so that the preview has room.
        const int row = static_cast<int>(i) / 2, left = static_cast<int>(i) % 2 * 4;
        QString name = QString::fromStdString(csvFieldName(field));
        name[0] = name[0].toUpper();
        grid->addWidget(new QLabel(name), row, left);
        grid->addWidget(choice, row, left + 1);
        grid->addWidget(unit, row, left + 2);
        connect(choice, &QComboBox::currentIndexChanged, this, [this, field] {
            takeUnitOfHeader(field);
            readFields();
        });
        connect(unit, &QComboBox::currentIndexChanged, this, &CsvDialog::readFields);
    }
    grid->setColumnStretch(1, 1);
    grid->setColumnMinimumWidth(3, 24);
    grid->setColumnStretch(5, 1);
    size_->setObjectName(QStringLiteral("samples"));
    size_->setRange(1, mostSamples);
    size_->setAlignment(Qt::AlignRight);
    const int row = (static_cast<int>(csvFieldCount) + 1) / 2;
    grid->addWidget(new QLabel(tr("Samples in a microbatch")), row, 0);
    grid->addWidget(size_, row, 1);
    mark_->setObjectName(QStringLiteral("decimalMark"));
    mark_->addItem(tr("point: 1.5"), false);
    mark_->addItem(tr("comma: 1,5"), true);
    mark_->setCurrentIndex(mapping_.decimalComma ? 1 : 0);
    grid->addWidget(new QLabel(tr("Decimal mark")), row, 4);
    grid->addWidget(mark_, row, 5);
    connect(mark_, &QComboBox::currentIndexChanged, this, &CsvDialog::readFields);
    connect(size_, &QSpinBox::valueChanged, this, &CsvDialog::readFields);
    filling_ = false;
    return fields;
}

void CsvDialog::fillUnits(CsvField field) {
    QComboBox* unit = units_[static_cast<std::size_t>(field)];
    if (!isNumber(field)) return;
    for (const CsvUnit& each : csvUnits(field)) {
        unit->addItem(QString::fromUtf8(each.name), each.factor);
        if (each.factor == mapping_.of(field).unit) unit->setCurrentIndex(unit->count() - 1);
    }
}

/// Another column may be in another unit: what its header says of that holds until a person chooses one.
void CsvDialog::takeUnitOfHeader(CsvField field) {
    const int column = columns_[static_cast<std::size_t>(field)]->currentData().toInt();
    if (column < 0 || !isNumber(field)) return;
    QComboBox* unit = units_[static_cast<std::size_t>(field)];
    const QSignalBlocker blocker(unit);
    const std::string& header = table_.header[static_cast<std::size_t>(column)];
    unit->setCurrentIndex(std::max(0, unit->findData(guessCsvUnit(field, header))));
}

void CsvDialog::readFields() {
    if (filling_) return;
    mapping_.decimalComma = mark_->currentData().toBool();
    for (std::size_t i = 0; i < csvFieldCount; ++i) {
        CsvColumn& column = mapping_.of(fieldAt(i));
        column.column = columns_[i]->currentData().toInt();
        if (isNumber(fieldAt(i))) column.unit = units_[i]->currentData().toDouble();
    }
    showPreview();
}

/// The table as the file has it, to see which column is which.
void CsvDialog::showFile() {
    rows_->setColumnCount(static_cast<int>(table_.header.size()));
    rows_->setRowCount(std::min(previewRows, static_cast<int>(table_.rows.size())));
    for (int column = 0; column < rows_->columnCount(); ++column) {
        const auto c = static_cast<std::size_t>(column);
        rows_->setHorizontalHeaderItem(column,
                                       new QTableWidgetItem(QString::fromStdString(table_.header[c])));
        for (int row = 0; row < rows_->rowCount(); ++row)
            rows_->setItem(
                row, column,
                new QTableWidgetItem(QString::fromStdString(table_.rows[static_cast<std::size_t>(row)][c])));
    }
    rows_->resizeColumnsToContents();
}

void CsvDialog::showPreview() {
    for (std::size_t i = 0; i < csvFieldCount; ++i) units_[i]->setEnabled(mapping_.columns[i].column >= 0);
    imported_.reset();
    QString error;
    try {
        ProfileImportOptions options;
        options.microbatchSize = size_->value();
        imported_ = readProfileCsv(text_, file_, mapping_, options);
    } catch (const std::exception& refused) {
        error = QString::fromUtf8(refused.what());
    }
    use_->setEnabled(imported_.has_value());
    rows_->clear();
    rows_->setRowCount(0);
    if (!imported_) {
        const bool hasForward = mapping_.of(CsvField::forward).column >= 0;
        state_->setText(hasForward
                            ? error
                            : tr("Choose the column that holds forward times. Below is the table as the "
                                 "file has it."));
        return showFile();
    }
    const std::vector<Layer>& layers = imported_->profile.layers;
    double forward = 0, backward = 0, parameters = 0;
    for (const Layer& layer : layers) {
        forward += layer.forwardS;
        backward += layer.backwardS;
        parameters += layer.parameterBytes;
    }
    state_->setText(tr("%1: forward %2, backward %3, parameters %4.")
                        .arg(countedText(static_cast<long long>(layers.size()), "layer"),
                             QString::fromStdString(formatSeconds(forward)),
                             QString::fromStdString(formatSeconds(backward)),
                             QString::fromStdString(formatBytes(parameters))));
    rows_->setColumnCount(static_cast<int>(csvFieldCount));
    rows_->setRowCount(std::min(previewRows, static_cast<int>(layers.size())));
    for (std::size_t i = 0; i < csvFieldCount; ++i) {
        const CsvField field = fieldAt(i);
        const int column = static_cast<int>(i);
        rows_->setHorizontalHeaderItem(column,
                                       new QTableWidgetItem(QString::fromStdString(csvFieldName(field))));
        for (int row = 0; row < rows_->rowCount(); ++row) {
            const Layer& layer = layers[static_cast<std::size_t>(row)];
            const std::string text = !isNumber(field) ? layer.name
                                     : isTime(field)  ? formatSeconds(numberOf(layer, field))
                                                      : formatBytes(numberOf(layer, field));
            auto* cell = new QTableWidgetItem(QString::fromStdString(text));
            if (isNumber(field)) cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            rows_->setItem(row, column, cell);
        }
    }
    rows_->resizeColumnsToContents();
}

}  // namespace stagecraft::app::profile
