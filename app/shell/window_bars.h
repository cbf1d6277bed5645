#pragma once

#include "app/document/recovery.h"
#include "app/panels/message_bar.h"

#include <QVBoxLayout>

namespace stagecraft::app {

/// The rows above the document that ask something without stopping the work.
class WindowBars : public QVBoxLayout {
    Q_OBJECT

public:
    WindowBars();

    /// One, and the next once it is discarded; the others are there at the next start, too.
    void offerRecovery(const QList<RecoverableWork>& found);
    /// A file of the project is no longer what the window read or wrote.
    void askAboutDisk(const QString& file, bool dirty);
    void clear();

signals:
    void recoveryWanted(const RecoverableWork& work);
    void reloadWanted();
    /// What is in the window goes before what is on disk.
    void keepWanted();

private:
    void add(const QString& name, const QString& icon, const QString& text,
             const std::vector<MessageBar::Choice>& choices);
};

}  // namespace stagecraft::app
