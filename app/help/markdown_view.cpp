#include "app/help/markdown_view.h"

#include "app/actions/action_register.h"
#include "app/document/samples.h"
#include "app/help/help_look.h"
#include "views/common/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QScrollBar>
#include <QTextDocument>
#include <QWheelEvent>

#include <algorithm>
#include <memory>
#include <utility>

namespace stagecraft::app::help {

namespace {

constexpr int margin = 16, resizeMs = 150;
constexpr double smallestPoints = 7, largestPoints = 28;
constexpr const char* actionScheme = "action";
constexpr const char* sampleScheme = "sample";

QString plainName(QString text) {
    return text.section(':', 0, 0).remove('&').remove(QStringLiteral("…")).simplified();
}

}  // namespace

MarkdownView::MarkdownView(const ActionRegister& actions, QWidget* parent)
    : QTextBrowser(parent), actions_(actions), points_(font().pointSizeF()) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // pages are as wide with it as without
    connect(this, &QTextBrowser::anchorClicked, this, &MarkdownView::follow);
    resized_.setSingleShot(true);
    resized_.setInterval(resizeMs);
    connect(&resized_, &QTimer::timeout, this, &MarkdownView::refresh);
}

void MarkdownView::showText(const QString& text, const QString& file) {
    text_ = text;
    file_ = file;
    verticalScrollBar()->setValue(0);
    refresh();
}

void MarkdownView::refresh() {
    if (text_.isEmpty()) return;
    const int scrolled = verticalScrollBar()->value();
    // In a document that nothing shows yet: one that is shown is laid out at every paragraph that is put into
    // it.
    auto* page = new QTextDocument(this);
    page->setUndoRedoEnabled(false);
    page->setDocumentMargin(margin);
    QFont font = this->font();
    font.setPointSizeF(points_);
    page->setDefaultFont(font);
    const HelpLook look{&Theme::current(), devicePixelRatioF(),
                        static_cast<double>(std::max(viewport()->width() - 2 * margin, 100)),
                        [this](const QString& words) { return linkOf(words); }};
    try {
        showMarkdown(*page, text_, file_.toStdString(), look);
    } catch (const std::exception& error) {
        page->setPlainText(QString::fromUtf8(error.what()) + "\n\n" + text_);
    }
    setDocument(page);
    const std::unique_ptr<QTextDocument> before(std::exchange(page_, page));
    connect(page->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this,
            &MarkdownView::heightChanged);
    verticalScrollBar()->setValue(scrolled);
}

QString MarkdownView::linkOf(const QString& words) const {
    for (const QAction* action : actions_.all())
        if (!actions_.menuOf(action).isEmpty() && plainName(actions_.pathOf(action)) == plainName(words))
            return QStringLiteral("%1:%2").arg(QLatin1String(actionScheme), action->objectName());
    for (const Sample& sample : samples())
        if (sample.title == words) return QStringLiteral("%1:%2").arg(QLatin1String(sampleScheme), sample.id);
    return {};
}

void MarkdownView::follow(const QUrl& link) {
    const QString scheme = link.scheme();
    if (scheme == QLatin1String(actionScheme)) {
        QAction* action = actions_.action(link.path());
        if (action && action->isEnabled())
            action->trigger();
        else if (action)
            emit statusText(tr("“%1” cannot be done now").arg(plainName(action->text())));
    } else if (scheme == QLatin1String(sampleScheme)) {
        emit sampleChosen(link.path());
    } else if (scheme == QLatin1String("https") || scheme == QLatin1String("http")) {
        QDesktopServices::openUrl(link);
    } else {
        emit topicChosen(link.toString());
    }
}

void MarkdownView::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) resized_.start();
}

void MarkdownView::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) resized_.start();
}

void MarkdownView::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QTextBrowser::wheelEvent(event);
    points_ = std::clamp(points_ + (event->angleDelta().y() > 0 ? 1 : -1), smallestPoints, largestPoints);
    refresh();
}

}  // namespace stagecraft::app::help
