#include "views/topology/cluster_palette.h"

#include "views/common/theme.h"
#include "views/topology/topology_canvas.h"

#include <QApplication>
#include <QMouseEvent>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::views::topology {
namespace {

constexpr int buttonWidth = 68;

/// "Network switch" in two lines, so that the palette stays narrow.
QString label(QString name) {
    name[0] = name[0].toUpper();
    return name.replace(' ', '\n');
}

}  // namespace

ClusterPalette::ClusterPalette(TopologyCanvas& canvas, QWidget* parent) : QFrame(parent), canvas_(canvas) {
    setObjectName(QStringLiteral("clusterPalette"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 8, 4, 8);
    column->setSpacing(2);
    choose_ = addButton(QStringLiteral("paletteChoose"), QStringLiteral("pointer"), tr("Select"),
                        tr("Select and move (Esc)"));
    connect(choose_, &QToolButton::clicked, &canvas_, [this] { canvas_.setPlacing(std::nullopt); });
    for (const PaletteEntry& entry : paletteEntries()) {
        QToolButton* button =
            addButton(QStringLiteral("palette.") + QLatin1String(entry.id), QLatin1String(entry.icon),
                      label(entry.name),
                      tr("Add a %1: %2.\nClick, then click on the canvas (Shift: several), or drag it there.")
                          .arg(entry.name, entry.what));
        parts_[button] = entry.part;
        button->installEventFilter(this);
        connect(button, &QToolButton::clicked, &canvas_, [this, part = entry.part] {
            canvas_.setPlacing(part);
            canvas_.setFocus();
        });
    }
    link_ = addButton(QStringLiteral("palette.link"), QStringLiteral("link"), tr("Link"),
                      tr("Join two things: drag from one to the other, or click both (L).\n"
                         "Without this tool: drag from one of the ports that show under the pointer."));
    connect(link_, &QToolButton::clicked, &canvas_, [this] {
        canvas_.setLinking(true);
        canvas_.setFocus();
    });
    QToolButton* templates = addButton(QStringLiteral("palette.template"), QStringLiteral("template"),
                                       tr("Template"), tr("Whole servers and clusters by template…"));
    templates->setCheckable(false);
    connect(templates, &QToolButton::clicked, this, &ClusterPalette::templatesWanted);
    column->addStretch();
    connect(&canvas_, &TopologyCanvas::toolChanged, this, &ClusterPalette::showTool);
    showTool();
}

QToolButton* ClusterPalette::addButton(const QString& id, const QString& icon, const QString& text,
                                       const QString& tip) {
    auto* button = new QToolButton;
    button->setObjectName(id);
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setIcon(lineIcon(icon));
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setFixedWidth(buttonWidth);
    button->setFocusPolicy(Qt::TabFocus);
    icons_[button] = icon;
    layout()->addWidget(button);
    return button;
}

void ClusterPalette::showTool() {
    for (const auto& [button, part] : parts_)
        static_cast<QToolButton*>(button)->setChecked(canvas_.placing() == part);
    link_->setChecked(canvas_.isLinking());
    choose_->setChecked(!canvas_.placing() && !canvas_.isLinking());
}

bool ClusterPalette::eventFilter(QObject* watched, QEvent* event) {
    const auto part = parts_.find(watched);
    if (part == parts_.end()) return QFrame::eventFilter(watched, event);
    const QEvent::Type type = event->type();
    if (type != QEvent::MouseButtonPress && type != QEvent::MouseMove && type != QEvent::MouseButtonRelease)
        return false;
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const auto onCanvas = [&] { return QPointF(canvas_.mapFromGlobal(mouse->globalPosition())); };
    if (type == QEvent::MouseButtonPress) {
        pressedAt_ = mouse->globalPosition().toPoint();
    } else if (type == QEvent::MouseMove && (mouse->buttons() & Qt::LeftButton)) {
        const QPoint way = mouse->globalPosition().toPoint() - pressedAt_;
        dragging_ = dragging_ || way.manhattanLength() >= QApplication::startDragDistance();
        if (dragging_) canvas_.previewPart(part->second, onCanvas());
    } else if (type == QEvent::MouseButtonRelease && dragging_) {
        dragging_ = false;
        auto* button = static_cast<QToolButton*>(watched);
        if (button->rect().contains(mouse->position().toPoint())) return false;
        button->setDown(false);
        canvas_.setPlacing(std::nullopt);
        canvas_.dropPart(part->second, onCanvas());
        showTool();
        return true;
    }
    return false;
}

void ClusterPalette::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        for (const auto& [button, icon] : icons_) button->setIcon(lineIcon(icon));
    QFrame::changeEvent(event);
}

}  // namespace stagecraft::views::topology
