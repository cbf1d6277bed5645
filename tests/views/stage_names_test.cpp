// Stages are told apart from servers and GPUs by name, and from each other by shade.
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/lane_list.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/figures/figure.h"
#include "views/timeline/lane_rows.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace stagecraft;

namespace {

/// A colour as who lacks one kind of cones sees it: the matrices of Machado, Oliveira and Fernandes 2009 at
/// full severity, on linear RGB.
constexpr double seen[3][3][3] = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

double linear(double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

/// CIE L*a*b* under D65.
std::array<double, 3> lab(const QColor& colour, int blindness) {
    const double given[3] = {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
    double rgb[3] = {given[0], given[1], given[2]};
    if (blindness >= 0)
        for (int i = 0; i < 3; ++i) {
            rgb[i] = 0;
            for (int j = 0; j < 3; ++j) rgb[i] += seen[blindness][i][j] * given[j];
            rgb[i] = std::clamp(rgb[i], 0.0, 1.0);
        }
    const double xyz[3] = {(0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505,
                           0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2],
                           (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089};
    double f[3];
    for (int i = 0; i < 3; ++i) f[i] = xyz[i] > 0.008856 ? std::cbrt(xyz[i]) : 7.787 * xyz[i] + 16.0 / 116;
    return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double apart(const QColor& a, const QColor& b, int blindness) {
    const auto first = lab(a, blindness), second = lab(b, blindness);
    return std::hypot(first[0] - second[0], first[1] - second[1], first[2] - second[2]);
}

}  // namespace

class StageNamesTest : public QObject {
    Q_OBJECT
private slots:
    void neighbouringStagesDifferUnderEachColourBlindness();
    void aStageIsNamedOtherwiseThanServersAndGpus();
    void aChannelIsNamedForEachPairOfStagesThatItServes();
    void stagesThatFollowEachOtherAreARange();
    void namesAreCutInTheMiddle();
};

/// Of the collectives of all of 16 stages.
void StageNamesTest::stagesThatFollowEachOtherAreARange() {
    const Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/llama-3-8b.stagecraft.json");
    const auto costs = std::make_shared<const CostModel>(project.problem);
    const ScheduleFamily& family = *findScheduleFamily("vocab-2");
    const PlanRun run = planners::evaluatePlan(
        costs, cutUnder(*costs, family, defaultValues(settingsOf(family)), equalLayerCut));
    QVERIFY(run.ok());
    QStringList names;
    for (const ListedLane& lane : listedLanes(run, true, LaneMedium::screen))
        names << laneNames(run, lane.lane, LaneMedium::screen).front();
    QVERIFY2(names.contains(QStringLiteral("collectives · stages 0–15")), qPrintable(names.join('|')));
}

void StageNamesTest::neighbouringStagesDifferUnderEachColourBlindness() {
    // Of the next stage, and of the two after it; a just noticeable difference is about 2.3.
    constexpr double next = 15, near = 7.5;
    for (int blindness = -1; blindness < 3; ++blindness)
        for (int stage = 0; stage < 64; ++stage)
            for (int other = stage + 1; other <= stage + 3; ++other)
                QVERIFY2(
                    apart(stageColour(stage, 64), stageColour(other, 64), blindness) >=
                        (other == stage + 1 ? next : near),
                    qPrintable(QStringLiteral("stages %1 and %2, blindness %3: %4")
                                   .arg(stage)
                                   .arg(other)
                                   .arg(blindness)
                                   .arg(apart(stageColour(stage, 64), stageColour(other, 64), blindness))));
}

void StageNamesTest::aStageIsNamedOtherwiseThanServersAndGpus() {
    QCOMPARE(stageMark(3), QStringLiteral("S3"));
    QCOMPARE(stageMarks({0, 2}), QStringLiteral("S0, S2"));
}

void StageNamesTest::aChannelIsNamedForEachPairOfStagesThatItServes() {
    const Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/madpipe-fig5.stagecraft.json");
    for (const Plan& plan : project.plans) {
        const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(project.problem), plan);
        QVERIFY(run.ok());
        std::set<QString> labels, keys, tips;
        int channels = 0;
        for (const LaneRow& row : laneRows(run, true)) {
            const Lane& lane = run.evaluation->timeline.lanes[static_cast<std::size_t>(row.lane)];
            if (lane.kind == LaneKind::compute || row.label.isEmpty()) continue;  // the second half of a pair
            ++channels;
            labels.insert(row.label);
            tips.insert(row.toolTip);
            keys.insert(laneKey(run, row.lane));
        }
        QVERIFY(channels >= 2);
        QCOMPARE(static_cast<int>(labels.size()), channels);
        QCOMPARE(static_cast<int>(tips.size()), channels);
        QCOMPARE(static_cast<int>(keys.size()), channels);
        const QString all = QStringList(labels.begin(), labels.end()).join('|');
        QVERIFY2(all.contains(QStringLiteral("1 → 2")) || all.contains(QStringLiteral("1 ⇄ 2")),
                 qPrintable(all));
    }
}

void StageNamesTest::namesAreCutInTheMiddle() {
    const QString one = QStringLiteral("encoder.layer.11.attention.query"),
                  other = QStringLiteral("encoder.layer.11.attention.value");
    const double widthMm = 0.6 * textWidthMm(one, 8);
    QVERIFY(cutInMiddle(one, widthMm, 8) != cutInMiddle(other, widthMm, 8));
    QVERIFY(textWidthMm(cutInMiddle(one, widthMm, 8), 8) <= widthMm);
    QVERIFY(cutInMiddle(one, widthMm, 8).startsWith("encoder") &&
            cutInMiddle(one, widthMm, 8).endsWith("query"));
    QCOMPARE(cutInMiddle(one, 1000, 8), one);
}

STAGECRAFT_TEST(StageNamesTest)
#include "stage_names_test.moc"
