#pragma once

#include "app/rooms.h"
#include "core/experiments/experiment.h"
#include "views/common/job.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <mutex>

namespace stagecraft::app::experiments {

/// Keeps an experiment among a person's own while it is put together, so that it is there after the program
/// ended. Written off the window's thread, shortly after the last edit; a file that a person saved is never
/// touched.
class DraftKeeper : public QObject {
    Q_OBJECT
public:
    explicit DraftKeeper(QObject* parent = nullptr);

    /// Another draft; what waits of the last one is written. @param path its file; empty: none yet
    void begin(const QString& path);
    /// Its state. @param untouched as it was at the beginning, or as it was saved
    void take(const Experiment& experiment, bool untouched);
    /// Writes at once what waits. Returns where the draft is kept; empty: there was nothing to keep.
    QString flush();
    /// Writes nothing more of this draft unless it changes; its file, if it had one, is somebody else's.
    void leave();
    /// Where it is kept; empty: nowhere yet.
    const QString& path() const { return path_; }

signals:
    void kept(const QString& path, const QString& name);
    /// Nothing is left of what was changed: its file is gone.
    void removed(const QString& path);
    void failed(const QString& sentence);

private:
    /// Of several writings that overlap the newest comes last.
    struct Turn {
        std::mutex mutex;
        int newest = 0;
    };
    int nextTurn();
    /// By the name that it has when it is first written.
    void choosePlace();
    void write();

    QString path_;
    bool made_ = false;     ///< the file is of this sitting
    bool changed_ = false;  ///< since it began
    bool waiting_ = false;  ///< what was taken last is not yet written
    std::shared_ptr<const Experiment> taken_;
    std::shared_ptr<Turn> turn_ = std::make_shared<Turn>();
    QTimer pause_;
    Job writing_;
};

}  // namespace stagecraft::app::experiments
