#pragma once

#include "app/shell/workbench.h"
#include "tests/support/window_rooms.h"
#include "tests/app/window_fixture.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

/// The longest that the thread of a window computes at once, in milliseconds of CPU.
struct WindowStretches {
    double openingMs = 0;
    double planningMs = 0;
    double turningTabsMs = 0;
    double switchingThemeMs = 0;
};

/// Of a new window, while the sample of that button is opened and planned and each tab turned to.
inline WindowStretches windowStretches(const QString& sample) {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QTest::qWait(100);
    double longest = 0, last = threadCpuMs();
    QTimer heartbeat;
    QObject::connect(&heartbeat, &QTimer::timeout, &heartbeat, [&longest, &last] {
        const double now = threadCpuMs();
        longest = std::max(longest, now - last);
        last = now;
    });
    heartbeat.start(1);
    WindowStretches found;
    click(window, sample);
    QTest::qWait(200);
    found.openingMs = std::exchange(longest, 0);
    click(window, QStringLiteral("run"));
    while (window.planning().isPlanning()) QTest::qWait(5);
    QTest::qWait(50);
    found.planningMs = std::exchange(longest, 0);
    for (int tab = 0; tab < window.workbench().count(); ++tab) {
        window.workbench().setCurrentIndex(tab);
        QTest::qWait(50);
    }
    found.turningTabsMs = std::exchange(longest, 0);
    for (const char* theme : {"view.themeDark", "view.themeLight"}) {
        window.actionRegister().action(QLatin1String(theme))->trigger();
        QTest::qWait(200);
    }
    found.switchingThemeMs = longest;
    window.workspace().undoStack()->setClean();
    return found;
}

}  // namespace stagecraft
