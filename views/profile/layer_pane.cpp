#include "views/profile/layer_pane.h"

#include "core/base/units.h"
#include "core/graph/grouping.h"
#include "views/common/list_filter.h"
#include "views/common/table_columns.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/profile/layer_delegate.h"
#include "views/profile/layer_table.h"
#include "views/profile/totals_row.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QStyleHints>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::profile {

namespace {

constexpr int leastNameWidth = 168;
constexpr int mostNameWidth = 380;
constexpr int leastRows = 3;

}  // namespace

LayerPane::LayerPane(QWidget* parent)
    : QWidget(parent),
      model_(new LayerTable(this)),
      filter_(new LayerFilter(this)),
      filterField_(new QLineEdit),
      odd_(new QToolButton),
      table_(new QTableView(this)),
      details_(new QLabel),
      narrow_(new QTimer(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(0);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(16, 0, 16, 6);
    filterField_->setPlaceholderText("Filter by name, index, or stage 2");
    filterField_->setClearButtonEnabled(true);
    filterField_->setMaximumWidth(320);
    odd_->setObjectName(QStringLiteral("oddLayers"));
    odd_->setCheckable(true);
    odd_->setToolTip(
        "Show only layers whose numbers are worth a second look: no time, a backward faster than the "
        "forward, a jump, …");
    tools->addWidget(filterField_, 1);
    tools->addWidget(odd_);
    tools->addStretch();
    column->addLayout(tools);
    makeTable();
    table_->setTextElideMode(Qt::ElideMiddle);  // names of layers differ at their end
    column->addWidget(table_, 1);
    totals_ = new TotalsRow(table_);
    column->addWidget(totals_);
    details_->setObjectName(QStringLiteral("layerDetails"));
    details_->setProperty("role", "muted");
    details_->setWordWrap(true);
    details_->setTextFormat(Qt::PlainText);
    details_->setContentsMargins(16, 4, 16, 4);
    details_->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // As high as two lines whatever it says, so that the table stays where it is.
    details_->setFixedHeight(2 * details_->fontMetrics().lineSpacing() + 8);
    column->addWidget(details_);
    narrow_->setSingleShot(true);
    narrow_->setInterval(QGuiApplication::styleHints()->mouseDoubleClickInterval());

    leadInto(*filterField_, *table_);
    connect(filterField_, &QLineEdit::textChanged, this, &LayerPane::filter);
    connect(odd_, &QToolButton::toggled, this, [this](bool on) {
        if (on != (filterField_->text() == QLatin1String(LayerFilter::oddNeedle)))
            filterField_->setText(on ? QString::fromLatin1(LayerFilter::oddNeedle) : QString());
    });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showDetails();
        if (choosing_) return;
        emit layerChosen(currentCell().first);
        emit chosenLayersChanged();
    });
    connect(narrow_, &QTimer::timeout, this, [this] { table_->selectRow(table_->currentIndex().row()); });
    showDetails();
}

void LayerPane::makeTable() {
    filter_->setSourceModel(model_);
    table_->setModel(filter_);
    table_->setItemDelegate(new LayerDelegate(table_));
    table_->setSortingEnabled(true);
    table_->sortByColumn(LayerTable::layerIndex, Qt::AscendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    table_->setAlternatingRowColors(true);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setIconSize(QSize(14, 14));
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 8);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->installEventFilter(this);
    table_->viewport()->installEventFilter(this);
    columns_ = new TableColumns(table_, LayerTable::name, leastNameWidth, mostNameWidth);
}

void LayerPane::setProfile(const LayerProfile& profile, bool another) {
    if (another) filterField_->clear();
    const int columnsBefore = model_->columnCount(), scrolled = table_->verticalScrollBar()->value();
    const bool otherRows = model_->rowCount() != profile.layerCount();
    const std::vector<int> chosen = chosenLayers();
    model_->setProfile(profile);
    if (otherRows && !another) {
        chooseLayers(chosen);
        table_->verticalScrollBar()->setValue(scrolled);
    }
    const int odd = model_->oddLayers();
    odd_->setText(QString("%1 unusual").arg(odd));
    odd_->setIcon(lineIcon(QStringLiteral("warning")));
    odd_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    odd_->setVisible(odd > 0 || odd_->isChecked());
    if (another || model_->columnCount() != columnsBefore) columns_->measure();
    showTotals();
    showDetails();
    table_->ensurePolished();  // the style sheet sets fonts
    table_->horizontalHeader()->ensurePolished();
    table_->setMinimumHeight(table_->horizontalHeader()->sizeHint().height() +
                             leastRows * table_->verticalHeader()->defaultSectionSize() +
                             table_->horizontalScrollBar()->sizeHint().height());
}

void LayerPane::setPlan(const std::optional<Plan>& plan) {
    const int columnsBefore = model_->columnCount();
    model_->setPlan(plan);
    if (filterField_->text().startsWith("stage", Qt::CaseInsensitive)) filter(filterField_->text());
    if (model_->columnCount() != columnsBefore) columns_->measure();
    showTotals();
}

void LayerPane::filter(const QString& needle) {
    filter_->setNeedle(needle);
    odd_->setChecked(needle == QLatin1String(LayerFilter::oddNeedle));
    showTotals();
}

void LayerPane::showTotals() {
    const int shown = filter_->rowCount();
    const int all = model_->rowCount();
    std::vector<QString> texts(static_cast<std::size_t>(model_->columnCount()));
    std::vector<QString> tooltips(texts.size());
    texts[LayerTable::name] = shown == all
                                  ? "Total of " + countedText(all, "layer")
                                  : QString("Total of %L1 of %2").arg(shown).arg(countedText(all, "layer"));
    std::vector<double> sums(texts.size(), 0);
    for (int row = 0; row < shown; ++row) {
        const int layer = filter_->mapToSource(filter_->index(row, 0)).row();
        for (int column = LayerTable::forward; column <= LayerTable::weightGradientBytes; ++column)
            sums[static_cast<std::size_t>(column)] +=
                *LayerTable::numberTaken(model_->profile().layers[static_cast<std::size_t>(layer)], column);
    }
    for (int column = LayerTable::forward; column <= LayerTable::weightGradientBytes; ++column) {
        const auto i = static_cast<std::size_t>(column);
        texts[i] = LayerTable::formatted(sums[i], column);
        tooltips[i] = LayerTable::exactText(sums[i], column);
    }
    totals_->setTexts(std::move(texts), std::move(tooltips));
    columns_->makeRoom(totals_->neededWidths());
}

QString LayerPane::details() const { return details_->text(); }

void LayerPane::showDetails() {
    const std::vector<int> layers = chosenLayers();
    const LayerProfile& profile = model_->profile();
    QString text;
    if (layers.size() == 1) {
        const int layer = layers.front();
        text = QString::fromStdString(whyOneLayer(profile, layer));
        if (const QString odd = model_->oddities(layer); !odd.isEmpty()) text = "Odd: " + odd + ". " + text;
        if (text.isEmpty()) text = "Double-click a cell or press F2 to change it: 1.5 ms, 12 MiB, 0.";
    } else if (layers.size() > 1) {
        double time = 0, parameters = 0;
        for (const int layer : layers) {
            const Layer& own = profile.layers[static_cast<std::size_t>(layer)];
            time += own.forwardS + own.backwardS;
            parameters += own.parameterBytes;
        }
        text = QString(
                   "%1 layers selected: %2 forward and backward, %3 of parameters. A value typed into a cell "
                   "applies to all of them.")
                   .arg(layers.size())
                   .arg(QString::fromStdString(formatSeconds(time)),
                        QString::fromStdString(formatBytes(parameters)));
    } else if (model_->sectionOf(LayerTable::nodes) >= 0) {
        text = "Select a layer to see which nodes it holds and why.";
    } else {
        text = "Select layers to change them, several with Shift and Ctrl.";
    }
    details_->setText(text);
    details_->setToolTip("<p>" + text.toHtmlEscaped() + "</p>");
}

std::vector<int> LayerPane::chosenLayers() const {
    std::vector<int> layers;
    for (const QModelIndex& row : table_->selectionModel()->selectedRows())
        layers.push_back(filter_->mapToSource(row).row());
    std::sort(layers.begin(), layers.end());
    return layers;
}

std::pair<int, int> LayerPane::currentCell() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) return {-1, -1};
    const QModelIndex current = table_->currentIndex();
    const bool isChosen = current.isValid() && table_->selectionModel()->isRowSelected(current.row());
    const QModelIndex shown = isChosen ? current : rows.front();
    return {filter_->mapToSource(shown).row(), shown.column()};
}

std::pair<int, int> LayerPane::focusedCell() const {
    const QModelIndex current = table_->currentIndex();
    if (!current.isValid()) return currentCell();
    return {filter_->mapToSource(current).row(), current.column()};
}

void LayerPane::chooseLayers(const std::vector<int>& layers) {
    QItemSelection selection;
    QModelIndex first;
    for (const int layer : layers) {
        const QModelIndex shown = filter_->mapFromSource(model_->index(layer, LayerTable::name));
        if (!shown.isValid()) continue;
        if (!first.isValid()) first = shown;
        selection.select(shown, shown);
    }
    choosing_ = true;
    if (first.isValid()) {
        table_->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
        table_->scrollTo(first);
    }
    table_->selectionModel()->select(selection,
                                     QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    choosing_ = false;
    emit chosenLayersChanged();
}

/// A click into one of several chosen rows may be the first of two that edit all of them.
bool LayerPane::keepsSelection(QMouseEvent& press) {
    const QModelIndex at = table_->indexAt(press.position().toPoint());
    const bool isPlain = press.button() == Qt::LeftButton && press.modifiers() == Qt::NoModifier;
    if (!isPlain || !at.isValid() || table_->selectionModel()->selectedRows().size() < 2 ||
        !table_->selectionModel()->isRowSelected(at.row()))
        return false;
    table_->selectionModel()->setCurrentIndex(at, QItemSelectionModel::NoUpdate);
    table_->setFocus();
    narrow_->start();
    return true;
}

bool LayerPane::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
            narrow_->stop();
            if (watched == table_->viewport() && keepsSelection(static_cast<QMouseEvent&>(*event)))
                return true;
            break;
        case QEvent::MouseButtonDblClick:
            if (watched == table_->viewport() && narrow_->isActive()) {
                narrow_->stop();
                if (table_->currentIndex().flags() & Qt::ItemIsEditable) table_->edit(table_->currentIndex());
                return true;
            }
            break;
        case QEvent::ShortcutOverride:
            // The window has a use for F2 too.
            if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_F2) event->accept();
            break;
        case QEvent::ContextMenu:
            if (watched != table_->viewport()) break;
            emit menuRequested(static_cast<QContextMenuEvent*>(event)->globalPos());
            return true;
        default:
            break;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace stagecraft::views::profile
