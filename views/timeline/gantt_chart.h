#pragma once

#include "views/common/job.h"
#include "views/timeline/gantt_painter.h"
#include "views/timeline/gantt_picker.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/time_plot.h"

#include <QScrollBar>
#include <QWidget>

#include <optional>

namespace stagecraft::views::timeline {

class GanttRows;

/// The blocks of a plan over time, one row per lane. Shows the range it is given and asks for others.
class GanttChart : public QWidget {
    Q_OBJECT
public:
    explicit GanttChart(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const ChartData> chartData);
    void setRange(double t0, double t1);
    void setCommunication(bool shown);
    void setArrangement(const LaneArrangement& arrangement);
    void setCriticalPath(bool shown);
    void setBubbles(bool hatched);
    /// Large timelines are sorted into their classes on another thread; coloured() is emitted when it shows.
    void setColouring(BlockColouring colouring);
    void setPredictions(bool shown);
    /// What a plan foresaw, over what was recorded; null: nothing. Other data have none.
    void setPlanned(std::shared_ptr<const PlannedOutlines> planned);
    /// Makes faint what comes after that instant; nothing: no step is shown.
    void setStep(std::optional<double> timeS);
    /// Lights up why a lane is idle, null: nothing.
    void setIdleCause(std::shared_ptr<const IdleCause> cause);
    /// How much later each block may end, for the card under the pointer; until then it says nothing of it.
    void setSlacks(std::shared_ptr<const std::vector<double>> slackS);
    /// Computes the block's arrows; noBlock clears. Scrolls vertically to it, not in time.
    void select(std::uint32_t block);
    /// All but these blocks becomes faint, or is hidden with the lanes that have none of them; null: nothing.
    void setHits(std::shared_ptr<const BlockHits> hits, bool hideRest = false);
    /// By time; `chosen` is one of them or -1.
    void setNotes(std::vector<ChartNote> notes, int chosen);
    /// Beside the names, for how much of the run their lanes are busy (GanttRows), or of the range that is
    /// marked.
    void showShares(std::optional<std::pair<double, double>> marked = std::nullopt);
    /// Scrolls to the row of a lane and marks its name.
    void showLane(int lane);
    /// Marks the name of the lane on which a device computes, until told otherwise; -1: none.
    void highlightDevice(int device);
    /// Everything that is written, that many times larger than usual: for a class.
    void setTextScale(double scale);
    void setLabelWidth(int pixels);
    /// With every row as high as it may become.
    int preferredHeight() const;
    int preferredLabelWidth() const { return labels_->preferredWidth(); }
    /// The card under the pointer may be anywhere in `host`; it goes when the chart does.
    void hostCard(QWidget* host) { card_->setParent(host); }
    int rightMargin() const;  ///< of the plot: room of the scroll bar
    /// As if it had a scroll bar as wide as that, so that charts one above the other have one axis.
    void setLeastRightMargin(int pixels);

    const GanttScene& scene() const { return scene_; }
    TimePlot& plot() { return *plot_; }
    const TimePlot& plot() const { return *plot_; }
    std::vector<int> visibleLanes() const;  ///< that have a row within the view, top to bottom
    /// The block at a position in the plot, or noBlock; short blocks can be missed by two pixels.
    std::uint32_t blockAt(QPointF position) const;
    QRectF blockRect(std::uint32_t block) const {
        return scene_.blockRect(block, plot_->area(), plot_->axis());
    }

signals:
    void blockHovered(quint32 block);
    void blockClicked(quint32 block);
    void idleClicked(int lane, double timeS);  ///< where no block of the lane is
    void deviceHovered(int device);            ///< of the compute lane under the pointer, the first; -1: none
    void blockActivated(quint32 block);        ///< double-clicked
    /// Right click on a name: a lane, or -1 and the servers of a band, or neither.
    void laneMenuRequested(int lane, QString servers, QPoint globalPosition);
    /// Right click in the plot: on a block; or on idle time, with noBlock, its lane and the instant. -1: no
    /// lane.
    void menuRequested(quint32 block, int lane, double timeS, QPoint globalPosition);
    void laneClicked(int lane);          ///< on the name of a lane
    void groupClicked(QString servers);  ///< on the name or the band of lanes that are collapsed
    void noteClicked(int note);
    void cursorMoved(double timeS);
    void cursorLeft();
    void layoutChanged();
    void coloured();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    GanttPicker picker() const { return {scene_, plot_->area(), plot_->axis()}; }
    void labelClicked(int row);
    void requestLaneMenu(int row, QPoint globalPosition);
    void requestMenu(QPointF position, QPoint globalPosition);
    void bringIntoView(const LaneRow& row);
    void showBand();
    int noteUnder(QPointF position) const;
    void clicked(QPointF position);
    void showRows();
    void placeAll();
    void scrollBy(int pixels);
    void pointerMoved(QPointF position);
    void pointerLeft();
    void hoverRow(int row);
    QString cardOf(std::uint32_t block) const;
    void markDevice();
    void showArrows();
    void showColours(std::shared_ptr<const ColouredBlocks> blocks);

    GanttScene scene_;
    GanttPainter painter_;
    TimePlot* plot_;
    LaneLabels* labels_;
    QScrollBar* bar_;
    HoverCard* card_;
    GanttRows* rows_;
    int labelWidth_ = 150;
    int leastRightMargin_ = 0;
    double textScale_ = 1;
    std::shared_ptr<const std::vector<double>> slackS_;
    std::uint32_t hovered_ = noBlock;
    int hoveredDevice_ = -1;
    int highlightedDevice_ = -1;
    BlockColouring colouring_ = BlockColouring::kind;
    Job colouringJob_;
};

}  // namespace stagecraft::views::timeline
