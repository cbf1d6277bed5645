#include "app/commands/pictures.h"

#include "core/formats/text_file.h"
#include "views/figures/painter_writer.h"

#include <QApplication>
#include <QEventLoop>

namespace stagecraft::app {

std::unique_ptr<QWidget> chartsOf(const std::shared_ptr<const PlanRun>& run, const PlanViewState& state) {
    auto view = std::make_unique<PlanView>();
    view->setViewState(state);
    // A timeline is prepared on another thread.
    QEventLoop loop;
    QObject::connect(view.get(), &PlanView::ready, &loop, &QEventLoop::quit);
    view->setRun(run);
    if (run->ok() && !view->isReady()) loop.exec();
    return view;
}

QImage pictureOf(QWidget& widget, QSize size) {
    widget.resize(size);
    widget.setAttribute(Qt::WA_DontShowOnScreen);
    widget.show();
    // Layouts, fits and delayed repaints settle while the events that they posted are handled.
    constexpr int rounds = 3;
    for (int i = 0; i < rounds; ++i) QApplication::processEvents();
    return widget.grab().toImage();
}

void writePicture(const std::string& path, const QImage& picture) {
    const QByteArray png = pngBytes(picture);
    writeFileAtomically(path, {png.constData(), static_cast<std::size_t>(png.size())});
}

}  // namespace stagecraft::app
