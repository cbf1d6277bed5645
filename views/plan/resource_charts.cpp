#include "views/plan/resource_charts.h"

#include "views/resources/alive_list.h"
#include "views/resources/link_chart.h"
#include "views/resources/memory_chart.h"

#include <QButtonGroup>
#include <QToolButton>

namespace stagecraft::views::plan {

namespace {
constexpr int switchHeight = 26;
constexpr int margin = 4;
/// Below this many blocks the curves are ready before a frame is lost.
constexpr std::uint32_t linksPreparedAtOnce = 30'000;
}  // namespace

ResourceCharts::ResourceCharts(QWidget* parent)
    : QWidget(parent),
      memory_(new MemoryChart(this)),
      links_(new LinkChart(this)),
      alive_(new AliveList),
      memoryButton_(new QToolButton(this)),
      linksButton_(new QToolButton(this)) {
    auto* group = new QButtonGroup(this);
    const auto offer = [&](QToolButton* button, const QString& text, const QString& tip, Resource resource) {
        button->setText(text);
        button->setToolTip(tip);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        connect(button, &QToolButton::clicked, this, [this, resource] { choose(resource); });
    };
    offer(memoryButton_, "Memory", "What each device holds over time", Resource::memory);
    offer(linksButton_, "Links", "How much of its bandwidth each link carries over time", Resource::links);
    memoryButton_->setChecked(true);
    setMinimumHeight(memory_->minimumHeight());
    links_->hide();
    for (SeriesChart* chart : {static_cast<SeriesChart*>(memory_), static_cast<SeriesChart*>(links_)}) {
        chart->setListTop(switchHeight);
        connect(chart, &SeriesChart::cursorMoved, this, &ResourceCharts::cursorMoved);
        connect(chart, &SeriesChart::cursorLeft, this, &ResourceCharts::cursorLeft);
    }
    memoryButton_->raise();
    linksButton_->raise();
    connect(memory_, &MemoryChart::asked, this, &ResourceCharts::askAlive);
    connect(alive_, &AliveList::peakAsked, this, &ResourceCharts::askAlive);
    connect(alive_, &AliveList::blockPicked, this, &ResourceCharts::blockPicked);
    connect(links_, &LinkChart::blockPicked, this, &ResourceCharts::blockPicked);
}

void ResourceCharts::setData(std::shared_ptr<const ChartData> chartData) {
    data_ = std::move(chartData);
    preparing_.abandon();
    prepared_ = false;
    memory_->setData(data_);
    // Of a recording what its files have, and no empty panel.
    linksButton_->setVisible(!data_ || data_->run);
    setVisible(!data_ || data_->run || !data_->memory.empty());
    if (data_ && data_->recorded) choose(Resource::memory);
    links_->setData(nullptr);
    alive_->setData(data_);
    if (chosen_ == Resource::links) prepareLinks();
}

void ResourceCharts::prepareLinks() {
    if (prepared_ || !data_ || data_->recorded) return;
    prepared_ = true;
    if (data_->timeline().blockCount() <= linksPreparedAtOnce)
        return showLinks(std::make_shared<const LinkData>(data_));
    preparing_.start([shown = data_] { return std::make_shared<const LinkData>(shown); },
                     [this](std::shared_ptr<const LinkData> made) { showLinks(std::move(made)); });
}

void ResourceCharts::showLinks(std::shared_ptr<const LinkData> made) {
    links_->setData(std::move(made));
    links_->selectLink(pendingLink_);
    pendingLink_ = -1;
    emit linksReady();
}

void ResourceCharts::selectLink(int link) {
    pendingLink_ = links_->scene().data ? -1 : link;
    links_->selectLink(link);
}

int ResourceCharts::selectedLink() const {
    return links_->scene().data ? links_->selectedLink() : pendingLink_;
}

void ResourceCharts::choose(Resource resource) {
    chosen_ = resource;
    (resource == Resource::memory ? memoryButton_ : linksButton_)->setChecked(true);
    memory_->setVisible(resource == Resource::memory);
    links_->setVisible(resource == Resource::links);
    if (resource == Resource::links) prepareLinks();
}

void ResourceCharts::askAlive(int series, double timeS) {
    if (data_->recorded) return;  // holders are a plan's
    alive_->ask(series, timeS);
    memory_->setAskedTime(timeS);
    emit aliveAsked();
}

std::vector<TimePlot*> ResourceCharts::plots() { return {&memory_->plot(), &links_->plot()}; }

TimePlot& ResourceCharts::chosenPlot() {
    return chosen_ == Resource::memory ? memory_->plot() : links_->plot();
}

void ResourceCharts::setRange(double t0, double t1) {
    memory_->setRange(t0, t1);
    links_->setRange(t0, t1);
}

void ResourceCharts::setCursorTime(std::optional<double> timeS) {
    memory_->setCursorTime(timeS);
    links_->setCursorTime(timeS);
}

void ResourceCharts::setLabelWidth(int pixels) {
    memory_->setLabelWidth(pixels);
    links_->setLabelWidth(pixels);
}

void ResourceCharts::setRightMargin(int pixels) {
    memory_->setRightMargin(pixels);
    links_->setRightMargin(pixels);
}

void ResourceCharts::placeAll() {
    memory_->setGeometry(rect());
    links_->setGeometry(rect());
    int x = margin;
    for (QToolButton* button : {memoryButton_, linksButton_}) {
        const int width = button->sizeHint().width();
        button->setGeometry(x, 1, width, switchHeight - 2);
        x += width + 2;
    }
}

void ResourceCharts::resizeEvent(QResizeEvent*) { placeAll(); }

}  // namespace stagecraft::views::plan
