#include "app/figures/figure_part_rows.h"

#include "app/figures/figure_fields.h"
#include "views/common/widgets.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QTableWidget>

namespace stagecraft::app::figures {
namespace {

constexpr double msPerS = 1e3;
constexpr double longestMs = 1e9;

QDoubleSpinBox* milliseconds(const char* name) {
    auto* box = new PlainNumberBox;
    box->setObjectName(QLatin1String(name));
    box->setRange(0, longestMs);
    box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    box->setSuffix(QObject::tr(" ms"));
    return box;
}

constexpr int mostPanelRows = 6;  // of the table, which scrolls then
constexpr int rowPixels = 26;
constexpr int firstView = 1;  // the column after the plan's name

QTableWidget* panelsTable() {
    auto* table = new QTableWidget(0, firstView + static_cast<int>(std::size(panelViewNames)));
    table->setObjectName(QStringLiteral("panels"));
    table->setHorizontalHeaderLabels(
        {QObject::tr("Panels"), QObject::tr("Timeline"), QObject::tr("Memory"), QObject::tr("Links")});
    table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->setToolTip(QObject::tr("What of which plan the figure shows, from top to bottom"));
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table->horizontalHeader()->setMinimumSectionSize(1);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(rowPixels);
    table->setShowGrid(false);
    return table;
}

}  // namespace

FigurePartRows::FigurePartRows(std::optional<FigurePart> shown, QFormLayout& form)
    : QObject(&form),
      form_(form),
      shown_(std::move(shown)),
      time_(choiceBox("time", {tr("All of it"), tr("What is shown"), tr("From … to"), tr("Steady state")})),
      from_(milliseconds("from")),
      to_(milliseconds("to")),
      lanes_(choiceBox("lanes", {tr("All"), tr("What is shown")})),
      reference_(choiceBox("reference", {tr("None")})),
      published_(new QLineEdit),
      panels_(panelsTable()) {
    auto* range = new QHBoxLayout;
    range->setContentsMargins(0, 0, 0, 0);
    range->setSpacing(4);
    range->addWidget(from_);
    range->addWidget(new QLabel(QStringLiteral("–")));
    range->addWidget(to_);
    range_ = holding(range);
    form_.addRow(tr("Time"), time_);
    form_.addRow(range_);
    form_.addRow(tr("Lanes"), lanes_);
    form_.addRow(tr("Relative to"), reference_);
    published_->setObjectName(QStringLiteral("published"));
    published_->setPlaceholderText(QStringLiteral("SPP=531 ms|GPipe=1.05 s"));
    published_->setToolTip(
        tr("Published or measured times, as marks beside the bars: SPP=531 ms, with an error "
           "bar SPP=531 ms ± 12 ms or SPP=531 ms (520 ms–560 ms)"));
    form_.addRow(tr("Published"), published_);
    connect(published_, &QLineEdit::textChanged, this, &FigurePartRows::panelsChanged);
    form_.addRow(panels_);
    connect(panels_, &QTableWidget::itemChanged, this, &FigurePartRows::panelsChanged);
    connect(time_, &QComboBox::currentIndexChanged, this, &FigurePartRows::showTime);
}

void FigurePartRows::setPart(const FigurePart& part) {
    const bool isShown = shown_ && part.timeS == shown_->timeS;
    time_->setCurrentIndex(part.steady   ? steadyTime
                           : !part.timeS ? wholeTime
                           : isShown     ? shownTime
                                         : ownTime);
    setFrom(part.timeS ? part : shown_.value_or(FigurePart{}));
    lanes_->setCurrentIndex(shown_ && !part.lanes.empty() ? 1 : 0);
    reference_->setCurrentIndex(std::max(0, reference_->findText(QString::fromStdString(part.reference))));
    published_->setText(QString::fromStdString(part.published));
    memoryDevice_ = part.memoryDevice;
    link_ = part.link;
    showTime();
}

void FigurePartRows::setFrom(const FigurePart& part) {
    if (!part.timeS) return;
    from_->setValue(part.timeS->first * msPerS);
    to_->setValue(part.timeS->second * msPerS);
}

FigurePart FigurePartRows::part() const {
    FigurePart part;
    if (shown_ && time_->currentIndex() == shownTime) part.timeS = shown_->timeS;
    if (time_->currentIndex() == ownTime) part.timeS = {from_->value() / msPerS, to_->value() / msPerS};
    part.steady = time_->currentIndex() == steadyTime;
    if (shown_ && lanes_->currentIndex() == 1) part.lanes = shown_->lanes;
    if (reference_->currentIndex() > 0) part.reference = reference_->currentText().toStdString();
    part.published = published_->text().trimmed().toStdString();
    if (panels_->rowCount() > 0) part.panels = chosenPanels();
    part.memoryDevice = memoryDevice_;
    part.link = link_;
    return part;
}

void FigurePartRows::offerReferences(const FigureSource& source) {
    const QString chosen = reference_->currentText();
    const QSignalBlocker quiet(reference_);
    while (reference_->count() > 1) reference_->removeItem(1);
    reference_->addItems(source.references);
    reference_->setCurrentIndex(std::max(0, reference_->findText(chosen)));
    for (QWidget* field : {static_cast<QWidget*>(reference_), static_cast<QWidget*>(published_)})
        form_.setRowVisible(field, !source.references.isEmpty());
}

void FigurePartRows::offerPanels(const FigureSource& source) {
    form_.setRowVisible(panels_, !source.plans.isEmpty());
    if (source.plans.isEmpty() || source.plans == panelPlans_) return;  // what was ticked stays
    panelPlans_ = source.plans;
    usualPanels_ = source.panels;
    const QSignalBlocker quiet(panels_);
    panels_->setRowCount(static_cast<int>(source.plans.size()));
    for (int row = 0; row < panels_->rowCount(); ++row) {
        auto* name = new QTableWidgetItem(source.plans[row]);
        name->setFlags(Qt::ItemIsEnabled);
        name->setToolTip(source.plans[row]);
        panels_->setItem(row, 0, name);
        for (int column = firstView; column < panels_->columnCount(); ++column) {
            const PanelChoice choice{row, panelViewNames[column - firstView].value};
            const bool on =
                std::find(source.panels.begin(), source.panels.end(), choice) != source.panels.end();
            auto* item = new QTableWidgetItem;
            item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemIsSelectable);
            item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
            panels_->setItem(row, column, item);
        }
    }
    const int rows = std::min(panels_->rowCount(), mostPanelRows);
    panels_->setFixedHeight(panels_->horizontalHeader()->sizeHint().height() +
                            rows * panels_->verticalHeader()->defaultSectionSize() + 2);
}

std::vector<PanelChoice> FigurePartRows::chosenPanels() const {
    std::vector<PanelChoice> chosen;
    for (int row = 0; row < panels_->rowCount(); ++row)
        for (int column = firstView; column < panels_->columnCount(); ++column)
            if (panels_->item(row, column)->checkState() == Qt::Checked)
                chosen.push_back({row, panelViewNames[column - firstView].value});
    const auto place = [this](const PanelChoice& panel) {
        return std::find(usualPanels_.begin(), usualPanels_.end(), panel);
    };
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&place](const PanelChoice& a, const PanelChoice& b) { return place(a) < place(b); });
    return chosen;
}

void FigurePartRows::showTime() {
    form_.setRowVisible(range_, time_->currentIndex() == ownTime && form_.isRowVisible(time_));
}

void FigurePartRows::setSubject(const FigureSource& source) {
    if (source.timeS && to_->value() <= from_->value()) {
        const QSignalBlocker quietFrom(from_), quietTo(to_);
        FigurePart whole;
        whole.timeS = source.timeS;
        setFrom(whole);
    }
    offerReferences(source);
    offerPanels(source);
    enableItem(*time_, steadyTime, static_cast<bool>(source.steadyS));
    form_.setRowVisible(time_, source.has.time);
    form_.setRowVisible(lanes_, source.has.time && source.plans.isEmpty() && shown_);
    showTime();
}

}  // namespace stagecraft::app::figures
