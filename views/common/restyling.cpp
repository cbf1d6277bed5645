#include "views/common/restyling.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QPixmapCache>
#include <QStyle>
#include <QWidget>

namespace stagecraft::views::common {

namespace {
constexpr int sliceMs = 8;       // half a frame
constexpr int surelyDone = 100;  // widgets that take less, also where others have the processor meanwhile
}  // namespace

Restyling::Restyling(QApplication& application) : QObject(&application), application_(application) {
    connect(&idle_, &QTimer::timeout, this, &Restyling::goOn);
}

Restyling& Restyling::of(QApplication& application) {
    auto* known = application.findChild<Restyling*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? *known : *new Restyling(application);
}

void Restyling::change(const std::function<void()>& setSheet) {
    putOff();
    application_.installEventFilter(this);
    changing_ = true;
    setSheet();
    changing_ = false;
    QPixmapCache::clear();  // of pictures in the colours before
    idle_.start(0);
    goOn();
}

/// What counts as not polished is left out by QApplication::setStyle, to which a sheet that comes or goes
/// leads.
void Restyling::putOff() {
    const QWidgetList all = QApplication::allWidgets();
    for (QWidget* widget : all) {
        if (widget->isVisible() || !widget->testAttribute(Qt::WA_WState_Polished)) continue;
        widget->setAttribute(Qt::WA_WState_Polished, false);
        late_[widget] = widget;
    }
}

void Restyling::goOn() {
    QElapsedTimer clock;
    clock.start();
    for (int done = 0; !late_.empty() && (done < surelyDone || clock.elapsed() < sliceMs); ++done) {
        const QPointer<QWidget> widget = late_.begin()->second;
        late_.erase(late_.begin());
        if (widget) style(*widget);
    }
    if (!late_.empty()) return;
    idle_.stop();
    application_.removeEventFilter(this);
}

/// As QApplication does with each when its style changes.
void Restyling::style(QWidget& widget) {
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
    widget.setAttribute(Qt::WA_WState_Polished);
}

bool Restyling::eventFilter(QObject* watched, QEvent* event) {
    if (changing_) return event->type() == QEvent::StyleChange;
    if (event->type() != QEvent::Show) return false;
    const auto found = late_.find(watched);
    if (found == late_.end()) return false;
    const QPointer<QWidget> widget = found->second;
    late_.erase(found);
    if (widget) style(*widget);
    return false;
}

}  // namespace stagecraft::views::common
