#pragma once

#include <QString>
#include <QStringList>

namespace stagecraft {

/// While it is there, collects what QCustomPlot prints when it is used wrongly. One at a time.
class PlotComplaints {
public:
    PlotComplaints() {
        texts().clear();
        before() = qInstallMessageHandler(listen);
    }
    ~PlotComplaints() { qInstallMessageHandler(before()); }
    PlotComplaints(const PlotComplaints&) = delete;
    PlotComplaints& operator=(const PlotComplaints&) = delete;

    QString joined() const { return texts().join('\n'); }

private:
    static void listen(QtMsgType type, const QMessageLogContext& context, const QString& text) {
        if (text.contains(QLatin1String("QCP")) || text.contains(QLatin1String("QCustomPlot")))
            texts() << text;
        if (before()) before()(type, context, text);
    }
    static QStringList& texts() {
        static QStringList all;
        return all;
    }
    static QtMessageHandler& before() {
        static QtMessageHandler handler = nullptr;
        return handler;
    }
};

}  // namespace stagecraft
