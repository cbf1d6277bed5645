#include "views/vpipe/changing_view.h"

#include "views/common/theme.h"
#include "views/vpipe/plain_table.h"
#include "views/vpipe/throughput_chart.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::views::vpipe {

namespace {

enum Column { timeColumn, stageColumn, changeColumn, amountColumn };
constexpr double mostSeconds = 1e6;
constexpr int mostAmount = 1000;
constexpr int rowHeight = 32;

QDoubleSpinBox* secondsField() {
    auto* field = new QDoubleSpinBox;
    field->setRange(0, mostSeconds);
    field->setDecimals(0);
    field->setSingleStep(10);
    field->setAlignment(Qt::AlignRight);
    field->setButtonSymbols(QAbstractSpinBox::NoButtons);
    field->setKeyboardTracking(false);
    return field;
}

}  // namespace

ChangingView::ChangingView(QWidget* parent)
    : QWidget(parent), chart_(new ThroughputChart(tr("Throughput of a network that changes"))) {
    chart_->setObjectName(QStringLiteral("throughputChart"));
    auto* panes = new QSplitter(Qt::Horizontal);
    panes->addWidget(makeSide());
    panes->addWidget(chart_);
    panes->setChildrenCollapsible(false);
    panes->setStretchFactor(1, 1);
    panes->setSizes({400, 800});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panes);
    refreshIcons();
    setPoints({});
    setRunning(false);
}

void ChangingView::makeEvents() {
    events_ = plainTable(QStringLiteral("networkEvents"), {tr("At (s)"), tr("Stage"), tr("Change"), tr("By")},
                         {changeColumn});
    events_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    events_->setColumnWidth(timeColumn, 76);
    events_->setColumnWidth(amountColumn, 76);
    events_->horizontalHeader()->setMinimumSectionSize(40);
    events_->setColumnWidth(stageColumn, 60);
    events_->setColumnWidth(changeColumn, 140);
    events_->verticalHeader()->setDefaultSectionSize(rowHeight);
}

void ChangingView::makeFields() {
    const auto tool = [](const char* name, const QString& text) {
        auto* button = new QToolButton;
        button->setObjectName(QLatin1String(name));
        button->setText(text);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        return button;
    };
    duration_ = secondsField();
    duration_->setObjectName(QStringLiteral("networkDuration"));
    duration_->setMinimum(1);
    duration_->setSuffix(tr(" s"));
    add_ = tool("addEvent", tr("Add"));
    remove_ = tool("removeEvent", tr("Remove"));
    load_ = tool("loadScript", tr("Open…"));
    save_ = tool("saveScript", tr("Save…"));
    export_ = tool("exportThroughput", tr("Export…"));
    start_ = new QPushButton(tr("Run"));
    start_->setObjectName(QStringLiteral("startChanging"));
    start_->setProperty("primary", true);
    stop_ = new QPushButton(tr("Stop"));
    stop_->setObjectName(QStringLiteral("stopChanging"));
    progress_ = new QProgressBar;
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(6);
    status_ = new QLabel;
    status_->setObjectName(QStringLiteral("changingStatus"));
    status_->setWordWrap(true);
}

QWidget* ChangingView::makeSide() {
    makeEvents();
    makeFields();
    connectFields();
    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    auto* hint = new QLabel(
        tr("What happens to the network while it trains. Stages are those that training starts with."));
    hint->setWordWrap(true);
    layout->addWidget(hint);
    auto* files = new QHBoxLayout;
    for (QToolButton* button : {add_, remove_}) files->addWidget(button);
    files->addStretch();
    for (QToolButton* button : {load_, save_}) files->addWidget(button);
    layout->addLayout(files);
    layout->addWidget(events_, 1);
    auto* ends = new QHBoxLayout;
    ends->addWidget(new QLabel(tr("Training ends after")));
    ends->addStretch();
    ends->addWidget(duration_);
    layout->addLayout(ends);
    auto* run = new QHBoxLayout;
    run->addWidget(start_);
    run->addWidget(stop_);
    run->addStretch();
    run->addWidget(export_);
    layout->addLayout(run);
    layout->addWidget(progress_);
    layout->addWidget(status_);
    return side;
}

void ChangingView::connectFields() {
    connect(add_, &QToolButton::clicked, this, [this] {
        const NetworkScript now = script();
        NetworkEvent event;
        event.layers = 1;
        event.atS =
            std::floor(now.events.empty() ? now.durationS / 4 : (now.events.back().atS + now.durationS) / 2);
        addRow(event);
        events_->setCurrentCell(events_->rowCount() - 1, 0);
        onEdited();
    });
    connect(remove_, &QToolButton::clicked, this, [this] {
        const int row = events_->currentRow() < 0 ? events_->rowCount() - 1 : events_->currentRow();
        if (row < 0) return;
        events_->removeRow(row);
        onEdited();
    });
    connect(duration_, &QDoubleSpinBox::valueChanged, this, &ChangingView::onEdited);
    connect(load_, &QToolButton::clicked, this, &ChangingView::loadRequested);
    connect(save_, &QToolButton::clicked, this, &ChangingView::saveRequested);
    connect(export_, &QToolButton::clicked, this, &ChangingView::exportRequested);
    connect(start_, &QPushButton::clicked, this, &ChangingView::startRequested);
    connect(stop_, &QPushButton::clicked, this, &ChangingView::stopRequested);
}

void ChangingView::addRow(const NetworkEvent& event) {
    const int row = events_->rowCount();
    events_->insertRow(row);
    auto* at = secondsField();
    at->setValue(event.atS);
    auto* stage = new QDoubleSpinBox;
    stage->setDecimals(0);
    stage->setRange(0, mostAmount);
    stage->setButtonSymbols(QAbstractSpinBox::NoButtons);
    stage->setAlignment(Qt::AlignRight);
    stage->setValue(event.stage);
    auto* change = new QComboBox;
    change->addItems({tr("add layers"), tr("remove layers"), tr("scale times")});
    change->setCurrentIndex(static_cast<int>(event.kind));
    auto* amount = new QDoubleSpinBox;
    amount->setAlignment(Qt::AlignRight);
    amount->setButtonSymbols(QAbstractSpinBox::NoButtons);
    const auto fit = [amount, change] {
        const bool scales = change->currentIndex() == static_cast<int>(NetworkEvent::Kind::scaleTimes);
        amount->setDecimals(scales ? 2 : 0);
        amount->setRange(scales ? 0.01 : 1, mostAmount);
    };
    fit();
    amount->setValue(event.kind == NetworkEvent::Kind::scaleTimes ? event.factor : event.layers);
    events_->setCellWidget(row, timeColumn, at);
    events_->setCellWidget(row, stageColumn, stage);
    events_->setCellWidget(row, changeColumn, change);
    events_->setCellWidget(row, amountColumn, amount);
    connect(change, &QComboBox::currentIndexChanged, this, [this, fit] {
        fit();
        onEdited();
    });
    for (QDoubleSpinBox* field : {at, stage, amount})
        connect(field, &QDoubleSpinBox::valueChanged, this, &ChangingView::onEdited);
}

void ChangingView::setScript(const NetworkScript& script) {
    filling_ = true;
    events_->setRowCount(0);
    for (const NetworkEvent& event : script.events) addRow(event);
    duration_->setValue(script.durationS);
    onEdited();
    filling_ = false;
}

NetworkScript ChangingView::script() const {
    NetworkScript script;
    script.durationS = duration_->value();
    const auto number = [this](int row, Column column) {
        return qobject_cast<QDoubleSpinBox*>(events_->cellWidget(row, column))->value();
    };
    for (int row = 0; row < events_->rowCount(); ++row) {
        NetworkEvent event;
        event.atS = number(row, timeColumn);
        event.stage = static_cast<int>(number(row, stageColumn));
        event.kind = static_cast<NetworkEvent::Kind>(
            qobject_cast<QComboBox*>(events_->cellWidget(row, changeColumn))->currentIndex());
        if (event.kind == NetworkEvent::Kind::scaleTimes)
            event.factor = number(row, amountColumn);
        else
            event.layers = static_cast<int>(number(row, amountColumn));
        script.events.push_back(event);
    }
    std::stable_sort(script.events.begin(), script.events.end(),
                     [](const NetworkEvent& a, const NetworkEvent& b) { return a.atS < b.atS; });
    return script;
}

void ChangingView::onEdited() {
    remove_->setEnabled(events_->rowCount() > 0);
    if (!filling_) emit scriptEdited();
}

void ChangingView::setPoints(std::vector<planners::vpipe::ThroughputPoint> points) {
    points_ = std::move(points);
    export_->setEnabled(!points_.empty());
    chart_->setPoints(points_, tr("Run shows the throughput over time: of the static system, of swap and "
                                  "recompute alone, of vPipe, and the ideal."));
}

void ChangingView::setRunning(bool running) {
    start_->setEnabled(!running);
    stop_->setEnabled(running);
    progress_->setValue(0);
    progress_->setVisible(running);
}

void ChangingView::setProgress(double fraction) { progress_->setValue(static_cast<int>(1000 * fraction)); }

void ChangingView::setStatus(const QString& text, bool isError) {
    status_->setText(text);
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, isError ? Theme::current().error : Theme::current().mutedText);
    status_->setPalette(colours);
}

void ChangingView::refreshIcons() {
    add_->setIcon(lineIcon(QStringLiteral("new")));
    remove_->setIcon(lineIcon(QStringLiteral("remove")));
    load_->setIcon(lineIcon(QStringLiteral("open")));
    save_->setIcon(lineIcon(QStringLiteral("save")));
    export_->setIcon(lineIcon(QStringLiteral("export")));
}

void ChangingView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && add_) refreshIcons();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::views::vpipe
