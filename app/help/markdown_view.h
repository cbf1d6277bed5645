#pragma once

#include "app/rooms.h"

#include <QTextBrowser>
#include <QTimer>

namespace stagecraft::app::actions {
class ActionRegister;
}

namespace stagecraft::app::help {

/// Markdown as help pages have it: with formulas, pictures of samples, and links that trigger actions of the
/// window or open samples. Ctrl and the wheel change the size of its letters.
class MarkdownView : public QTextBrowser {
    Q_OBJECT

public:
    explicit MarkdownView(const ActionRegister& actions, QWidget* parent = nullptr);

    /// @param file of the text, for messages
    void showText(const QString& text, const QString& file);
    const QString& text() const { return text_; }
    const QString& file() const { return file_; }

signals:
    void sampleChosen(QString id);
    /// A link that leads to a page of help or to an erratum.
    void topicChosen(QString topic);
    /// What became of a link that did nothing.
    void statusText(QString text);
    /// The text takes more room, or less.
    void heightChanged();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    /// Sets the text again, in the place where it is.
    void refresh();
    void follow(const QUrl& link);
    QString linkOf(const QString& words) const;

    const ActionRegister& actions_;
    QString text_, file_;
    double points_;
    QTimer resized_;
    QTextDocument* page_ = nullptr;  ///< the one that is shown
};

}  // namespace stagecraft::app::help
