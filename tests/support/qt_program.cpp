#include "tests/support/qt_program.h"
#include "tests/support/every_room.h"

#include <QApplication>
#include <QFileInfo>
#include <QTextStream>
#include <QtTest>

#include <map>

namespace stagecraft {
namespace {

struct Registered {
    TestNeeds needs;
    TestRegistration::Make make;
};

std::map<QString, Registered>& registered() {
    static std::map<QString, Registered> tests;
    return tests;
}

std::unique_ptr<QCoreApplication> applicationFor(TestNeeds needs, int& argc, char** argv) {
    switch (needs) {
        case TestNeeds::widgets:
            return std::make_unique<QApplication>(argc, argv);
        case TestNeeds::events:
            return std::make_unique<QCoreApplication>(argc, argv);
        case TestNeeds::nothing:
            break;
    }
    return nullptr;
}

}  // namespace

TestRegistration::TestRegistration(const char* sourceFile, TestNeeds needs, Make make) {
    registered().insert({QFileInfo(QString::fromUtf8(sourceFile)).completeBaseName(), {needs, make}});
}

}  // namespace stagecraft

int main(int argc, char** argv) {
    using namespace stagecraft;
    const QString name = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QString();
    const auto found = registered().find(name);
    if (found == registered().end()) {
        QTextStream out(stderr);
        out << "name one of these tests, then QTest's arguments:\n";
        for (const auto& [each, test] : registered()) out << "  " << each << '\n';
        return 2;
    }
    // QTest sees the program's name and its own arguments; settings and caches get the test's name.
    argv[1] = argv[0];
    ++argv, --argc;
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi, true);
    const auto application = applicationFor(found->second.needs, argc, argv);
    QCoreApplication::setApplicationName(name);
    return QTest::qExec(found->second.make().get(), argc, argv);
}
