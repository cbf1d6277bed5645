// The version differences in a plan's details.
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/compare/plan_details.h"

#include <QTextDocument>
#include <QtTest>

namespace stagecraft {
namespace {

PlanRun plannerRun(const char* planner) {
    const Project project =
        openProject(std::string(STAGECRAFT_SOURCE_DIR) + "/samples/xpipe-fig1.stagecraft.json");
    return runAndEvaluate(*findPlanner(planner), std::make_shared<const CostModel>(project.problem), {});
}

QString plainText(const QString& html) {
    QTextDocument document;
    document.setHtml(html);
    return document.toPlainText();
}

}  // namespace

class VersionTableTest : public QObject {
    Q_OBJECT

private slots:
    void figure1bStandsInFourRows() {
        const QStringList cells =
            plainText(versionTable(plannerRun("xpipe"))).split('\n', Qt::SkipEmptyParts);
        const qsizetype first = cells.indexOf(QStringLiteral("Stage 0"));
        QVERIFY(first > 0);
        // Counted, Eq. (1), closed form; counted, Eq. (2), closed form.
        QCOMPARE(cells.mid(first + 1, 6), (QStringList{"1", "≠2", "1", "0", "≠1", "0"}));
        const qsizetype last = cells.indexOf(QStringLiteral("Stage 3"));
        QCOMPARE(cells.mid(last + 1), (QStringList{"0", "≠1", "0", "0", "≠1", "0"}));
    }

    void aFormulaThatDoesNotHoldHasTheThemesWarningColour() {
        for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
            applyTheme(*qApp, choice);
            QVERIFY(versionTable(plannerRun("xpipe")).contains(Theme::current().warning.name()));
        }
        applyTheme(*qApp, ThemeChoice::light);
    }

    void onlyPlansThatPredictHaveIt() {
        QVERIFY(plainText(planDetails(plannerRun("xpipe"))).contains("Version differences"));
        QVERIFY(versionTable(plannerRun("gpipe")).isEmpty());
        QVERIFY(!plainText(planDetails(plannerRun("gpipe"))).contains("Version differences"));
    }
};

}  // namespace stagecraft

using stagecraft::VersionTableTest;
STAGECRAFT_TEST(VersionTableTest)
#include "version_table_test.moc"
