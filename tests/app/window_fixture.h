#pragma once

#include "app/document/recovery.h"
#include "app/shell/main_window.h"
#include "app/shell/session.h"
#include "core/base/units.h"
#include "tests/app/file_bytes.h"
#include "tests/support/window_rooms.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <ctime>

namespace stagecraft {

/// Settings, sessions and recovery files of a test are in a folder of its own, empty at each start.
class PrivateHome {
public:
    PrivateHome() {
        qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("data")).toUtf8());
        qputenv("XDG_CONFIG_HOME", folder_.filePath(QStringLiteral("config")).toUtf8());
        QCoreApplication::setOrganizationName(QStringLiteral("Stagecraft"));
        QCoreApplication::setApplicationName(QStringLiteral("Stagecraft"));
    }
    QString file(const QString& name) const { return folder_.filePath(name); }

private:
    QTemporaryDir folder_;
};

/// How many times as long as in release the same work takes in this build.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double slowness = 10;
#else
inline constexpr double slowness = 1;
#endif

/// CPU time of this thread in milliseconds: what a busy machine does to others does not count.
inline double threadCpuMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Clicks a button as a person does.
inline void click(QWidget& parent, const QString& name) {
    auto* button = parent.findChild<QAbstractButton*>(name);
    QVERIFY2(button, qPrintable(QStringLiteral("no button ") + name));
    QTest::mouseClick(button, Qt::LeftButton);
}

/// Answers the next modal question.
inline void answer(QMessageBox::StandardButton button) {
    QTimer::singleShot(0, qApp, [button] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        QVERIFY(box);
        QTest::mouseClick(box->button(button), Qt::LeftButton);
    });
}

/// Opens a file and waits until it has been dealt with.
inline void openAndWait(MainWindow& window, const QString& path) {
    QSignalSpy done(&window, &MainWindow::openingDone);
    window.openFile(path);
    QVERIFY(done.wait(5000));
}

/// Runs what the panel has chosen, by its button, and waits for the end.
inline void runAndWait(MainWindow& window) {
    click(window, QStringLiteral("run"));
    QVERIFY(window.planning().isPlanning());
    QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 60'000);
}

}  // namespace stagecraft
