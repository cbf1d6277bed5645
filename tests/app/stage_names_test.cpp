// A stage has one short name, S0, wherever it is printed: s0 is a server, s0g1 a GPU of it.
#include "app/shell/workbench.h"
#include "core/formats/files/project_file.h"
#include "tests/app/command_call.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QLabel>
#include <QRegularExpression>
#include <QToolButton>
#include <QUndoStack>

using namespace stagecraft;
using testing::call;

namespace {

const QRegularExpression lowerCase(QStringLiteral("\\bs[0-9]+\\b"));

/// A sample whose servers and GPUs are called h0, h0g1, so that an s0 in what is printed can be a stage
/// alone.
QString renamed(const QString& sample) {
    QFile file(QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/%1.stagecraft.json").arg(sample));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no sample");
    QString text = QString::fromUtf8(file.readAll());
    return text.replace(QRegularExpression(QStringLiteral("\"s([0-9]+)(g[0-9]+)?\"")),
                        QStringLiteral("\"h\\1\\2\""));
}

QStringList lowerCaseIn(const QString& text) {
    QStringList found;
    for (auto each = lowerCase.globalMatch(text); each.hasNext();) {
        const auto match = each.next();
        found << text.mid(std::max<qsizetype>(0, match.capturedStart() - 30), 60).simplified();
    }
    return found;
}

void collect(const QAbstractItemModel& model, const QModelIndex& parent, QStringList& texts) {
    for (int row = 0; row < std::min(model.rowCount(parent), 200); ++row)
        for (int column = 0; column < model.columnCount(parent); ++column) {
            const QModelIndex index = model.index(row, column, parent);
            texts << index.data().toString() << index.data(Qt::ToolTipRole).toString();
            if (column == 0) collect(model, index, texts);
        }
}

}  // namespace

class StageNamesTest : public QObject {
    Q_OBJECT
    PrivateHome home_;

    QString projectOf(const QString& sample) const {
        const QString path = home_.file(sample + QStringLiteral(".stagecraft.json"));
        writeFileAtomically(path.toStdString(), renamed(sample).toStdString());
        return path;
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void commandsAndFigures_data() {
        QTest::addColumn<QString>("sample");
        for (const char* sample : {"schedules", "vpipe-transformer", "xpipe-fig1"})
            QTest::newRow(sample) << QString::fromLatin1(sample);
    }
    void commandsAndFigures() {
        QFETCH(QString, sample);
        const std::string project = projectOf(sample).toStdString();
        const std::string plan = home_.file(sample + QStringLiteral(".plan.json")).toStdString();
        std::string printed = call({"plan", project, "--planner", "spp", "--out", plan}).out;
        printed += call({"explain", plan}).out + call({"check", plan}).out;
        for (const char* view : {"schedule", "memory", "links", "partition", "cluster"}) {
            const std::string figure = home_.file(QStringLiteral("figure.svg")).toStdString();
            const auto outcome =
                call({"export", plan, "--view", view, "--format", "svg", "--out", figure});
            QVERIFY2(outcome.status == 0, outcome.err.c_str());
            QString text = QString::fromStdString(readTextFile(figure));
            printed += text.remove(QRegularExpression(QStringLiteral("<[^>]*>"))).toStdString();
        }
        const QStringList found = lowerCaseIn(QString::fromStdString(printed));
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QStringLiteral(" | "))));
    }

    void theWindow() {
        MainWindow window;
        window.show();
        openAndWait(window, projectOf(QStringLiteral("schedules")));
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
        QStringList texts;
        for (int tab = 0; tab < window.workbench().count(); ++tab) {
            window.workbench().setCurrentIndex(tab);
            QTest::qWait(50);
        }
        for (const auto* label : window.findChildren<QLabel*>()) texts << label->text() << label->toolTip();
        for (const auto* button : window.findChildren<QAbstractButton*>())
            texts << button->text() << button->toolTip();
        for (const auto* view : window.findChildren<QAbstractItemView*>())
            if (view->model()) collect(*view->model(), view->rootIndex(), texts);
        QVERIFY(texts.size() > 500);
        const QStringList found = lowerCaseIn(texts.join('\n'));
        QVERIFY2(found.isEmpty(), qPrintable(found.mid(0, 10).join(QStringLiteral(" | "))));
        window.workspace().undoStack()->setClean();
    }
};

STAGECRAFT_TEST(StageNamesTest)
#include "stage_names_test.moc"
