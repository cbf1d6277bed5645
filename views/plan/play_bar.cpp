#include "views/plan/play_bar.h"

#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/timeline/play_clock.h"
#include "views/timeline/time_axis.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QSlider>
#include <QStyle>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::views::plan {

namespace {

constexpr int sliderSteps = 10'000;

struct Speed {
    const char* text;
    double wallS;
};
constexpr Speed speeds[] = {{"Lasts 5 s", 5},      {"Lasts 10 s", 10}, {"Lasts 20 s", 20},
                            {"Lasts 40 s", 40},    {"Lasts 80 s", 80}, {"Lasts 3 min", 180},
                            {"Lasts 10 min", 600}, {"Real time", 0}};

/// Jumps to where it is clicked, so that one can scrub from there.
class ScrubSlider : public QSlider {
public:
    using QSlider::QSlider;

protected:
    void mousePressEvent(QMouseEvent* event) override {
        if (event->button() != Qt::LeftButton) return QSlider::mousePressEvent(event);
        setSliderDown(true);
        follow(event);
    }
    void mouseMoveEvent(QMouseEvent* event) override {
        if (isSliderDown()) follow(event);
    }
    void mouseReleaseEvent(QMouseEvent*) override { setSliderDown(false); }

private:
    void follow(QMouseEvent* event) {
        constexpr int handle = 14;
        const int value = QStyle::sliderValueFromPosition(
            minimum(), maximum(), qRound(event->position().x()) - handle / 2, width() - handle);
        setSliderPosition(value);
        event->accept();
    }
};

}  // namespace

PlayBar::PlayBar(PlayClock* clock, QWidget* parent)
    : QWidget(parent),
      clock_(clock),
      loop_(new QToolButton(this)),
      slider_(new ScrubSlider(Qt::Horizontal, this)),
      instant_(new QLabel(this)),
      speed_(new QComboBox(this)) {
    slider_->setObjectName(QStringLiteral("scrub"));
    slider_->setRange(0, sliderSteps);
    slider_->setFocusPolicy(Qt::TabFocus);
    slider_->setToolTip(tr("Drag to any instant"));
    instant_->setObjectName(QStringLiteral("instant"));
    instant_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    loop_->setObjectName(QStringLiteral("loop"));
    loop_->setCheckable(true);
    loop_->setAutoRaise(true);
    loop_->setToolTip(tr("Loop"));
    loop_->setFocusPolicy(Qt::TabFocus);
    speed_->setObjectName(QStringLiteral("speed"));
    speed_->setFocusPolicy(Qt::TabFocus);
    speed_->setToolTip(tr("How long playing the whole plan takes"));
    for (const Speed& speed : speeds) speed_->addItem(tr(speed.text), speed.wallS);
    speed_->setCurrentIndex(speed_->findData(clock_->wallS()));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 8, 4);
    row->setSpacing(6);
    row->addWidget(loop_);
    row->addWidget(slider_, 1);
    row->addWidget(instant_);
    row->addWidget(speed_);
    connect(loop_, &QToolButton::toggled, clock_, &PlayClock::setLoop);
    connect(slider_, &QSlider::sliderMoved, clock_, [this](int step) {
        clock_->setTime(clock_->beginS() + (clock_->endS() - clock_->beginS()) * step / sliderSteps);
    });
    connect(speed_, &QComboBox::currentIndexChanged, this,
            [this] { clock_->setWallS(speed_->currentData().toDouble()); });
    connect(clock_, &PlayClock::timeChanged, this, &PlayBar::showTime);
    connect(clock_, &PlayClock::runningChanged, this, &PlayBar::refreshIcons);
    refreshIcons();
    showTime();
}

void PlayBar::addTransport() {
    auto* row = static_cast<QHBoxLayout*>(layout());
    const auto button = [&](const char* name, const QString& tip, int place) {
        auto* it = new QToolButton(this);
        it->setObjectName(QLatin1String(name));
        it->setToolTip(tip);
        it->setAutoRaise(true);
        it->setFocusPolicy(Qt::TabFocus);
        row->insertWidget(place, it);
        return it;
    };
    previous_ = button("previousEvent", tr("Previous event"), 0);
    play_ = button("playPause", tr("Play or pause"), 1);
    next_ = button("nextEvent", tr("Next event"), 2);
    setActionOfTip(*previous_, "plan.previousEvent");
    setActionOfTip(*play_, "plan.play");
    setActionOfTip(*next_, "plan.nextEvent");
    connect(previous_, &QToolButton::clicked, this, &PlayBar::previousWanted);
    connect(play_, &QToolButton::clicked, clock_, [this] { clock_->setRunning(!clock_->isRunning()); });
    connect(next_, &QToolButton::clicked, this, &PlayBar::nextWanted);
    refreshIcons();
}

void PlayBar::showTime() {
    const double begin = clock_->beginS(), span = clock_->endS() - begin;
    if (!slider_->isSliderDown())
        slider_->setValue(span > 0 ? qRound(sliderSteps * (clock_->timeS() - begin) / span) : 0);
    const auto text = [&](double timeS) { return QString::fromStdString(formatInstant(timeS, span / 1000)); };
    const QString whole = text(clock_->endS());
    // As wide as it ever becomes, so that nothing beside it moves.
    instant_->setMinimumWidth(
        instant_->fontMetrics().horizontalAdvance(whole + QStringLiteral(" of ") + whole) + 8);
    instant_->setText(tr("%1 of %2").arg(text(clock_->timeS()), whole));
}

void PlayBar::changeSpeed(int step) {
    speed_->setCurrentIndex(std::clamp(speed_->currentIndex() + step, 0, speed_->count() - 1));
}

void PlayBar::toggleLoop() { loop_->toggle(); }

void PlayBar::refreshIcons() {
    loop_->setIcon(lineIcon(QStringLiteral("loop")));
    if (!play_) return;
    previous_->setIcon(lineIcon(QStringLiteral("step-back")));
    next_->setIcon(lineIcon(QStringLiteral("step-forward")));
    play_->setIcon(lineIcon(clock_->isRunning() ? QStringLiteral("pause") : QStringLiteral("run")));
}

void PlayBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && instant_) refreshIcons();
}

}  // namespace stagecraft::views::plan
