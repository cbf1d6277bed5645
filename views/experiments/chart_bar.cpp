#include "views/experiments/chart_bar.h"

#include "core/experiments/cell_result.h"
#include "views/common/flow_layout.h"
#include "views/common/widgets.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::views::experiments {

namespace {

constexpr int nobody = -1;
constexpr int widestMetric = 170;

/// What has no room ends in an ellipsis.
class Chooser : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void paintEvent(QPaintEvent*) override {
        QStylePainter painter(this);
        QStyleOptionComboBox option;
        initStyleOption(&option);
        const int room =
            style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width();
        if (width() < sizeHint().width())
            option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room);
        painter.drawComplexControl(QStyle::CC_ComboBox, option);
        painter.drawControl(QStyle::CE_ComboBoxLabel, option);
    }
};

void addMetrics(QComboBox& box, const Experiment& experiment) {
    // Those that the experiment is about are first.
    std::vector<std::string> names = experiment.metrics;
    for (const MetricDescription& metric : metricDescriptions())
        if (std::find(names.begin(), names.end(), metric.name) == names.end()) names.push_back(metric.name);
    box.clear();
    for (const std::string& name : names) {
        const MetricDescription& metric = *findMetric(name);
        box.addItem(QString::fromStdString(metric.title), QString::fromStdString(name));
        box.setItemData(box.count() - 1, QString::fromStdString(metric.description), Qt::ToolTipRole);
    }
    // Long titles are read in the list, and that of the chosen one on its axis as well.
    box.setMaximumWidth(widestMetric);
    box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + 32);
}

void chooseData(QComboBox& box, const QVariant& data) {
    box.setCurrentIndex(std::max(0, box.findData(data)));
}

std::size_t indexIn(const QComboBox& box) { return static_cast<std::size_t>(box.currentData().toInt()); }

}  // namespace

ChartBar::ChartBar(QWidget* parent) : QWidget(parent) {
    setLayout(new FlowLayout(8));
    layout()->setContentsMargins(16, 0, 12, 4);
    kind_ = chooser("experimentChart", tr("Kind of chart"));
    metric_ = chooser("experimentMetric", tr("Metric of the vertical axis; in a heat map, of its colours"));
    of_ = word(tr("of"));
    planner_ = chooser("experimentPlanner", tr("Whose results"));
    over_ = word(tr("over"));
    across_ = chooser("experimentAcross", tr("The metric of the horizontal axis"));
    axis_ = chooser("experimentAxis", tr("What the horizontal axis shows"));
    and_ = word(tr("and"));
    upright_ = chooser("experimentUpright", tr("What the vertical axis shows"));
    relative_ = chooser("experimentRelative", tr("Divides every result by this planner's at the same point"));
    panels_ = chooser("experimentPanels", tr("A panel for each value of an axis"));
    logMetric_ = toggle("experimentLogMetric", tr("log"), tr("The metric on a logarithmic scale"));
    logAcross_ = toggle("experimentLogAcross", tr("log x"), tr("Logarithmic horizontal axis"));
    for (QWidget* part :
         {static_cast<QWidget*>(kind_), static_cast<QWidget*>(metric_), static_cast<QWidget*>(logMetric_),
          static_cast<QWidget*>(of_), static_cast<QWidget*>(planner_), static_cast<QWidget*>(relative_),
          static_cast<QWidget*>(over_), static_cast<QWidget*>(across_), static_cast<QWidget*>(axis_),
          static_cast<QWidget*>(and_), static_cast<QWidget*>(upright_), static_cast<QWidget*>(logAcross_),
          static_cast<QWidget*>(panels_)})
        layout()->addWidget(part);
    connect(kind_, &QComboBox::currentIndexChanged, this, &ChartBar::readKind);
    for (QComboBox* box : {metric_, across_, axis_, upright_, planner_, relative_, panels_})
        connect(box, &QComboBox::currentIndexChanged, this, &ChartBar::read);
    for (QToolButton* button : {logMetric_, logAcross_})
        connect(button, &QToolButton::toggled, this, &ChartBar::read);
}

QComboBox* ChartBar::chooser(const char* name, const QString& tip) {
    auto* box = new Chooser(this);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(tip);
    box->setAccessibleName(tip);
    box->setFocusPolicy(Qt::TabFocus);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

QToolButton* ChartBar::toggle(const char* name, const QString& text, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QLabel* ChartBar::word(const QString& text) { return new QLabel(text, this); }

void ChartBar::setGrid(std::shared_ptr<const Grid> grid, const ChartChoice& choice) {
    grid_ = std::move(grid);
    choice_ = choice;
    fill();
    fillSlices();
    showChoice();
}

void ChartBar::fill() {
    filling_ = true;
    const Experiment& experiment = grid_->experiment();
    kind_->clear();
    const std::pair<ChartKind, QString> kinds[] = {{ChartKind::lines, tr("Lines")},
                                                   {ChartKind::bars, tr("Bars")},
                                                   {ChartKind::heat, tr("Heat map")},
                                                   {ChartKind::pareto, tr("Pareto")}};
    for (const auto& [kind, text] : kinds)
        if (suits(kind, experiment)) kind_->addItem(text, static_cast<int>(kind));
    addMetrics(*metric_, experiment);
    addMetrics(*across_, experiment);
    fillAxes();
    planner_->clear();
    relative_->clear();
    relative_->addItem(tr("as it is"), nobody);
    for (std::size_t i = 0; i < experiment.planners.size(); ++i) {
        const QString label = QString::fromStdString(experiment.planners[i].label);
        planner_->addItem(label, static_cast<int>(i));
        relative_->addItem(tr("÷ %1").arg(label), static_cast<int>(i));
    }
    filling_ = false;
}

void ChartBar::fillAxes() {
    const std::vector<Axis>& axes = grid_->experiment().axes;
    for (QComboBox* box : {axis_, upright_, panels_}) box->clear();
    panels_->addItem(tr("one panel"), nobody);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (axes[axis].seeds) continue;
        const QString name = QString::fromStdString(axes[axis].name);
        axis_->addItem(name, static_cast<int>(axis));
        upright_->addItem(name, static_cast<int>(axis));
        if (axes[axis].values.size() > 1 && axes[axis].values.size() <= mostPanels)
            panels_->addItem(tr("one panel per %1").arg(name), static_cast<int>(axis));
    }
}

void ChartBar::fillSlices() {
    for (auto& [axis, box] : slices_) delete box;
    slices_.clear();
    filling_ = true;
    const std::vector<Axis>& axes = grid_->experiment().axes;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (axes[axis].seeds || axes[axis].values.size() < 2) continue;
        const QString name = QString::fromStdString(axes[axis].name);
        QComboBox* box = chooser("experimentFixed", name);
        box->addItem(tr("any %1").arg(name), nobody);
        for (std::size_t value = 0; value < axes[axis].values.size(); ++value)
            box->addItem(name + u' ' + QString::fromStdString(axes[axis].values[value].label),
                         static_cast<int>(value));
        connect(box, &QComboBox::currentIndexChanged, this,
                [this, axis = axis](int entry) { readSlice(axis, entry); });
        layout()->addWidget(box);
        slices_.emplace_back(axis, box);
    }
    filling_ = false;
}

/// The choosers say what is chosen, and only those that mean something to the kind are there.
void ChartBar::showChoice() {
    filling_ = true;
    const Experiment& experiment = grid_->experiment();
    const bool heat = choice_.kind == ChartKind::heat, pareto = choice_.kind == ChartKind::pareto;
    chooseData(*kind_, static_cast<int>(choice_.kind));
    chooseData(*metric_, QString::fromStdString(choice_.metric));
    chooseData(*across_, QString::fromStdString(choice_.acrossMetric));
    chooseData(*axis_, static_cast<int>(choice_.axis));
    chooseData(*upright_, static_cast<int>(choice_.upright));
    chooseData(*planner_, static_cast<int>(choice_.planner));
    chooseData(*relative_, choice_.relativeTo ? static_cast<int>(*choice_.relativeTo) : nobody);
    chooseData(*panels_, choice_.panels ? static_cast<int>(*choice_.panels) : nobody);
    logMetric_->setChecked(choice_.logarithmicMetric);
    logAcross_->setChecked(choice_.logarithmicAcross);
    axis_->setEnabled(axis_->count() > 1);
    for (QWidget* part : {static_cast<QWidget*>(of_), static_cast<QWidget*>(planner_),
                          static_cast<QWidget*>(and_), static_cast<QWidget*>(upright_)})
        part->setVisible(heat);
    axis_->setVisible(!pareto && axis_->count() > 0);
    across_->setVisible(pareto);
    over_->setVisible(pareto || axis_->count() > 0);
    relative_->setVisible(!pareto && experiment.planners.size() > 1);
    panels_->setVisible(panels_->count() > 1 && axis_->count() > 1);
    logAcross_->setVisible(pareto ||
                           (choice_.kind == ChartKind::lines && choice_.axis < experiment.axes.size() &&
                            experiment.axes[choice_.axis].numeric()));
    const std::vector<std::size_t> sliced = slicedAxes(choice_, experiment);
    for (const auto& [axis, box] : slices_) {
        box->setVisible(std::find(sliced.begin(), sliced.end(), axis) != sliced.end());
        enableItem(*box, 0, pareto);
        const std::size_t value = choice_.fixed[axis];
        chooseData(*box, value == everyValue ? nobody : static_cast<int>(value));
    }
    filling_ = false;
    updateGeometry();
}

void ChartBar::readKind() {
    if (filling_ || !grid_) return;
    choice_ = ofKind(choice_, static_cast<ChartKind>(kind_->currentData().toInt()), grid_->experiment());
    showChoice();
    emit changed();
}

void ChartBar::read() {
    if (filling_ || !grid_) return;
    choice_.metric = metric_->currentData().toString().toStdString();
    choice_.acrossMetric = across_->currentData().toString().toStdString();
    if (axis_->count() > 0) {
        const std::size_t before = choice_.axis;
        choice_.axis = indexIn(*axis_);
        choice_.upright = indexIn(*upright_);
        // The other axis of a heat map moves out of the way.
        if (choice_.kind == ChartKind::heat && choice_.axis == choice_.upright)
            (choice_.axis == before ? choice_.axis : choice_.upright) =
                choice_.axis == before ? everyValue : before;
    }
    choice_.planner = indexIn(*planner_);
    const int over = relative_->currentData().toInt(), panels = panels_->currentData().toInt();
    choice_.relativeTo = over == nobody ? std::nullopt : std::optional(static_cast<std::size_t>(over));
    choice_.panels = panels == nobody ? std::nullopt : std::optional(static_cast<std::size_t>(panels));
    choice_.logarithmicMetric = logMetric_->isChecked();
    choice_.logarithmicAcross = logAcross_->isChecked();
    const std::vector<std::size_t> fixed = choice_.fixed;
    choice_ = ofKind(choice_, choice_.kind, grid_->experiment());
    if (choice_.kind == ChartKind::pareto) choice_.fixed = fixed;
    showChoice();
    emit changed();
}

void ChartBar::readSlice(std::size_t axis, int entry) {
    if (filling_ || !grid_ || entry < 0) return;
    choice_.fixed[axis] = entry == 0 ? everyValue : static_cast<std::size_t>(entry - 1);
    emit changed();
}

}  // namespace stagecraft::views::experiments
