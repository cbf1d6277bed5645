// What happens at an instant of a plan, in a line of words.

#include "tests/support/qt_program.h"
#include "tests/views/gantt_fixture.h"
#include "views/play/play_words.h"

#include <QTest>

using namespace stagecraft;

class PlayWordsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void whoWaitsForWhat();
    void asMuchAsThereIsRoomFor();
    void theEndIsTold();

private:
    std::shared_ptr<const PlayData> data_;
};

void PlayWordsTest::initTestCase() { data_ = std::make_shared<const PlayData>(madeUpRun()); }

void PlayWordsTest::whoWaitsForWhat() {
    const PlayWords words(data_);
    const QStringList first = words.phrases(0);
    QCOMPARE(first.size(), 4);  // lanes that compute
    QCOMPARE(first[0], QString("s0g0, s0g1: forward of microbatch 0"));
    QCOMPARE(first[1], QString("s0g2, s0g3 idle, waits for forward of microbatch 0 on stage 0"));
    QCOMPARE(first[3], QString("s1g2, s1g3 idle, waits for forward of microbatch 0 on stage 0"));
    // Each is either at work, or idle.
    const Timeline& timeline = data_->chart->timeline();
    const quint32 late = timeline.find(BlockKind::backward, 0, 7, 0);
    const QStringList last = words.phrases(timeline.startS[late]);
    QCOMPARE(last[0], QString("s0g0, s0g1: backward of microbatch 7"));
    QVERIFY(last.contains(QString("s1g2, s1g3 done")) || last.filter("s1g2, s1g3: ").size() == 1);
}

void PlayWordsTest::asMuchAsThereIsRoomFor() {
    const PlayWords words(data_);
    const QFontMetricsF metrics{QFont()};
    const QString all = words.line(0, metrics, 1e6);
    QCOMPARE(all, words.phrases(0).join(QStringLiteral(" · ")));
    const double wide = metrics.horizontalAdvance(all);
    bool counted = false;
    for (const double part : {0.95, 0.7, 0.5, 0.3}) {
        const QString line = words.line(0, metrics, part * wide);
        QVERIFY(metrics.horizontalAdvance(line) <= part * wide);
        QVERIFY(line.startsWith("s0g0, s0g1: forward of microbatch 0"));
        counted = counted || line.endsWith("· 3 are idle") || line.endsWith("2 more are idle");
    }
    QVERIFY(counted);
    QVERIFY(metrics.horizontalAdvance(words.line(0, metrics, 60)) <= 60);
}

void PlayWordsTest::theEndIsTold() {
    const PlayWords words(data_);
    QVERIFY(words.line(data_->chart->endS, QFontMetricsF{QFont()}, 1e6).startsWith("All is done after"));
    QVERIFY(!words.line(data_->chart->endS * 0.99, QFontMetricsF{QFont()}, 1e6).startsWith("All"));
}

STAGECRAFT_TEST(PlayWordsTest)
#include "play_words_test.moc"
