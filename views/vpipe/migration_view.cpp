#include "views/vpipe/migration_view.h"

#include "core/base/units.h"
#include "views/common/canvas.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/vpipe/drawing_canvas.h"
#include "views/vpipe/plain_table.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft::views::vpipe {

namespace {

constexpr double panShare = 0.15;
constexpr int mostMicrobatch = 100'000;

/// What the independent check says.
QString verdictOf(const MigrationCase& each) {
    if (!each.migration) return each.obstacle;
    if (!each.violations.empty()) return qtText(each.violations.front());
    return each.runsEmpty ? QStringLiteral("every gradient enters one update; no weights older than before")
                          : QStringLiteral("every gradient enters one update; staleness unchanged");
}

}  // namespace

MigrationView::MigrationView(QWidget* parent)
    : QWidget(parent),
      from_(new QComboBox),
      to_(new QComboBox),
      after_(new QSpinBox),
      table_(plainTable(
          QStringLiteral("migrationTable"),
          {tr("How"), tr("Moves"), tr("Migrations"), tr("Messages and copies"), tr("Stall"), tr("Checked")},
          {0, 5})),
      canvas_(new DrawingCanvas(tr("The timeline of a migration"))),
      status_(new QLabel),
      export_(new QToolButton) {
    describeFields();
    auto* panes = new QSplitter(Qt::Vertical);
    panes->addWidget(table_);
    panes->addWidget(canvas_->inScrollArea());
    panes->setChildrenCollapsible(false);
    panes->setSizes({170, 430});
    panes->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(makeBar());
    layout->addWidget(panes, 1);
    connectParts();
    setCases({});
}

void MigrationView::describeFields() {
    from_->setObjectName(QStringLiteral("migrateFrom"));
    to_->setObjectName(QStringLiteral("migrateTo"));
    after_->setObjectName(QStringLiteral("migrateAfter"));
    after_->setRange(-1, mostMicrobatch);
    after_->setValue(-1);
    after_->setSpecialValueText(tr("full pipeline"));
    after_->setToolTip(
        tr("Layers leave after this microbatch's backward; by default once the pipeline has "
           "been full for a while"));
    after_->setKeyboardTracking(false);
    canvas_->setObjectName(QStringLiteral("migrationChart"));
    status_->setObjectName(QStringLiteral("migrationStatus"));
    status_->setWordWrap(true);
    export_->setObjectName(QStringLiteral("exportMigration"));
    export_->setText(tr("Export…"));
    export_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    export_->setIcon(lineIcon(QStringLiteral("export")));
    for (QComboBox* box : {from_, to_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(22);
    }
}

QLayout* MigrationView::makeBar() {
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 8, 12, 8);
    bar->setSpacing(8);
    bar->addWidget(new QLabel(tr("From")));
    bar->addWidget(from_);
    bar->addWidget(new QLabel(tr("to")));
    bar->addWidget(to_);
    bar->addSpacing(8);
    bar->addWidget(new QLabel(tr("after microbatch")));
    bar->addWidget(after_);
    bar->addSpacing(8);
    bar->addWidget(status_, 1);
    bar->addWidget(export_);
    return bar;
}

void MigrationView::connectParts() {
    for (QComboBox* box : {from_, to_})
        connect(box, &QComboBox::currentIndexChanged, this, &MigrationView::choiceChanged);
    connect(after_, &QSpinBox::valueChanged, this, &MigrationView::choiceChanged);
    connect(export_, &QToolButton::clicked, this, &MigrationView::exportRequested);
    connect(table_, &QTableWidget::currentCellChanged, this, &MigrationView::showCase);
    connect(canvas_, &DrawingCanvas::wheeled, this, [this](double xMm, double steps) {
        const QRectF& frame = canvas_->drawing().frameMm;
        const double share = frame.width() > 0 ? (xMm - frame.left()) / frame.width() : 0.5;
        zoom(std::pow(zoomStep, -steps),
             range_.first + std::clamp(share, 0.0, 1.0) * (range_.second - range_.first));
    });
    connect(canvas_, &DrawingCanvas::dragged, this, [this](double byMm) {
        const double wide = canvas_->drawing().frameMm.width();
        if (wide > 0) pan(-byMm / wide * (range_.second - range_.first));
    });
}

void MigrationView::setPlans(const QStringList& names, int from, int to) {
    const QSignalBlocker quietFrom(from_), quietTo(to_);
    const QString before[] = {from_->currentText(), to_->currentText()};
    from_->clear();
    to_->clear();
    from_->addItems(names);
    to_->addItems(names);
    const int kept[] = {from_->findText(before[0]), to_->findText(before[1])};
    const bool same = kept[0] >= 0 && kept[1] >= 0;
    from_->setCurrentIndex(same ? kept[0] : from);
    to_->setCurrentIndex(same ? kept[1] : to);
}

int MigrationView::from() const { return from_->currentIndex(); }
int MigrationView::to() const { return to_->currentIndex(); }
int MigrationView::afterMicrobatch() const { return after_->value(); }

void MigrationView::setCases(std::vector<MigrationCase> cases) {
    const int before = std::max(0, table_->currentRow());
    cases_ = std::move(cases);
    {
        const QSignalBlocker quiet(table_);
        table_->setRowCount(static_cast<int>(cases_.size()));
        for (int row = 0; row < table_->rowCount(); ++row) {
            const MigrationCase& each = cases_[static_cast<std::size_t>(row)];
            const planners::vpipe::Migration* migration = each.migration.get();
            const QString none = QStringLiteral("–");
            const QString cells[] = {each.title,
                                     migration ? qtText(formatBytes(migration->movedBytes)) : none,
                                     migration ? QString::number(migration->steps) : none,
                                     migration ? QString::number(migration->moves.size()) : none,
                                     migration ? qtText(formatSeconds(migration->stallS())) : none,
                                     verdictOf(each)};
            for (int column = 0; column < table_->columnCount(); ++column) {
                QTableWidgetItem* cell = plainCell(cells[column], column > 0 && column < 5);
                if (column == 5) cell->setToolTip(cells[column]);
                if (column == 5 && !each.violations.empty()) cell->setForeground(Theme::current().error);
                table_->setItem(row, column, cell);
            }
        }
        if (!cases_.empty()) table_->setCurrentCell(std::min(before, table_->rowCount() - 1), 0);
    }
    showCase();
}

int MigrationView::shownCase() const { return cases_.empty() ? -1 : table_->currentRow(); }

void MigrationView::showCase() {
    const int shown = shownCase();
    const bool drawn = shown >= 0 && cases_[static_cast<std::size_t>(shown)].migration;
    export_->setEnabled(drawn);
    if (drawn) return fit();
    canvas_->setDraw({}, shown >= 0 ? cases_[static_cast<std::size_t>(shown)].obstacle
                                    : tr("Choose a plan to start from and one to change into."));
}

void MigrationView::fit() {
    range_ = migrationRange(*cases_[static_cast<std::size_t>(shownCase())].migration);
    redraw();
}

void MigrationView::zoom(double factor, double aboutS) {
    const int shown = shownCase();
    if (shown < 0 || !cases_[static_cast<std::size_t>(shown)].migration) return;
    const double whole = cases_[static_cast<std::size_t>(shown)].migration->timeline.lastEndS();
    const double wide = std::clamp(factor * (range_.second - range_.first), 1e-5 * whole, whole);
    const double share = (aboutS - range_.first) / (range_.second - range_.first);
    range_ = {aboutS - share * wide, aboutS + (1 - share) * wide};
    pan(0);
}

void MigrationView::pan(double byS) {
    const int shown = shownCase();
    if (shown < 0 || !cases_[static_cast<std::size_t>(shown)].migration) return;
    const double whole = cases_[static_cast<std::size_t>(shown)].migration->timeline.lastEndS();
    const double wide = range_.second - range_.first;
    const double begin = std::clamp(range_.first + byS, 0.0, std::max(0.0, whole - wide));
    range_ = {begin, begin + wide};
    redraw();
}

void MigrationView::redraw() {
    canvas_->setDraw([this](const DrawingLook& look) {
        return drawMigration(cases_[static_cast<std::size_t>(shownCase())], range_, look);
    });
}

void MigrationView::setStatus(const QString& status, bool isError) {
    status_->setText(status);
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, isError ? Theme::current().error : Theme::current().mutedText);
    status_->setPalette(colours);
}

void MigrationView::keyPressEvent(QKeyEvent* event) {
    const double wide = range_.second - range_.first, middle = (range_.first + range_.second) / 2;
    switch (event->key()) {
        case Qt::Key_W:
            return zoom(1 / zoomStep, middle);
        case Qt::Key_S:
            return zoom(zoomStep, middle);
        case Qt::Key_A:
            return pan(-panShare * wide);
        case Qt::Key_D:
            return pan(panShare * wide);
        case Qt::Key_F:
            return showCase();
        default:
            QWidget::keyPressEvent(event);
    }
}

void MigrationView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) export_->setIcon(lineIcon(QStringLiteral("export")));
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::views::vpipe
