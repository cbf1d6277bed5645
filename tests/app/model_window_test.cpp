// A config.json in the window: opened, dropped or pasted, what it leaves open is asked for.
#include "app/profile/generate_dialog.h"
#include "app/panels/problems_panel.h"
#include "app/profile/model_dialog.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSpinBox>

using namespace stagecraft;

class ModelWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    static QString model(const char* name) {
        return QStringLiteral(STAGECRAFT_SOURCE_DIR "/tests/data/models/huggingface/%1.json")
            .arg(QLatin1String(name));
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aConfigurationIsTakenOnceItsQuestionsAreAnswered() {
        MainWindow window;
        window.show();
        openAndWait(window, model("qwen3-8B_config"));
        QVERIFY(!window.workspace().isOpen());
        auto* dialog = window.findChild<ModelDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        auto* use = dialog->findChild<QPushButton*>(QStringLiteral("useProfile"));
        auto* totals = dialog->findChild<QLabel*>(QStringLiteral("totals"));
        QTRY_VERIFY(use->isEnabled());
        QVERIFY2(totals->text().contains(QStringLiteral("8.19 B parameters")), qPrintable(totals->text()));
        auto* length = dialog->findChild<QSpinBox*>(QStringLiteral("sequence_length"));
        QVERIFY(length);
        QCOMPARE(length->value(), 4096);
        length->setFocus();
        length->selectAll();
        QTest::keyClicks(length, QStringLiteral("512"));
        QVERIFY(!use->isEnabled());
        QTRY_VERIFY(use->isEnabled());
        QTest::mouseClick(use, Qt::LeftButton);
        const LayerProfile& profile = window.workspace().problem().profile;
        QCOMPARE(profile.layerCount(), 38);
        QCOMPARE(profile.layers[0].outputBytes, 2.0 * 512 * 4096);
        QCOMPARE(*profile.parameterCount(), 8190735360.0);
    }

    void oneFromTheClipboardIsAskedAboutToo() {
        QFile file(model("gpt2"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        MainWindow window;
        window.show();
        QGuiApplication::clipboard()->setText(QString::fromUtf8(file.readAll()));
        QAction* import = window.actionRegister().action(QStringLiteral("cluster.importClipboard"));
        QVERIFY(import && import->isEnabled());
        import->trigger();
        QTRY_VERIFY(window.findChild<ModelDialog*>());
        auto* dialog = window.findChild<ModelDialog*>();
        auto* use = dialog->findChild<QPushButton*>(QStringLiteral("useProfile"));
        QTRY_VERIFY(use->isEnabled());
        QTest::mouseClick(use, Qt::LeftButton);
        QCOMPARE(window.workspace().problem().profile.layerCount(), 14);
    }

    void answersThatDoNotGoWithTheModelAreSaidAndNotOffered() {
        MainWindow window;
        window.show();
        openAndWait(window, model("gpt2"));
        auto* dialog = window.findChild<ModelDialog*>();
        QVERIFY(dialog);
        auto* use = dialog->findChild<QPushButton*>(QStringLiteral("useProfile"));
        QTRY_VERIFY(use->isEnabled());
        auto* length = dialog->findChild<QSpinBox*>(QStringLiteral("sequence_length"));
        length->setFocus();
        length->selectAll();
        QTest::keyClicks(length, QStringLiteral("2048"));
        auto* totals = dialog->findChild<QLabel*>(QStringLiteral("totals"));
        QTRY_VERIFY2(totals->text().contains(QStringLiteral("1024 positions")), qPrintable(totals->text()));
        QVERIFY(!use->isEnabled());
    }

    void measuredEfficienciesAreTypedAsAFile() {
        MainWindow window;
        window.show();
        openAndWait(window,
                    QStringLiteral(STAGECRAFT_SOURCE_DIR "/tests/data/models/simumax/llama3-70b.json"));
        auto* dialog = window.findChild<ModelDialog*>();
        QVERIFY(dialog);
        auto* use = dialog->findChild<QPushButton*>(QStringLiteral("useProfile"));
        auto* totals = dialog->findChild<QLabel*>(QStringLiteral("totals"));
        auto* efficiencies = dialog->findChild<QLineEdit*>(QStringLiteral("efficiencies"));
        QVERIFY(efficiencies);
        QTRY_VERIFY(use->isEnabled());
        const auto type = [&](const QString& path) {
            efficiencies->setFocus();
            efficiencies->selectAll();
            QTest::keyClicks(efficiencies, path);
            QTest::keyClick(efficiencies, Qt::Key_Tab);
        };
        const QString system =
            QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/measured/published/simumax-system-b200.json");
        type(system);
        QTRY_VERIFY2(totals->text().contains(QStringLiteral("has 989")), qPrintable(totals->text()));
        QVERIFY(!use->isEnabled());
        auto* gpu = dialog->findChild<QComboBox*>(QStringLiteral("gpu"));
        gpu->setFocus();
        QTest::keyClicks(gpu, QStringLiteral("B200"));
        QTRY_VERIFY2(use->isEnabled(), qPrintable(totals->text()));
        type(QStringLiteral("/nonexistent.json"));
        QTRY_VERIFY2(totals->text().contains(QStringLiteral("/nonexistent.json")),
                     qPrintable(totals->text()));
        type(system);
        QTRY_VERIFY(use->isEnabled());
        QTest::mouseClick(use, Qt::LeftButton);
        const std::string& source = window.workspace().problem().profile.source;
        QVERIFY2(source.find("Measured efficiencies: b200_bf16_ceperm") != std::string::npos, source.c_str());
    }

    void aConfigurationThatIsNotUnderstoodIsAProblemWithItsField() {
        const QString path = home_.file(QStringLiteral("config.json"));
        writeText(path, "{\"model_type\": \"llama\", \"num_hidden_layers\": 0}");
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(!window.findChild<ModelDialog*>());
        QCOMPARE(window.problems().errorCount(), 1);
    }

    void modelsAreFoundByWordsOfTheirNames() {
        GenerateDialog dialog;
        dialog.show();
        auto* find = dialog.findChild<QLineEdit*>(QStringLiteral("findModel"));
        auto* list = dialog.findChild<QListWidget*>(QStringLiteral("models"));
        QVERIFY(find && list);
        QCOMPARE(list->item(0)->text(), QStringLiteral("Llama 3 8B"));
        const auto shown = [&] {
            QStringList names;
            for (int row = 0; row < list->count(); ++row)
                if (!list->item(row)->isHidden()) names << list->item(row)->text();
            return names;
        };
        QTest::keyClicks(find, QStringLiteral("llama 70"));
        QCOMPARE(shown(), (QStringList{QStringLiteral("Llama 3 70B"), QStringLiteral("Llama 2 70B")}));
        find->clear();
        QTest::keyClicks(find, QStringLiteral("korthikanti"));
        QCOMPARE(shown().size(), 4);
        find->clear();
        QTest::keyClicks(find, QStringLiteral("mixtral-8x22b"));
        QCOMPARE(shown(), QStringList{QStringLiteral("Mixtral 8x22B")});
    }

    void whatNobodyChoseIsEachModelsOwn() {
        GenerateDialog dialog;
        dialog.show();
        const auto precision = [&] {
            return dialog.findChild<QComboBox*>(QStringLiteral("precision"))->currentData().toString();
        };
        dialog.chooseModel(QStringLiteral("qwen3-8b"));
        QCOMPARE(precision(), QStringLiteral("bf16"));
        dialog.chooseModel(QStringLiteral("resnet-50"));
        QCOMPARE(precision(), QStringLiteral("fp32"));
        auto* chooser = dialog.findChild<QComboBox*>(QStringLiteral("precision"));
        chooser->setFocus();
        QTest::keyClicks(chooser, QStringLiteral("tf"));
        QCOMPARE(precision(), QStringLiteral("tf32"));
        dialog.chooseModel(QStringLiteral("llama-3-8b"));
        QCOMPARE(precision(), QStringLiteral("tf32"));
    }
};

STAGECRAFT_TEST(ModelWindowTest)
#include "model_window_test.moc"
