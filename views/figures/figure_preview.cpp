#include "views/figures/figure_preview.h"

#include "views/common/canvas.h"
#include "views/common/theme.h"
#include "views/figures/painter_writer.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::figures {
namespace {

constexpr double leastZoom = 0.1, mostZoom = 16;
constexpr double mostPixels = 32e6;  // of a picture; beyond that it is drawn coarser
constexpr double marginPx = 24;
constexpr double mmPerInch = 25.4;

}  // namespace

/// The paper, with some room around it.
class FigurePreview::Sheet : public QWidget {
public:
    explicit Sheet(FigurePreview& owner) : QWidget(&owner), owner_(owner) {}

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& theme = Theme::current();
        painter.fillRect(rect(), theme.window);
        if (!owner_.figure_) return;
        const QRectF page = pageRect();
        painter.fillRect(page, Qt::white);
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(page, owner_.picture_);
        painter.setPen(QPen(theme.line, 1));
        painter.drawRect(page.adjusted(-0.5, -0.5, 0.5, 0.5));
        if (!owner_.rubber_) return;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.accent, 2));
        painter.translate(page.topLeft());
        painter.drawLine(owner_.rubber_->p1() * scale(), owner_.rubber_->p2() * scale());
    }

    void mousePressEvent(QMouseEvent* event) override {
        if (event->button() != Qt::LeftButton || !owner_.figure_) return QWidget::mousePressEvent(event);
        emit owner_.pagePressed(onPage(event->position()));
    }
    void mouseMoveEvent(QMouseEvent* event) override {
        if (event->buttons() & Qt::LeftButton && owner_.figure_)
            emit owner_.pageDragged(onPage(event->position()));
    }
    void mouseReleaseEvent(QMouseEvent* event) override {
        if (event->button() == Qt::LeftButton && owner_.figure_)
            emit owner_.pageReleased(onPage(event->position()));
    }

private:
    double scale() const { return owner_.zoom_ * owner_.pixelsPerMm(); }
    QRectF pageRect() const {
        const QSizeF paper(owner_.figure_->widthMm * scale(), owner_.figure_->heightMm * scale());
        return {QPointF((width() - paper.width()) / 2, (height() - paper.height()) / 2), paper};
    }
    QPointF onPage(const QPointF& pixel) const { return (pixel - pageRect().topLeft()) / scale(); }

    FigurePreview& owner_;
};

FigurePreview::FigurePreview(QWidget* parent) : QScrollArea(parent), sheet_(new Sheet(*this)) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(false);
    setWidget(sheet_);
    setAlignment(Qt::AlignCenter);
    connect(&drawing_, &Job::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) take({}, failure);
        if (again_) start();
    });
    placeSheet();
}

void FigurePreview::setDrawing(Draw draw) {
    draw_ = std::move(draw);
    stale_ = true;
    start();
}

void FigurePreview::setPlacing(bool on) { sheet_->setCursor(on ? Qt::CrossCursor : Qt::ArrowCursor); }

void FigurePreview::setRubber(std::optional<QLineF> line) {
    rubber_ = line;
    sheet_->update();
}

void FigurePreview::setVision(Vision vision) {
    vision_ = vision;
    start();
}

void FigurePreview::start() {
    if (!draw_) return;
    if (isBusy()) {
        again_ = true;
        return;
    }
    again_ = false;
    const bool anew = std::exchange(stale_, false) || !figure_;
    const double ratio = devicePixelRatioF(), perMm = pixelsPerMm(), zoom = zoom_;
    const QSizeF room(std::max(50.0, viewport()->width() - 2 * marginPx),
                      std::max(50.0, viewport()->height() - 2 * marginPx));
    drawing_.start(
        [draw = draw_, known = figure_, anew, ratio, perMm, zoom, room, fits = fits_,
         vision = vision_](const JobContext&) {
            Result result;
            result.figure = anew ? std::make_shared<const Figure>(draw()) : known;
            const Figure& figure = *result.figure;
            // The sheet's own rule, for a figure of which it does not know the size yet.
            const double shown = fits ? std::clamp(std::min(room.width() / (figure.widthMm * perMm),
                                                            room.height() / (figure.heightMm * perMm)),
                                                   leastZoom, mostZoom)
                                      : zoom;
            result.scale =
                std::min(shown * perMm * ratio, std::sqrt(mostPixels / (figure.widthMm * figure.heightMm)));
            QImage picture(std::max(1, static_cast<int>(std::lround(figure.widthMm * result.scale))),
                           std::max(1, static_cast<int>(std::lround(figure.heightMm * result.scale))),
                           QImage::Format_RGB32);
            picture.fill(Qt::white);
            QPainter painter(&picture);
            paintFigure(painter, asSeen(figure, vision), result.scale);
            painter.end();
            result.picture = std::move(picture);
            return result;
        },
        [this](Result result) { take(std::move(result), {}); });
}

void FigurePreview::take(Result result, const QString& failure) {
    if (again_ && stale_) return;  // a newer figure is wanted already
    figure_ = std::move(result.figure);
    picture_ = std::move(result.picture);
    if (fits_) zoom_ = fittingZoom();
    placeSheet();
    if (figure_)
        emit drawn();
    else
        emit failed(failure);
    emit zoomChanged(zoom_);
}

void FigurePreview::setZoom(double zoom, QPointF at) {
    fits_ = false;
    const double before = zoom_;
    zoom_ = std::clamp(zoom, leastZoom, mostZoom);
    if (zoom_ == before) return emit zoomChanged(zoom_);
    const QPointF onSheet = at - sheet_->pos();
    const QPointF share(onSheet.x() / std::max(1, sheet_->width()),
                        onSheet.y() / std::max(1, sheet_->height()));
    placeSheet();
    horizontalScrollBar()->setValue(static_cast<int>(share.x() * sheet_->width() - at.x()));
    verticalScrollBar()->setValue(static_cast<int>(share.y() * sheet_->height() - at.y()));
    emit zoomChanged(zoom_);
    start();
}

void FigurePreview::setZoom(double zoom) { setZoom(zoom, QRectF(viewport()->rect()).center()); }

void FigurePreview::fit() {
    fits_ = true;
    zoom_ = fittingZoom();
    placeSheet();
    emit zoomChanged(zoom_);
    start();
}

double FigurePreview::fittingZoom() const {
    if (!figure_) return zoom_;
    const double scale = pixelsPerMm();
    const double wide = (viewport()->width() - 2 * marginPx) / (figure_->widthMm * scale);
    const double high = (viewport()->height() - 2 * marginPx) / (figure_->heightMm * scale);
    return std::clamp(std::min(wide, high), leastZoom, mostZoom);
}

double FigurePreview::pixelsPerMm() const {
    // Some screens say nothing true of their size.
    constexpr double leastDpi = 50, mostDpi = 400;
    const double physical = screen() ? screen()->physicalDotsPerInch() : 0;
    return (physical >= leastDpi && physical <= mostDpi ? physical : logicalDpiX()) / mmPerInch;
}

void FigurePreview::placeSheet() {
    QSize size = viewport()->size();
    if (figure_) {
        const double scale = zoom_ * pixelsPerMm();
        size = size.expandedTo(QSize(static_cast<int>(figure_->widthMm * scale + 2 * marginPx),
                                     static_cast<int>(figure_->heightMm * scale + 2 * marginPx)));
        if (fits_) size = viewport()->size();
    }
    sheet_->resize(size);
    sheet_->update();
}

void FigurePreview::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QScrollArea::wheelEvent(event);
    constexpr double notch = 120;
    setZoom(zoom_ * std::pow(zoomStep, event->angleDelta().y() / notch), event->position());
    event->accept();
}

void FigurePreview::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    if (fits_)
        fit();
    else
        placeSheet();
}

void FigurePreview::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return setZoom(zoom_ * zoomStep);
        case Qt::Key_Minus:
            return setZoom(zoom_ / zoomStep);
        case Qt::Key_1:
            return setZoom(1);
        case Qt::Key_F:
            return fit();
        default:
            QScrollArea::keyPressEvent(event);
    }
}

void FigurePreview::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) sheet_->update();
}

}  // namespace stagecraft::views::figures
