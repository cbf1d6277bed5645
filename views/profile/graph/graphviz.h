#pragma once

#include "views/common/job.h"
#include "views/profile/graph/network_layout.h"

#include <QObject>

#include <optional>

namespace stagecraft::views::profile {

/// The graph in Graphviz's language, groups as clusters.
QByteArray dotText(const NetworkOutline& outline);
/// Reads what `dot -Tplain` says about dotText(); nothing if that is not complete.
std::optional<NetworkLayout> readPlain(const QByteArray& text, const NetworkOutline& outline);

/// Graphviz's `dot` as a child process: its licence does not mix with this program's, and a slow or broken
/// layout does no harm there.
class Graphviz : public QObject {
    Q_OBJECT
public:
    explicit Graphviz(QObject* parent = nullptr);

    /// Takes the place of a run that is under way.
    void start(const NetworkOutline& outline);
    void cancel() { job_.abandon(); }
    bool isRunning() const { return job_.isRunning(); }

    void setProgram(const QString& program) { program_ = program; }
    void setTimeLimitMs(int milliseconds) { limitMs_ = milliseconds; }

signals:
    void laidOut(const NetworkLayout& layout);
    /// A sentence.
    void failed(const QString& reason);

private:
    QString program_ = QStringLiteral("dot");
    int limitMs_ = 10'000;
    Job job_;
};

}  // namespace stagecraft::views::profile
