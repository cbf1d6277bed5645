// The playing of a plan as pictures.

#include "core/formats/input_error.h"
#include "core/simulation/simulator.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/gantt_fixture.h"
#include "views/common/theme.h"
#include "views/play/movie.h"

#include <zlib.h>

#include <QBuffer>
#include <QDir>
#include <QImageReader>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;

namespace {

quint32 numberAt(const QByteArray& data, qsizetype at, int bytes = 4) {
    quint32 value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(data[at + i]);
    return value;
}

struct Chunk {
    QByteArray name, data;
};

QList<Chunk> chunksOf(const QByteArray& png) {
    QList<Chunk> chunks;
    for (qsizetype at = 8; at + 12 <= png.size();) {
        const qsizetype length = numberAt(png, at);
        chunks.append({png.mid(at + 4, 4), png.mid(at + 8, length)});
        at += 12 + length;
    }
    return chunks;
}

constexpr int fewPixels = 480 * 270 / 500;

/// How many pixels anybody could tell from those of the other picture.
int differing(const QImage& a, const QImage& b) {
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QRgb one = a.pixel(x, y), other = b.pixel(x, y);
            count += std::abs(qRed(one) - qRed(other)) + std::abs(qGreen(one) - qGreen(other)) +
                         std::abs(qBlue(one) - qBlue(other)) >
                     24;
        }
    return count;
}

MovieOptions small() {
    MovieOptions options;
    options.size = {480, 270};
    options.seconds = 1.2;
    options.framesPerSecond = 10;
    return options;
}

}  // namespace

class MovieTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();

    void anApngHoldsAllFramesForAsLongAsAsked();
    void viewersOfAnimationsSeeEachFrame();
    void aGifShowsTheFramesInNearlyTheirColours();
    void theSameOptionsGiveTheSameBytes();
    void framesAreWhatIsPresented();
    void severalPlansAreInOneMovie();
    void framesShowTheCursorWhereTheirInstantIs();
    void framesAreFilesOfTheirSizeInANewFolder();
    void whatIsStoppedIsNotThere();
    void aFolderWithSomethingInItIsLeftAlone();
    void theClusterIsBesideTheLanesIfWanted();
    void aPartOfThePlanFillsTheChart();

private:
    std::shared_ptr<const PlayData> data_;
};

void MovieTest::initTestCase() {
    applyTheme(*qApp, ThemeChoice::light);
    data_ = std::make_shared<const PlayData>(madeUpRun());
}

void MovieTest::anApngHoldsAllFramesForAsLongAsAsked() {
    MoviePainter painter({data_}, small());
    const QByteArray file = QByteArray::fromStdString(writeApng(painter));
    // Whoever knows nothing of animations sees the first frame.
    const QImage first = QImage::fromData(file, "PNG");
    QCOMPARE(first.size(), QSize(480, 270));
    QVERIFY(differing(first.convertToFormat(QImage::Format_RGB32), painter.frame(0)) < fewPixels);
    quint32 declared = 0, controls = 0, tenths = 0;
    for (const Chunk& chunk : chunksOf(file)) {
        if (chunk.name == "acTL") declared = numberAt(chunk.data, 0);
        if (chunk.name != "fcTL") continue;
        ++controls;
        QVERIFY(numberAt(chunk.data, 4) + numberAt(chunk.data, 12) <= 480);
        QVERIFY(numberAt(chunk.data, 8) + numberAt(chunk.data, 16) <= 270);
        tenths += numberAt(chunk.data, 20, 2);
        QCOMPARE(numberAt(chunk.data, 22, 2), 10u);
    }
    QCOMPARE(controls, declared);
    QCOMPARE(declared, 12u);      // the cursor moves in each
    QCOMPARE(tenths, 11u + 10u);  // the last one stays for a second
    QCOMPARE(chunksOf(file).last().name, QByteArray("IEND"));
}

/// Each frame drawn over what was there before, as a browser does.
void MovieTest::viewersOfAnimationsSeeEachFrame() {
    MoviePainter painter({data_}, small());
    const QList<Chunk> chunks = chunksOf(QByteArray::fromStdString(writeApng(painter)));
    const auto chunk = [](const QByteArray& name, const QByteArray& data) {
        const auto bytes = [](quint32 value) {
            return QByteArray{}
                .append(char(value >> 24))
                .append(char(value >> 16))
                .append(char(value >> 8))
                .append(char(value));
        };
        const QByteArray checked = name + data;
        return bytes(static_cast<quint32>(data.size())) + checked +
               bytes(static_cast<quint32>(crc32(0, reinterpret_cast<const Bytef*>(checked.constData()),
                                                static_cast<uInt>(checked.size()))));
    };
    QImage canvas(480, 270, QImage::Format_RGB32);
    QByteArray header, control, palette;
    int frame = 0;
    for (const Chunk& it : chunks) {
        if (it.name == "IHDR") header = it.data;
        if (it.name == "PLTE" || it.name == "tRNS") palette += chunk(it.name, it.data);
        if (it.name == "fcTL") control = it.data;
        if (it.name != "IDAT" && it.name != "fdAT") continue;
        const QByteArray png =
            QByteArray("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", control.mid(4, 8) + header.mid(8)) + palette +
            chunk("IDAT", it.name == "fdAT" ? it.data.mid(4) : it.data) + chunk("IEND", {});
        const QImage part = QImage::fromData(png, "PNG");
        QVERIFY(!part.isNull());
        QPainter(&canvas).drawImage(
            QPoint(static_cast<int>(numberAt(control, 12)), static_cast<int>(numberAt(control, 16))), part);
        QVERIFY(differing(canvas, painter.frame(frame++)) < fewPixels);
    }
    QCOMPARE(frame, 12);
}

void MovieTest::aGifShowsTheFramesInNearlyTheirColours() {
    MoviePainter painter({data_}, small());
    QByteArray file = QByteArray::fromStdString(writeGif(painter));
    QBuffer buffer(&file);
    QImageReader reader(&buffer, "gif");
    QCOMPARE(reader.imageCount(), 12);
    QCOMPARE(reader.loopCount(), -1);  // without end
    for (int number = 0; number < 12; ++number) {
        const QImage shown = reader.read().convertToFormat(QImage::Format_RGB32),
                     drawn = painter.frame(number);
        QCOMPARE(shown.size(), drawn.size());
        QCOMPARE(reader.nextImageDelay(), number < 11 ? 100 : 1000);
        const int far = differing(shown, drawn);
        QVERIFY2(far < fewPixels, qPrintable(QStringLiteral("%1 in frame %2").arg(far).arg(number)));
    }
}

void MovieTest::theSameOptionsGiveTheSameBytes() {
    MoviePainter one({data_}, small()), other({data_}, small());
    QVERIFY(writeApng(one) == writeApng(other));
    QVERIFY(writeGif(one) == writeGif(other));
}

void MovieTest::framesAreWhatIsPresented() {
    MovieOptions options = small();
    options.size = {1920, 1080};
    MoviePainter painter({data_}, options);
    PictureStyle style;
    style.typePixels = 24;  // 18 pt
    PlayPicture picture({data_}, QFont(), style);
    picture.setSize(options.size);
    QImage shown(options.size, QImage::Format_RGB32);
    QPainter(&shown).fillRect(shown.rect(), Qt::red);
    QPainter brush(&shown);
    picture.paint(brush, 0.1);
    brush.end();
    QCOMPARE(painter.frameAt(0.1), shown);
}

void MovieTest::severalPlansAreInOneMovie() {
    MadeUpPipeline slower;
    slower.policy = "gpipe";
    slower.microbatches = 12;
    const auto other = std::make_shared<const PlayData>(madeUpRun(slower));
    MoviePainter painter({data_, other}, small());
    QCOMPARE(painter.instantOf(painter.options().frameCount() - 1),
             std::max(data_->chart->endS, other->chart->endS));
    QCOMPARE(painter.picture().bands().size(), std::size_t{2});
    QVERIFY(painter.frame(3) != MoviePainter({data_}, small()).frame(3));
}

void MovieTest::framesShowTheCursorWhereTheirInstantIs() {
    MoviePainter painter({data_}, small());
    const QColor accent = Theme::current().accent;
    int last = -1;
    for (int number = 0; number < painter.options().frameCount(); ++number) {
        const QImage image = painter.frame(number);
        int at = -1;
        const int y = painter.picture().bands().front().places().memory.center().y();
        for (int x = 0; x < image.width() && at < 0; ++x)
            if (image.pixelColor(x, y) == accent) at = x;
        QVERIFY(at > last);
        last = at;
    }
    QCOMPARE(painter.instantOf(0), 0.0);
    QCOMPARE(painter.instantOf(painter.options().frameCount() - 1), data_->chart->endS);
}

void MovieTest::framesAreFilesOfTheirSizeInANewFolder() {
    QTemporaryDir folder;
    const QString target = folder.filePath("frames");
    MoviePainter painter({data_}, small());
    double reported = 0;
    WorkContext context;
    context.progress = [&](double fraction) {
        QVERIFY(fraction >= reported);
        reported = fraction;
        QVERIFY(!QDir(target).exists());  // not before all of them are
    };
    writeFrames(painter, target.toStdString(), context);
    QVERIFY(reported > 0.8);
    const QStringList files = QDir(target).entryList(QDir::Files, QDir::Name);
    QCOMPARE(files.size(), 12);
    QCOMPARE(files.first(), QString("frame-0000.png"));
    QCOMPARE(files.last(), QString("frame-0011.png"));
    QCOMPARE(QImage(target + "/frame-0005.png").convertToFormat(QImage::Format_RGB32), painter.frame(5));
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList{"frames"});
}

void MovieTest::whatIsStoppedIsNotThere() {
    QTemporaryDir folder;
    MoviePainter painter({data_}, small());
    std::stop_source stop;
    WorkContext context{stop.get_token(), [&](double fraction) {
                            if (fraction > 0.4) stop.request_stop();
                        }};
    QVERIFY_EXCEPTION_THROWN(writeFrames(painter, folder.filePath("frames").toStdString(), context),
                             Cancelled);
    QVERIFY(QDir(folder.path()).isEmpty());
    QVERIFY_EXCEPTION_THROWN(writeApng(painter, context), Cancelled);
}

void MovieTest::aFolderWithSomethingInItIsLeftAlone() {
    QTemporaryDir folder;
    QFile file(folder.filePath("note.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    MoviePainter painter({data_}, small());
    QVERIFY_EXCEPTION_THROWN(writeFrames(painter, folder.path().toStdString()), InputError);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"note.txt"});
    QVERIFY_EXCEPTION_THROWN(writeFrames(painter, "/proc/nowhere/frames"), InputError);
}

void MovieTest::theClusterIsBesideTheLanesIfWanted() {
    MovieOptions options = small();
    QVERIFY(MoviePainter({data_}, options).picture().bands().front().places().cluster.isEmpty());
    options.style.cluster = true;
    MoviePainter painter({data_}, options);
    const QRect cluster = painter.picture().bands().front().places().cluster;
    QVERIFY(cluster.left() > painter.picture().bands().front().places().lanes.right());
    QCOMPARE(painter.frame(0).pixelColor(cluster.topLeft()), Theme::current().window);
}

void MovieTest::aPartOfThePlanFillsTheChart() {
    MovieOptions options = small();
    options.timeRangeS = {0.1, 0.2};
    MoviePainter painter({data_}, options);
    QCOMPARE(painter.instantOf(0), 0.1);
    QCOMPARE(painter.instantOf(options.frameCount() - 1), 0.2);
    QVERIFY(painter.frame(0) != MoviePainter({data_}, small()).frameAt(0.1));
}

STAGECRAFT_TEST(MovieTest)
#include "movie_test.moc"
