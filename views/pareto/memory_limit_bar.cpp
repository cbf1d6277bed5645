#include "views/pareto/memory_limit_bar.h"

#include "core/base/units.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleOptionSlider>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft::views::pareto {

namespace {

constexpr int mostSteps = 2000;
constexpr int keysRestMs = 700;
constexpr int snapPixels = 5;

}  // namespace

MarkedSlider::MarkedSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setFocusPolicy(Qt::StrongFocus);
}

void MarkedSlider::setMark(int value) {
    mark_ = value;
    update();
}

int MarkedSlider::pixelOf(int value) const {
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect groove = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
    const int handle = style()->pixelMetric(QStyle::PM_SliderLength, &option, this);
    return groove.left() + handle / 2 +
           QStyle::sliderPositionFromValue(minimum(), maximum(), value, groove.width() - handle);
}

void MarkedSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        // The handle jumps under the pointer, from where it can be dragged on.
        const int first = pixelOf(minimum()), last = pixelOf(maximum());
        const int value = QStyle::sliderValueFromPosition(
            minimum(), maximum(), qRound(event->position().x()) - first, last - first);
        QStyleOptionSlider option;
        initStyleOption(&option);
        const QRect handle =
            style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
        if (!handle.contains(event->position().toPoint())) {
            setSliderDown(true);
            setSliderPosition(value);
        }
    }
    QSlider::mousePressEvent(event);
}

void MarkedSlider::paintEvent(QPaintEvent* event) {
    if (mark_ >= minimum() && mark_ <= maximum()) {
        const Theme& theme = Theme::current();
        QPainter painter(this);
        painter.setPen(QPen(theme.mutedText, 1.5));
        const double x = pixelOf(mark_) + 0.5;
        painter.drawLine(QPointF(x, 2), QPointF(x, height() - 2));
    }
    QSlider::paintEvent(event);
}

MemoryLimitBar::MemoryLimitBar(QWidget* parent)
    : QWidget(parent),
      slider_(new MarkedSlider),
      number_(new QDoubleSpinBox),
      activity_(new QLabel),
      obstacle_(new ElidedLabel),
      rest_(new QTimer(this)) {
    layOut();
    setEnabled(false);  // until it has a range
    rest_->setSingleShot(true);
    rest_->setInterval(keysRestMs);
    connect(rest_, &QTimer::timeout, this, &MemoryLimitBar::settle);
    connect(slider_, &QSlider::valueChanged, this, &MemoryLimitBar::onSlider);
    connect(slider_, &QSlider::sliderReleased, this, [this] {
        if (std::exchange(ignoring_, false)) showLimit();  // given up meanwhile: back to what holds
        settle();
    });
    connect(number_, &QDoubleSpinBox::valueChanged, this, &MemoryLimitBar::onNumber);
    connect(number_, &QDoubleSpinBox::editingFinished, this, &MemoryLimitBar::settle);
}

MemoryLimitBar::~MemoryLimitBar() { stopListeningToChildren(*this); }

void MemoryLimitBar::layOut() {
    auto* name = new QLabel(tr("Memory limit"));
    name->setBuddy(slider_);
    slider_->setObjectName(QStringLiteral("memorySlider"));
    slider_->setAccessibleName(tr("Memory limit of each GPU"));
    slider_->setMinimumWidth(160);
    slider_->setMaximumWidth(360);
    number_->setObjectName(QStringLiteral("memoryNumber"));
    number_->setAccessibleName(tr("Memory limit of each GPU"));
    number_->setDecimals(2);
    number_->setSingleStep(0.25);
    number_->setSuffix(tr(" GiB"));
    number_->setAlignment(Qt::AlignRight);
    number_->setKeyboardTracking(false);
    number_->installEventFilter(this);
    activity_->setObjectName(QStringLiteral("memoryActivity"));
    activity_->setProperty("role", "muted");
    // The slider must not move under the pointer.
    activity_->setFixedWidth(activity_->fontMetrics().horizontalAdvance(tr("improving…")) + 8);
    obstacle_->setObjectName(QStringLiteral("memoryObstacle"));
    obstacle_->setProperty("role", "error");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(name);
    row->addWidget(slider_, 2);
    row->addWidget(number_);
    row->addWidget(activity_);
    row->addWidget(obstacle_, 3);
}

void MemoryLimitBar::setRange(double mostBytes, double ownBytes) {
    own_ = ownBytes;
    stepBytes_ = mib;
    while (mostBytes / stepBytes_ > mostSteps) stepBytes_ *= 2;
    showing_ = true;
    slider_->setRange(1, std::max(2, static_cast<int>(std::ceil(mostBytes / stepBytes_))));
    slider_->setPageStep(std::max(1, slider_->maximum() / 20));
    slider_->setSingleStep(std::max(1, slider_->maximum() / 200));
    number_->setRange(0.01, slider_->maximum() * stepBytes_ / gib);
    slider_->setMark(own_ > 0 ? qRound(own_ / stepBytes_) : -1);
    const QString keys = tr("Arrow keys and page keys move it, Esc resets it.");
    slider_->setToolTip(own_ > 0
                            ? tr("Drag to see what fits into less memory, or more. The mark: what the GPUs "
                                 "have, %1. %2")
                                  .arg(QString::fromStdString(formatBytes(own_)), keys)
                            : tr("Drag to see what fits into less memory, or more. %1").arg(keys));
    showing_ = false;
    setEnabled(true);
    showLimit();
}

void MemoryLimitBar::setLimit(double bytes) {
    bytes_ = bytes;
    moving_ = false;
    rest_->stop();
    showLimit();
}

void MemoryLimitBar::showLimit() {
    showing_ = true;
    // The handle stays under the pointer.
    if (!slider_->isSliderDown()) slider_->setValue(qRound(bytes_ / stepBytes_));
    number_->setValue(bytes_ / gib);
    showing_ = false;
}

void MemoryLimitBar::onSlider(int value) {
    if (showing_ || ignoring_) return;
    double bytes = value * stepBytes_;
    if (own_ > 0 && std::abs(slider_->pixelOf(value) - slider_->pixelOf(slider_->mark())) <= snapPixels &&
        slider_->isSliderDown())
        bytes = own_;
    move(bytes);
    if (!slider_->isSliderDown()) rest_->start();
}

void MemoryLimitBar::onNumber(double value) {
    if (showing_) return;
    move(value * gib);
    rest_->start();
}

void MemoryLimitBar::move(double bytes) {
    if (!moving_) before_ = bytes_;
    moving_ = true;
    bytes_ = bytes;
    showLimit();
    emit moved(bytes);
}

void MemoryLimitBar::settle() {
    rest_->stop();
    if (!moving_ || slider_->isSliderDown()) return;
    moving_ = false;
    emit settled(bytes_);
}

void MemoryLimitBar::giveUp() {
    if (!moving_) return;
    ignoring_ = slider_->isSliderDown();
    setLimit(before_);
}

void MemoryLimitBar::discard() {
    giveUp();
    emit discarded();
}

void MemoryLimitBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && moving_) return discard();
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && moving_) return settle();
    QWidget::keyPressEvent(event);
}

bool MemoryLimitBar::eventFilter(QObject* watched, QEvent* event) {
    // The field would keep Esc to itself.
    if (watched == number_ && event->type() == QEvent::KeyPress && moving_ &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        discard();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void MemoryLimitBar::setActivity(Activity activity) {
    activity_->setText(activity == Activity::planning    ? tr("planning…")
                       : activity == Activity::improving ? tr("improving…")
                                                         : QString());
}

void MemoryLimitBar::setObstacle(const QString& text) { obstacle_->setWhole(text); }

QString MemoryLimitBar::obstacle() const { return obstacle_->whole(); }

}  // namespace stagecraft::views::pareto
