#include "views/stack/stack_view.h"

#include "core/base/units.h"
#include "core/runs/reference_plan.h"
#include "core/runs/standing.h"
#include "views/common/theme.h"
#include "views/stack/stack_marks.h"
#include "views/stack/stack_row.h"
#include "views/timeline/block_text.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>

#include <algorithm>
#include <set>

namespace stagecraft::views::stack {

namespace {
constexpr int toolbarHeight = 36;
constexpr int leastRowHeight = 150;
constexpr double marginPart = 0.01;     // of the longest plan, before its start and after its end
constexpr double roomForLabel = 0.08;   // of it, after the last end
constexpr double leastSpanPart = 1e-8;  // of it: zooming stops there
constexpr double sameEnd = 1e-6;        // of a plan: its line is where its last block ends
constexpr double keyZoom = 1.4;
constexpr double keyPan = 0.15;  // of what is visible
}  // namespace

StackView::StackView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    hint_ = new QLabel(this);
    hint_->setAlignment(Qt::AlignCenter);
    splitter_ = new QSplitter(Qt::Vertical);
    splitter_->setChildrenCollapsible(false);
    area_ = new QScrollArea(this);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus);
    area_->setWidget(splitter_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolbar());
    column->addWidget(hint_, 1);
    column->addWidget(area_, 1);
    legend_ = new Legend(this);
    column->addWidget(legend_);
    area_->hide();
    legend_->hide();
    setPlans({});
}

QWidget* StackView::makeToolbar() {
    auto* bar = new QWidget(this);
    bar->setFixedHeight(toolbarHeight);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    choice_ = new QToolButton(bar);
    choice_->setObjectName(QStringLiteral("stackChoice"));
    choice_->setPopupMode(QToolButton::InstantPopup);
    choice_->setToolTip(tr("Which plans are in the stack: six at most"));
    choice_->setFocusPolicy(Qt::TabFocus);
    menu_ = new QMenu(choice_);
    choice_->setMenu(menu_);
    const auto action = [&](const QString& text, const QString& tip, bool checkable, auto changed) {
        auto* it = new QAction(text, this);
        it->setToolTip(tip);
        it->setCheckable(checkable);
        connect(it, &QAction::triggered, this, changed);
        auto* button = new QToolButton(bar);
        button->setDefaultAction(it);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
        return it;
    };
    row->addWidget(choice_);
    row->addSpacing(8);
    criticalPath_ = action(tr("Critical path"), tr("Outline the blocks that decide each plan's time"), true,
                           [this](bool on) {
                               for (StackRow* it : rows_) it->chart().setCriticalPath(on);
                               showLegend();
                           });
    communication_ = action(tr("Communication"), tr("Show the lanes of transfers, AllReduce and host links"),
                            true, [this](bool on) {
                                for (StackRow* it : rows_) it->chart().setCommunication(on);
                                align();
                                showLegend();
                            });
    row->addStretch(1);
    fit_ = action(tr("Fit all"), tr("Show all of every plan (F, Home)"), false, [this] { fitAll(); });
    refreshIcons();
    return bar;
}

void StackView::refreshIcons() { fit_->setIcon(lineIcon(QStringLiteral("fit"))); }

void StackView::setPlans(std::vector<StackPlan> plans) {
    plans_ = std::move(plans);
    hint_->setText(plans_.empty() ? tr("No plan has a timeline yet. Run a planner to see its chart here.")
                                  : tr("Select two to six plans to see them on one time axis."));
    rebuildRows();
}

void StackView::choose(const std::vector<int>& ids, Order order) {
    wanted_ = ids;
    order_ = order;
    rebuildRows();
}

std::vector<const StackPlan*> StackView::wantedPlans() const {
    std::vector<const StackPlan*> wanted;
    for (const StackPlan& plan : plans_)
        if (std::find(wanted_.begin(), wanted_.end(), plan.id) != wanted_.end()) wanted.push_back(&plan);
    if (order_ == Order::asChosen)
        std::stable_sort(wanted.begin(), wanted.end(), [this](const StackPlan* a, const StackPlan* b) {
            return std::find(wanted_.begin(), wanted_.end(), a->id) <
                   std::find(wanted_.begin(), wanted_.end(), b->id);
        });
    if (wanted.size() > mostPlans) wanted.resize(mostPlans);
    return wanted;
}

std::vector<int> StackView::chosen() const {
    std::vector<int> ids;
    for (const StackRow* row : rows_) ids.push_back(row->id());
    return ids;
}

void StackView::fillMenu() {
    menu_->clear();
    const std::vector<int> shown = chosen();
    for (const StackPlan& plan : plans_) {
        QString name = QString::fromStdString(plan.run->title()).replace('&', QStringLiteral("&&"));
        QAction* it = menu_->addAction(QStringLiteral("%1\t%2").arg(
            name, QString::fromStdString(formatSeconds(plan.run->iterationTimeS()))));
        if (const Standing standing = standingOf(*plan.run); standing != Standing::fits)
            it->setText(it->text() + QStringLiteral(", ") + QLatin1String(standingName(standing)));
        const bool in = std::find(shown.begin(), shown.end(), plan.id) != shown.end();
        it->setCheckable(true);
        it->setChecked(in);
        it->setEnabled(in || static_cast<int>(shown.size()) < mostPlans);
        connect(it, &QAction::triggered, this, [this, id = plan.id](bool on) {
            std::vector<int> ids = chosen();
            std::erase(ids, id);
            if (on) ids.push_back(id);
            choose(ids);
        });
    }
    choice_->setText(tr("Plans: %1 of %2").arg(shown.size()).arg(plans_.size()));
    choice_->setEnabled(!plans_.empty());
}

/// Rows of runs that stay are left alone, so that a chart keeps its place.
void StackView::rebuildRows() {
    std::vector<StackRow*> rows;
    for (const StackPlan* plan : wantedPlans()) {
        const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const StackRow* row) {
            return row->id() == plan->id && row->sharedRun() == plan->run;
        });
        StackRow* row = same == rows_.end() ? nullptr : *same;
        if (!row) {
            row = new StackRow(plan->id, plan->run);
            row->setMinimumHeight(leastRowHeight);
            connectRow(row);
        }
        splitter_->insertWidget(static_cast<int>(rows.size()), row);
        rows.push_back(row);
    }
    for (StackRow* row : rows_)
        if (std::find(rows.begin(), rows.end(), row) == rows.end()) {
            row->setParent(nullptr);
            row->deleteLater();
        }
    const bool changed = rows != rows_;
    rows_ = std::move(rows);
    for (StackRow* row : rows_) {
        row->chart().setCriticalPath(criticalPath_->isChecked());
        row->chart().setCommunication(communication_->isChecked());
    }
    hint_->setVisible(rows_.empty());
    area_->setVisible(!rows_.empty());
    legend_->setVisible(!rows_.empty());
    showLegend();
    fillMenu();
    showWords();
    showEnds();
    if (!changed) return;
    shareHeight();
    rowReady();
}

void StackView::connectRow(StackRow* row) {
    GanttChart& chart = row->chart();
    chart.hostCard(this);
    connect(&chart.plot(), &TimePlot::rangeRequested, this, [this](double t0, double t1) {
        ranged_ = true;
        setVisibleRange(t0, t1);
    });
    connect(&chart, &GanttChart::cursorMoved, this, [this](double timeS) { setCursorTime(timeS); });
    connect(&chart, &GanttChart::cursorLeft, this, [this] { setCursorTime(std::nullopt); });
    connect(&chart, &GanttChart::layoutChanged, this, &StackView::align, Qt::QueuedConnection);
    connect(&chart, &GanttChart::blockHovered, this, [this, row](quint32 block) { lightUp(row, block); });
    connect(&chart, &GanttChart::blockClicked, this, [this, row](quint32 block) { select(row, block); });
    connect(&chart, &GanttChart::blockActivated, this,
            [this, row](quint32 block) { emit planActivated(row->id(), block); });
    connect(row, &StackRow::ready, this, &StackView::rowReady);
    connect(row, &StackRow::measureAgainst, this, [this](int id) {
        setReference(id);
        emit referenceChosen(id);
    });
    connect(row, &StackRow::removeWanted, this, [this](int id) {
        std::vector<int> ids = chosen();
        std::erase(ids, id);
        choose(ids);
    });
}

void StackView::rowReady() {
    align();
    showLegend();
    if (ranged_) {
        const auto [t0, t1] = visibleRange();
        setVisibleRange(t0, t1);
    } else {
        fitAll();
    }
}

const StackPlan* StackView::referenced() const {
    PlanRuns runs;
    int chosen = -1;
    for (const StackPlan& plan : plans_) {
        if (plan.id == wantedReference_) chosen = static_cast<int>(runs.size());
        runs.push_back(plan.run);
    }
    const int index = referencePlan(runs, chosen);
    return index < 0 ? nullptr : &plans_[static_cast<std::size_t>(index)];
}

int StackView::reference() const {
    const StackPlan* plan = referenced();
    return plan ? plan->id : 0;
}

void StackView::setReference(int id) {
    wantedReference_ = id;
    showWords();
}

void StackView::showWords() {
    const StackPlan* reference = referenced();
    for (StackRow* row : rows_)
        row->setWords(QString::fromStdString(!isCompared(row->run()) || !reference
                                                 ? standingSentence(row->run())
                                                 : differenceInWords(row->run(), *reference->run)));
}

/// What occurs in the charts that are prepared.
void StackView::showLegend() {
    std::set<BlockKind> kinds;
    Legend::Marks marks;
    marks.bubbles = false;
    for (const StackRow* row : rows_) {
        if (!row->data()) continue;
        const ChartData& chart = *row->data()->chart;
        for (const BlockKind kind : kindsIn(chart, communication_->isChecked())) kinds.insert(kind);
        const Legend::Marks own = marksIn(chart);
        marks.bubbles |= own.bubbles;
        marks.updates |= own.updates;
        marks.bellwethers |= own.bellwethers;
        marks.inside |= own.inside;
    }
    marks.criticalPath = criticalPath_->isChecked();
    legend_->setKinds({kinds.begin(), kinds.end()});
    legend_->setMarks(marks);
}

/// Where an iteration of each plan ends: its last block's end, if that is all of its iteration; else, in a
/// plan whose mini-batches overlap or are smaller, what an iteration takes of it on average.
void StackView::showEnds() {
    for (StackRow* row : rows_) {
        std::vector<EndMark> ends;
        for (const StackRow* other : rows_) {
            const double timeS = other->run().iterationTimeS();
            const double endS = other->run().evaluation->timeline.lastEndS();
            std::string label = other->run().title() + " " + formatSeconds(timeS);
            if (std::abs(endS - timeS) > sameEnd * endS) label += " per iteration";
            ends.push_back({timeS, QString::fromStdString(label), other == row});
        }
        row->marks().setEnds(std::move(ends));
    }
}

void StackView::align() {
    int labels = 0, margin = 0;
    for (StackRow* row : rows_) {
        row->chart().setLeastRightMargin(0);
        labels = std::max(labels, row->chart().preferredLabelWidth());
        margin = std::max(margin, row->chart().rightMargin());
    }
    for (StackRow* row : rows_) {
        row->chart().setLabelWidth(labels);
        row->chart().setLeastRightMargin(margin);
    }
}

void StackView::shareHeight() { splitter_->setSizes(QList<int>(static_cast<qsizetype>(rows_.size()), 1000)); }

double StackView::lastEndS() const {
    double end = 0;
    for (const StackRow* row : rows_)
        end = std::max({end, row->run().iterationTimeS(), row->run().evaluation->timeline.lastEndS()});
    return end;
}

void StackView::setVisibleRange(double t0, double t1) {
    if (rows_.empty() || !(t0 < t1)) return;
    const double end = lastEndS(), whole = end > 0 ? end : 1;
    const TimeAxis shown = TimeAxis{t0, t1, 0, 1}.clampedTo(-marginPart * whole, (1 + roomForLabel) * whole,
                                                            leastSpanPart * whole);
    for (StackRow* row : rows_) {
        row->marks().setLit({});
        row->chart().setRange(shown.t0, shown.t1);
    }
}

std::pair<double, double> StackView::visibleRange() const {
    if (rows_.empty()) return {0, 0};
    const TimeAxis axis = rows_.front()->chart().plot().axis();
    return {axis.t0, axis.t1};
}

void StackView::fitAll() {
    ranged_ = false;
    const double end = lastEndS();
    setVisibleRange(-end - 1, 3 * end + 1);
}

void StackView::setCursorTime(std::optional<double> timeS) {
    cursor_ = timeS;
    for (StackRow* row : rows_) row->chart().plot().setCursorTime(timeS);
}

void StackView::lightUp(StackRow* from, quint32 block) {
    const bool pointsAt = block != noBlock && from->data();
    const auto pass = pointsAt
                          ? std::optional(from->data()->passes.passOf(from->data()->chart->timeline(), block))
                          : std::nullopt;
    for (StackRow* row : rows_) {
        if (row == from || !pass)
            row->marks().setLit({});
        else
            row->lightUp(*pass);
    }
    emit statusText(pointsAt ? QString::fromStdString(from->run().title() + ": ") +
                                   blockLine(*from->data()->chart, block)
                             : QString());
}

/// Selects the same pass in every chart: of several the first.
void StackView::select(StackRow* from, quint32 block) {
    if (!from->data()) return;
    from->chart().select(block);
    for (StackRow* row : rows_) {
        if (row == from || !row->data()) continue;
        std::vector<std::uint32_t> same;
        if (block != noBlock)
            same = row->data()->passes.blocksOf(
                row->data()->chart->timeline(),
                from->data()->passes.passOf(from->data()->chart->timeline(), block));
        row->chart().select(same.empty() ? noBlock : same.front());
    }
}

void StackView::zoomBy(double factor) {
    const TimeAxis axis = rows_.front()->chart().plot().axis();
    const bool inView = cursor_ && *cursor_ > axis.t0 && *cursor_ < axis.t1;
    const TimeAxis zoomed = axis.zoomedAt(inView ? axis.toX(*cursor_) : axis.x0 + axis.width / 2, factor);
    ranged_ = true;
    setVisibleRange(zoomed.t0, zoomed.t1);
}

void StackView::panBy(double partOfView) {
    const TimeAxis axis = rows_.front()->chart().plot().axis();
    const TimeAxis moved = axis.panned(-partOfView * axis.width);
    ranged_ = true;
    setVisibleRange(moved.t0, moved.t1);
}

void StackView::keyPressEvent(QKeyEvent* event) {
    if (rows_.empty() || event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_W:
            return zoomBy(keyZoom);
        case Qt::Key_S:
            return zoomBy(1 / keyZoom);
        case Qt::Key_A:
        case Qt::Key_Left:
            return panBy(-keyPan);
        case Qt::Key_D:
        case Qt::Key_Right:
            return panBy(keyPan);
        case Qt::Key_F:
        case Qt::Key_Home:
            return fitAll();
        case Qt::Key_Escape:
            for (StackRow* row : rows_) row->chart().select(noBlock);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void StackView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    align();
}

void StackView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && fit_) refreshIcons();
}

}  // namespace stagecraft::views::stack
