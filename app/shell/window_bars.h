#pragma once

#include "app/document/recovery.h"
#include "app/panels/message_bar.h"

#include <QVBoxLayout>

#include <optional>

namespace stagecraft::app::shell {

/// The rows above the document that ask something without stopping the work.
class WindowBars : public QVBoxLayout {
    Q_OBJECT

public:
    WindowBars();

    void offerRecovery(const QList<RecoverableWork>& found);
    /// Whether a person has put off what was offered since the window was opened.
    bool isPostponed() const { return postponed_; }
    /// A file of the project is no longer what the window read or wrote.
    void askAboutDisk(const QString& file, bool dirty);
    /// The project was to be saved over what another program wrote.
    void askBeforeSaving(const QString& file);
    /// Reloading loses changes from now on, or no longer.
    void setDirty(bool dirty);
    /// What was said of that file is no longer true.
    void clearDisk(const QString& file);
    void clear();

signals:
    void recoveryWanted(const RecoverableWork& work);
    void reloadWanted();
    /// What is in the window goes before what is on disk in that file.
    void keepWanted(const QString& file);
    void saveOverWanted(const QString& file);
    void saveAsWanted();

private:
    void showDisk(const QString& file, const QString& text, std::vector<MessageBar::Choice> choices);
    MessageBar::Choice reloadChoice(bool dirty);
    void add(const QString& name, const QString& icon, const QString& text,
             const std::vector<MessageBar::Choice>& choices);

    QString diskFile_;  ///< that the row about disk is of; empty: there is none
    std::optional<bool> reloadLoses_;  ///< as it says; nothing: it asks before saving
    bool postponed_ = false;
};

}  // namespace stagecraft::app::shell
