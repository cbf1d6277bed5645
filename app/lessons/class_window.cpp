#include "app/lessons/class_window.h"

#include "app/actions/window_keys.h"
#include "core/formats/text_file.h"
#include "views/common/flow_layout.h"
#include "views/common/on_screen.h"
#include "views/common/widgets.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace stagecraft::app::lessons {

namespace {

constexpr QSize usualClassSize{880, 520};
constexpr int classMargin = 12, classSpacing = 8;
constexpr int mostFaultsSaid = 5;

QString words(const std::string& text) { return QString::fromStdString(text); }

/// Sorts "5 %" before "40 %".
class ClassCell : public QTableWidgetItem {
public:
    ClassCell(const QString& text, bool number) : QTableWidgetItem(text), number_(number) {
        setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
        if (number) setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    bool operator<(const QTableWidgetItem& other) const override {
        if (!number_) return QTableWidgetItem::operator<(other);
        return valueOf(text()) < valueOf(other.text());
    }

private:
    /// Its first word; what is no number comes first.
    static double valueOf(const QString& text) {
        bool isNumber = false;
        const double value = text.section(QLatin1Char(' '), 0, 0).toDouble(&isNumber);
        return isNumber ? value : -1;
    }
    bool number_;
};

}  // namespace

ClassWindow::ClassWindow(QWidget* parent)
    : QWidget(parent, Qt::Window), bar_(new QWidget), table_(new QTableWidget) {
    setObjectName(QStringLiteral("classWindow"));
    setWindowTitle(tr("Class results"));
    setAcceptDrops(true);
    closeByKeys(*this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(classMargin, classMargin, classMargin, classMargin);
    column->setSpacing(classSpacing);
    auto* row = new FlowLayout(classSpacing, bar_);
    row->setContentsMargins(0, 0, 0, 0);
    QPushButton* files =
        addClassButton("classFiles", tr("Open files…"), tr("Files of results, one a person"));
    QPushButton* folder =
        addClassButton("classFolder", tr("Open folder…"), tr("All files of results in a folder"));
    export_ = addClassButton("classExport", tr("Export CSV…"), tr("Writes the table for a spreadsheet"));
    table_->setObjectName(QStringLiteral("classTable"));
    table_->setAccessibleName(tr("Class results"));
    table_->setSortingEnabled(true);
    table_->verticalHeader()->hide();
    message_ = newParagraph({}, "muted");
    message_->setObjectName(QStringLiteral("classMessage"));
    column->addWidget(bar_);
    column->addWidget(table_, 1);
    column->addWidget(message_);
    showTable(false);
    connect(files, &QPushButton::clicked, this, &ClassWindow::askFiles);
    connect(folder, &QPushButton::clicked, this, &ClassWindow::askFolder);
    connect(export_, &QPushButton::clicked, this, &ClassWindow::askExport);
    export_->setEnabled(false);
    say({tr("Pupils save theirs with Lesson > Save my results, under their names. Open the files, or drop "
            "them here.")},
        false);
    placeOnScreen(*this, usualClassSize);
}

QPushButton* ClassWindow::addClassButton(const char* name, const QString& text, const QString& tip) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    bar_->layout()->addWidget(button);
    return button;
}

void ClassWindow::showTable(bool any) {
    table_->setVisible(any);
    static_cast<QBoxLayout*>(layout())->setStretchFactor(message_, any ? 0 : 1);
    message_->setAlignment(any ? Qt::AlignLeft | Qt::AlignTop : Qt::AlignCenter);
}

void ClassWindow::say(const QStringList& lines, bool refused) {
    message_->setText(lines.join(QLatin1Char('\n')));
    setRole(*message_, refused ? "error" : "muted");
    message_->setVisible(!lines.isEmpty());
}

void ClassWindow::open(const QStringList& paths) {
    std::vector<std::filesystem::path> all;
    for (const QString& path : paths) all.emplace_back(path.toStdString());
    showClass(collectResults(all));
}

void ClassWindow::showClass(const ClassResults& all) {
    cells_ = classTable(all.results);
    table_->setSortingEnabled(false);
    table_->clear();
    table_->setColumnCount(static_cast<int>(cells_.columns.size()));
    table_->setRowCount(static_cast<int>(cells_.rows.size()));
    for (int column = 0; column < table_->columnCount(); ++column) {
        const TextCells::Column& own = cells_.columns[static_cast<std::size_t>(column)];
        table_->setHorizontalHeaderItem(column, new QTableWidgetItem(words(own.heading)));
        for (int row = 0; row < table_->rowCount(); ++row)
            table_->setItem(
                row, column,
                new ClassCell(
                    words(cells_.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]),
                    own.number));
    }
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    table_->resizeColumnsToContents();
    export_->setEnabled(!cells_.rows.empty());
    showTable(!cells_.rows.empty());
    QStringList faults;
    for (const InputError& fault : all.faults) faults << QString::fromUtf8(fault.what());
    if (const auto more = faults.size() - mostFaultsSaid; more > 0) {
        faults = faults.mid(0, mostFaultsSaid);
        faults << tr("and %1 more").arg(more);
    }
    say(faults, true);
}

QString ClassWindow::exportTo(const QString& path) {
    try {
        writeFileAtomically(path.toStdString(), tableFormatNamed("csv")->write(cells_));
        say({tr("Written to %1").arg(path)}, false);
        return {};
    } catch (const InputError& error) {
        say({QString::fromUtf8(error.what())}, true);
        return QString::fromUtf8(error.what());
    }
}

void ClassWindow::askFiles() {
    const QString filter = tr("Results (*%1);;All files (*)").arg(words(std::string(resultsSuffix)));
    const QStringList paths = QFileDialog::getOpenFileNames(this, tr("Open results"), {}, filter);
    if (!paths.isEmpty()) open(paths);
}

void ClassWindow::askFolder() {
    const QString path = QFileDialog::getExistingDirectory(this, tr("Open a folder of results"));
    if (!path.isEmpty()) open({path});
}

void ClassWindow::askExport() {
    QString path = QFileDialog::getSaveFileName(this, tr("Export class results"), QStringLiteral("class.csv"),
                                                tr("CSV (*.csv)"));
    if (path.isEmpty()) return;
    if (!path.endsWith(QLatin1String(".csv"))) path += QLatin1String(".csv");
    exportTo(path);
}

void ClassWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void ClassWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) paths << url.toLocalFile();
    open(paths);
}

}  // namespace stagecraft::app::lessons
