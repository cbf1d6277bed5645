// Help inside: pages, links, formulas, pictures, F1, search; and the same in a terminal.
#include "app/document/samples.h"
#include "app/figures/figure_dialog.h"
#include "app/help/help_look.h"
#include "app/help/help_markup.h"
#include "app/help/help_panel.h"
#include "app/help/help_picture.h"
#include "app/help/help_text.h"
#include "app/help/help_topic.h"
#include "app/help/help_view.h"
#include "app/plan/plan_page.h"
#include "app/profile/generate_dialog.h"
#include "app/shell/workbench.h"
#include "tests/app/command_call.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/common/formula.h"
#include "views/common/theme.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QDirIterator>
#include <QDockWidget>
#include <QLineEdit>
#include <QPrinter>
#include <QProcess>
#include <QRegularExpression>
#include <QSpinBox>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextFragment>
#include <QTextTable>

using namespace stagecraft;
using testing::call;
using testing::mentions;

namespace {

/// Where each link of a document leads, as often as it is there.
QStringList linksOf(const QTextDocument& document) {
    QStringList links;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto each = block.begin(); !each.atEnd(); ++each)
            if (const QString target = each.fragment().charFormat().anchorHref(); !target.isEmpty())
                links << target;
    return links;
}

HelpView* helpOf(MainWindow& window) {
    auto* dock = window.findChild<QDockWidget*>(QStringLiteral("helpDock"));
    return dock && dock->isVisible() ? dock->findChild<HelpView*>() : nullptr;
}

/// The rectangle of the first link in view with that text.
QPoint placeOfLink(HelpView& view, const QString& text) {
    QTextCursor found = view.document()->find(text);
    while (!found.isNull() && found.charFormat().anchorHref().isEmpty())
        found = view.document()->find(text, found);
    if (found.isNull()) return {-1, -1};
    found.setPosition(found.selectionStart() + 1);
    view.setTextCursor(found);
    view.ensureCursorVisible();
    return view.cursorRect(found).center() + QPoint(2, 0);
}

}  // namespace

class HelpTest : public QObject {
    Q_OBJECT
    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void everyLinkOfEveryPageLeadsSomewhere() {
        MainWindow window;
        HelpView view(window.actionRegister());
        view.resize(700, 500);
        int pages = 0, followed = 0;
        for (const HelpPage& page : helpPages()) {
            view.showTopic(page.name);
            QCOMPARE(view.page(), &page);
            ++pages;
            for (const QString& link : linksOf(*view.document())) {
                ++followed;
                const QString id = link.section(':', 1);
                if (link.startsWith(QLatin1String("action:")))
                    QVERIFY(window.actionRegister().action(id));
                else if (link.startsWith(QLatin1String("sample:")))
                    QVERIFY(findSample(id));
                else
                    QVERIFY2(findHelpPlace(link, &page), qPrintable(page.name + ": " + link));
            }
        }
        QVERIFY2(pages >= 19 && followed > 100,
                 qPrintable(QStringLiteral("%1, %2").arg(pages).arg(followed)));
    }

    /// *Plan > Present* in italics is an action of the window, by the names that its menus have today.
    void everyMenuEntryThatAPageNamesExists() {
        MainWindow window;
        HelpView view(window.actionRegister());
        static const QRegularExpression entry(
            QStringLiteral("^(File|Edit|View|Cluster|Profile|Plan|Experiment|Help) > "));
        int named = 0;
        for (const HelpPage& page : helpPages()) {
            view.showTopic(page.name);
            for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next())
                for (auto each = block.begin(); !each.atEnd(); ++each) {
                    const QString text = each.fragment().text().simplified();
                    if (!each.fragment().charFormat().fontItalic() || !entry.match(text).hasMatch()) continue;
                    ++named;
                    QVERIFY2(each.fragment().charFormat().anchorHref().startsWith(QLatin1String("action:")),
                             qPrintable(page.name + ": " + text));
                }
        }
        QVERIFY2(named >= 15, qPrintable(QString::number(named)));
    }

    void everyErratumThatIsCitedOpens() {
        static const QRegularExpression number(QLatin1String{erratumPattern});
        QSet<QString> cited;
        for (const HelpPage& page : helpPages())
            for (auto each = number.globalMatch(page.text); each.hasNext();) cited << each.next().captured();
        QVERIFY(cited.size() > 30);
        QVERIFY(cited.contains(QStringLiteral("E-SPP-6")));
        for (const char* room : {"core", "views", "app", "samples"}) {
            QDirIterator files(QStringLiteral(STAGECRAFT_SOURCE_DIR "/") + QLatin1String(room), QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                const QString text = QString::fromUtf8(file.readAll());
                for (auto each = number.globalMatch(text); each.hasNext();) cited << each.next().captured();
            }
        }
        for (const QString& erratum : cited) QVERIFY2(findHelpPlace(erratum), qPrintable(erratum));
        QCOMPARE(findHelpPlace(QStringLiteral("E-VP-9"))->page->name, QStringLiteral("VPIPE"));
        QVERIFY(!findHelpPlace(QStringLiteral("E-SPP-99")));
    }

    void theContentsListEveryPageOnce() {
        const HelpPage& contents = helpPages().front();
        QCOMPARE(contents.name, QStringLiteral("CONTENTS"));
        for (const HelpPage& page : helpPages())
            if (&page != &contents)
                QVERIFY2(contents.text.contains("](" + page.name + ".md)"), qPrintable(page.name));
    }

    void everyTopicOfTheWindowIsAPlaceInHelp() {
        for (const auto& [type, topic] : helpTopics())
            QVERIFY2(findHelpPlace(QString::fromLatin1(topic)),
                     qPrintable(QStringLiteral("%1: %2").arg(type, topic)));
    }

    void f1OpensHelpAboutWhatHasTheFocus() {
        MainWindow window;
        window.resize(1600, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, QStringLiteral("sample:gpipe-1f1b"));
        auto* microbatches = window.findChild<QSpinBox*>(QStringLiteral("microbatches"));
        microbatches->setFocus();
        QTest::keyClick(microbatches, Qt::Key_F1);
        HelpView* help = helpOf(window);
        QVERIFY(help);
        QCOMPARE(help->page()->name, QStringLiteral("PLANNING"));
        // It begins where the setup is explained.
        QTRY_VERIFY(help->verticalScrollBar()->value() > 0);
        window.workbench().showCluster();
        auto* canvas = window.workbench().topology()->findChild<TopologyCanvas*>();
        QVERIFY(canvas);
        canvas->setFocus();
        QTest::keyClick(canvas, Qt::Key_F1);
        QCOMPARE(help->page()->name, QStringLiteral("CLUSTERS"));
        window.workspace().undoStack()->setClean();
    }

    void f1InADialogueOpensAWindowOverIt() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, QStringLiteral("sample:gpipe-1f1b"));
        QTRY_VERIFY(window.actionRegister().action(QStringLiteral("file.export"))->isEnabled());
        bool asked = false;
        // The dialogue keeps the action to itself until it is closed.
        QTimer::singleShot(0, qApp, [&] {
            auto* dialog = qobject_cast<FigureDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            QTest::keyClick(dialog, Qt::Key_F1);
            auto* help = dialog->findChild<HelpPanel*>(QStringLiteral("helpWindow"));
            asked = help && help->isVisible() && help->view().page()->name == QLatin1String("FIGURES");
            dialog->reject();
        });
        window.actionRegister().action(QStringLiteral("file.export"))->trigger();
        QVERIFY(asked);
        QVERIFY(!helpOf(window));
    }

    /// Esc and Ctrl+W close help, and what has the focus then is what had it; the project stays open.
    void helpClosesByItsKeys() {
        MainWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.openSample(QStringLiteral("fig2-toy"));
        window.workbench().showCluster();
        QWidget* canvas = window.workbench().topology()->canvas();
        for (const auto& [key, modifiers] :
             {std::pair(Qt::Key_Escape, Qt::NoModifier), std::pair(Qt::Key_W, Qt::ControlModifier)}) {
            canvas->setFocus();
            window.actionRegister().action(QStringLiteral("help.help"))->trigger();
            HelpView* view = helpOf(window);
            QVERIFY(view);
            view->setFocus();
            QTest::keyClick(view, key, modifiers);
            QVERIFY(!helpOf(window));
            QVERIFY(window.workspace().isOpen());
            QVERIFY(canvas->hasFocus());
        }
        window.workspace().undoStack()->setClean();
    }

    void helpOverADialogueClosesByItsKeys() {
        MainWindow window;
        window.show();
        GenerateDialog dialog(&window);
        dialog.show();
        QTest::keyClick(&dialog, Qt::Key_F1);
        auto* help = dialog.findChild<HelpPanel*>(QStringLiteral("helpWindow"));
        QVERIFY(help && help->isVisible());
        help->view().setFocus();
        QTest::keyClick(&help->view(), Qt::Key_Escape);
        QTRY_VERIFY(!dialog.findChild<HelpPanel*>(QStringLiteral("helpWindow")));
        QVERIFY(dialog.isVisible());
    }

    void thePageOfExperimentsBeginsWithTheWindow() {
        for (const HelpPage& page : helpPages())
            if (page.name == QLatin1String("EXPERIMENTS"))
                QVERIFY(page.text.indexOf(QStringLiteral("```sh")) >
                        page.text.indexOf(QStringLiteral("## Custom experiments, by mouse")));
    }

    /// What a command is about has lines of its own, where both have no room on one.
    void commentsOfCommandsAreNotBroken() {
        const HelpMarkup page = readMarkup(
            "```sh\nstagecraft plan P --all --of --these   # which says a lot of things, at length, and "
            "more\n"
            "stagecraft short   # brief\n```\n",
            "page");
        QCOMPARE(page.markdown,
                 QStringLiteral(
                     "```sh\n# which says a lot of things, at length, and more\nstagecraft plan P --all "
                     "--of --these\nstagecraft short   # brief\n```\n\n"));
    }

    void aLinkGoesAndBackReturns() {
        MainWindow window;
        window.resize(1600, 900);
        window.show();
        window.actionRegister().action(QStringLiteral("help.contents"))->trigger();
        HelpView* help = helpOf(window);
        QVERIFY(help);
        QCOMPARE(help->page()->name, QStringLiteral("CONTENTS"));
        QTest::mouseClick(help->viewport(), Qt::LeftButton, {},
                          placeOfLink(*help, QStringLiteral("Glossary")));
        QCOMPARE(help->page()->name, QStringLiteral("GLOSSARY"));
        auto* back = window.findChild<QAbstractButton*>(QStringLiteral("helpBack"));
        QTest::mouseClick(back, Qt::LeftButton);
        QCOMPARE(help->page()->name, QStringLiteral("CONTENTS"));
        QVERIFY(!back->isEnabled());
        QTest::keyClick(help, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(help->page()->name, QStringLiteral("GLOSSARY"));
    }

    void aLinkRunsACommandAndOneOpensASample() {
        MainWindow window;
        window.resize(1600, 900);
        window.show();
        window.actionRegister().action(QStringLiteral("help.contents"))->trigger();
        HelpView* help = helpOf(window);
        help->showTopic(QStringLiteral("XPIPE"));
        QTest::mouseClick(help->viewport(), Qt::LeftButton, {},
                          placeOfLink(*help, QStringLiteral("Without a barrier on four GPUs")));
        QTRY_VERIFY(window.workspace().isOpen());
        QCOMPARE(window.workspace().title(),
                 QString::fromStdString(findSample(QStringLiteral("xpipe-fig1"))->project->name));
        help->showTopic(QStringLiteral("PLANNING"));
        QTest::mouseClick(help->viewport(), Qt::LeftButton, {},
                          placeOfLink(*help, QStringLiteral("View > Compare plans")));
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("compare"));
        window.workspace().undoStack()->setClean();
    }

    void aSearchListsSectionsAndOneClickReadsThem() {
        MainWindow window;
        window.resize(1600, 900);
        window.show();
        window.actionRegister().action(QStringLiteral("help.search"))->trigger();
        HelpView* help = helpOf(window);
        auto* search = window.findChild<QLineEdit*>(QStringLiteral("helpSearch"));
        QTest::keyClicks(search, QStringLiteral("zyxw"));
        QVERIFY(help->toPlainText().startsWith(QLatin1String("Nothing about")));
        search->clear();
        QTest::keyClicks(search, QStringLiteral("Belady"));
        QVERIFY(help->page() == nullptr);
        search->clear();
        QTest::keyClicks(search, QStringLiteral("out of date"));
        QVERIFY2(help->toPlainText().contains(QStringLiteral("sections with “out of date”")),
                 qPrintable(help->toPlainText().left(80)));
        QTest::mouseClick(help->viewport(), Qt::LeftButton, {},
                          placeOfLink(*help, QStringLiteral("Planning: The setup")));
        QVERIFY(help->page());
        QCOMPARE(help->page()->name, QStringLiteral("PLANNING"));
        // All letters that were typed are one step back.
        help->goBack();
        QVERIFY(!help->page());
        help->goBack();
        QCOMPARE(help->page()->name, QStringLiteral("CONTENTS"));
    }

    void formulasAreReadAndRefused() {
        QCOMPARE(formulaText(parseFormula(QStringLiteral("\\frac{p-1}{m+p-1}"))),
                 QStringLiteral("(p − 1) / (m + p − 1)"));
        QCOMPARE(formulaText(parseFormula(QStringLiteral("T_f^{2} \\le \\max_i A_{i}"))),
                 QStringLiteral("T_f^2 ≤ max_i A_i"));
        QCOMPARE(formulaText(parseFormula(QStringLiteral("-x \\cdot \\frac{a}{b}"))),
                 QStringLiteral("−x·a / b"));
        QCOMPARE(formulaText(parseFormula(QStringLiteral("\\hat{T} \\oplus \\bar{v}"))),
                 QString::fromUtf8("T\u0302 ⊕ v\u0304"));
        QCOMPARE(formulaText(parseFormula(QStringLiteral("\\text{rows in all}"))),
                 QStringLiteral("rows in all"));
        QCOMPARE(formulaText(parseFormula(QStringLiteral("\\frac{2(k-1)}{k} W"))),
                 QStringLiteral("(2(k − 1) / k) W"));
        // As TeX reads it: "P$_1$" is a name with a subscript.
        QCOMPARE(formulaText(parseFormula(QStringLiteral("_a"))), QStringLiteral("_a"));
        for (const char* wrong : {"\\frac{a}", "{a", "a}", "\\nothing", "a_b_c", "\\text a", "a_"})
            QVERIFY_EXCEPTION_THROWN(parseFormula(QLatin1String(wrong)), std::invalid_argument);
    }

    void aFractionIsTallerThanALetterAndItsBarIsDrawn() {
        const QImage letter = drawFormula(parseFormula(QStringLiteral("p")), 12, Qt::black, 1);
        const QImage fraction =
            drawFormula(parseFormula(QStringLiteral("\\frac{p}{m+p-1}")), 12, Qt::black, 1);
        QVERIFY(fraction.height() > 1.6 * letter.height());
        // Some row is inked all along: the bar.
        int longest = 0;
        for (int y = 0; y < fraction.height(); ++y) {
            int run = 0;
            for (int x = 0; x < fraction.width(); ++x)
                run = qAlpha(fraction.pixel(x, y)) > 60 ? run + 1 : 0, longest = std::max(longest, run);
        }
        QVERIFY2(longest > fraction.width() / 2, qPrintable(QString::number(longest)));
    }

    void whatAPageHoldsWronglyIsSaidWithItsLine() {
        const auto complaint = [](const char* text) {
            try {
                readMarkup(QString::fromUtf8(text), "P.md");
            } catch (const InputError& error) {
                return QString::fromUtf8(error.what());
            }
            return QString();
        };
        QVERIFY(complaint("a\n\nb $\\frac{a}$ c").startsWith(QLatin1String("P.md: line 3: ")));
        QVERIFY(complaint("```figure\n{}\n```").contains(QLatin1String("sample")));
        QVERIFY(complaint("x\n```figure\n{").startsWith(QLatin1String("P.md: line 2: ")));
        QVERIFY(complaint("$$ a").contains(QLatin1String("$$")));
        QCOMPARE(complaint("`$not a formula_$`"), QString());
    }

    void plansThatArePlayedAreAPictureToo() {
        const QString block =
            "```figure\n{\"sample\": \"schedules\", \"plan\": \"GPipe\", \"with\": \"%1\", "
            "\"view\": \"playing\"}\n```";
        QTextDocument document;
        showMarkdown(document, block.arg("1F1B"), "P.md", {&Theme::light(), 2, 600, {}});
        const QImage image =
            document.resource(QTextDocument::ImageResource, QUrl(QStringLiteral("picture:0")))
                .value<QImage>();
        QCOMPARE(image.width(), 1200);
        QVERIFY_EXCEPTION_THROWN(
            showMarkdown(document, block.arg("no such"), "P.md", {&Theme::light(), 2, 600, {}}), InputError);
    }

    void picturesAreDrawnFromSamplesAndFitThePage() {
        for (const int width : {360, 900}) {
            QTextDocument document;
            showMarkdown(document, findHelpPlace(QStringLiteral("GLOSSARY"))->page->text, "GLOSSARY.md",
                         {&Theme::current(), 2, static_cast<double>(width), {}});
            const QVariant picture =
                document.resource(QTextDocument::ImageResource, QUrl(QStringLiteral("picture:1")));
            QVERIFY(picture.isValid());
            const QImage image = picture.value<QImage>();
            QVERIFY(image.width() <= 2 * width && image.width() > width / 2);
            // Not a white sheet.
            QSet<QRgb> colours;
            for (int x = 0; x < image.width(); x += 3)
                for (int y = 0; y < image.height(); y += 3) colours << image.pixel(x, y);
            QVERIFY(colours.size() > 5);
        }
    }

    void ofEachPictureTheLastWidthIsKept() {
        const HelpPicture picture =
            readHelpPicture(QStringLiteral("{\"sample\": \"schedules\", \"plan\": \"1F1B\"}"), "test");
        const Figure& narrow = drawHelpPicture(picture, 100);
        const FigureItem* items = narrow.items.data();
        QCOMPARE(drawHelpPicture(picture, 100).items.data(), items);  // not drawn again
        for (const double pageMm : {110, 120, 130}) {
            const Figure& wider = drawHelpPicture(picture, pageMm);
            QCOMPARE(&wider, &narrow);
            QCOMPARE(wider.widthMm, pageMm);
        }
    }

    void tablesAreNoWiderThanThePage() {
        QTextDocument document;
        document.setTextWidth(400);
        for (const HelpPage& page : helpPages()) {
            showMarkdown(document, page.text, page.name.toStdString(), {&Theme::current(), 1, 400, {}});
            for (QTextFrame* frame : document.rootFrame()->childFrames()) {
                auto* table = qobject_cast<QTextTable*>(frame);
                if (!table) continue;
                double width = 0;
                for (const QTextLength& column : table->format().columnWidthConstraints())
                    width += column.rawValue();
                QVERIFY2(width <= 400, qPrintable(page.name));
            }
        }
    }

    /// Qt goes through a document's parts at each change of it, which made most of the time of long pages.
    void aPageIsMadeInFewChangesOfItsDocument() {
        for (const HelpPage& page : helpPages()) {
            QTextDocument document;
            int changes = 0, tables = 0;
            connect(&document, &QTextDocument::contentsChanged, &document, [&] { ++changes; });
            showMarkdown(document, page.text, page.name.toStdString(), {&Theme::current(), 1, 400, {}});
            for (QTextFrame* frame : document.rootFrame()->childFrames())
                if (const auto* table = qobject_cast<QTextTable*>(frame)) tables += 1 + table->columns();
            QVERIFY2(changes <= 8 + tables, qPrintable(QStringLiteral("%1: %2").arg(page.name).arg(changes)));
        }
    }

    void aPageIsPrintedInDarkOnWhite() {
        applyTheme(*qApp, ThemeChoice::dark);
        MainWindow window;
        HelpView view(window.actionRegister());
        view.showTopic(QStringLiteral("GLOSSARY"));
        QPrinter printer(QPrinter::HighResolution);
        printer.setOutputFormat(QPrinter::PdfFormat);
        printer.setOutputFileName(home_.file(QStringLiteral("glossary.pdf")));
        printMarkdown(printer, view.text(), view.file().toStdString());
        applyTheme(*qApp, ThemeChoice::light);
        QFile pdf(home_.file(QStringLiteral("glossary.pdf")));
        QVERIFY(pdf.open(QIODevice::ReadOnly));
        QVERIFY(pdf.read(5) == "%PDF-" && pdf.size() > 20'000);
    }

    void theTerminalKeepsCodeAndTheWordsOfTablesWhole() {
        QCOMPARE(withoutMarks(QStringLiteral("**a** *b* `C.*`, `x ** y` and [`d*`](E.md)")),
                 QStringLiteral("a b C.*, x ** y and d*"));
        const std::string measured = call({"help", "measured"}).out;
        QVERIFY(mentions(measured, "MeasuredMegatron.* recompute"));
        // The name that is as long as its column does not run into the next one.
        QVERIFY(mentions(measured, "\nkorthikanti-activations  8 "));
    }

    void theTerminalShowsPagesErrataAndHits() {
        const auto lines = [](const std::string& text) { return QString::fromStdString(text).split('\n'); };
        const auto glossary = call({"help", "glossary"});
        QCOMPARE(glossary.status, 0);
        QVERIFY(mentions(glossary.out, "(p − 1) / (m + p − 1)") &&
                mentions(glossary.out, "stagecraft export"));
        for (const QString& line : lines(glossary.out)) QVERIFY2(line.size() <= 80, qPrintable(line));
        const auto erratum = call({"help", "E-SPP-6"});
        QVERIFY(mentions(erratum.out, "Lemma 1 is false") && !mentions(erratum.out, "E-SPP-5"));
        const auto section = call({"help", "CHART#notes"});
        QVERIFY(section.out.starts_with("Notes\n-----\n") && !mentions(section.out, "Steady state"));
        QVERIFY(mentions(call({"help", "Belady"}).err, "no command 'Belady'"));
        const auto elsewhere = call({"recording"});
        QVERIFY(elsewhere.status == 2 && mentions(elsewhere.err, "'stagecraft help recording'"));
        QVERIFY(mentions(elsewhere.err, "import") && mentions(elsewhere.err, "compare-run"));
        const std::vector<std::vector<std::string>> asked{{"help"}, {"import", "--help"}, {"edit", "--help"}};
        for (const std::vector<std::string>& words : asked)
            for (const QString& line : lines(call(words).out))
                QVERIFY2(line.size() <= 80 || line.startsWith(QLatin1String("  stagecraft ")),
                         qPrintable(line));
        const auto hits = call({"help", "half", "duplex"});
        QVERIFY(hits.status == 0 && mentions(hits.out, "stagecraft help GLOSSARY#communication"));
        // A command's own help comes first; its page has capitals.
        QVERIFY(mentions(call({"help", "schedules"}).out, "--table"));
        QVERIFY(call({"help", "SCHEDULES"}).out.starts_with("Schedules\n"));
    }

    void theManualAndCompletionsNameEveryCommandAndOption() {
        const std::string manual = call({"help", "--man"}).out;
        const std::string usage = call({"help"}).out;
        static const QRegularExpression command(QStringLiteral("^  ([a-z]+) +[A-Z]"),
                                                QRegularExpression::MultilineOption);
        int commands = 0;
        QStringList scripts;
        for (const char* shell : {"bash", "zsh", "fish"}) {
            const auto script = call({"help", "--completion", shell});
            QCOMPARE(script.status, 0);
            scripts << QString::fromStdString(script.out);
        }
        for (auto each = command.globalMatch(QString::fromStdString(usage)); each.hasNext();) {
            const std::string name = each.next().captured(1).toStdString();
            if (name == "stagecraft") continue;
            ++commands;
            QVERIFY2(mentions(manual, ".SS " + name + "\n"), name.c_str());
            for (const QString& script : scripts) QVERIFY(script.contains(QString::fromStdString(name)));
        }
        QVERIFY(commands >= 18);
        QVERIFY(mentions(manual, "\\fB\\-\\-planner\\fR \\fIID[,ID…]|GOAL\\fR"));
        QVERIFY(scripts[0].contains(QStringLiteral("plan:--optimizer) choices='sgd momentum adam'")));
        QVERIFY(scripts[0].contains(
            QRegularExpression(QStringLiteral("plan:--planner\\) choices='spp [^']* best all none'"))));
        QVERIFY(mentions(call({"help", "--completion", "csh"}).err, "bash, zsh, fish"));
    }

    /// As a shell does it, not by the look of the script.
    void bashCompletes() {
        QFile script(home_.file(QStringLiteral("completion.bash")));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(QByteArray::fromStdString(call({"help", "--completion", "bash"}).out));
        script.close();
        const auto completed = [&](const QString& words) {
            QProcess bash;
            bash.start(
                QStringLiteral("bash"),
                {QStringLiteral("-c"),
                 QStringLiteral(
                     "complete() { :; }; . '%1'; COMP_WORDS=(%2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                     "_stagecraft; echo ${COMPREPLY[@]}")
                     .arg(script.fileName(), words)});
            bash.waitForFinished();
            return QString::fromUtf8(bash.readAllStandardOutput()).trimmed();
        };
        QCOMPARE(completed(QStringLiteral("stagecraft sche")), QStringLiteral("schedules"));
        QCOMPARE(completed(QStringLiteral("stagecraft plan x --channel half")),
                 QStringLiteral("half_duplex half_duplex_fifo"));
        QCOMPARE(completed(QStringLiteral("stagecraft plan x --memory-l")),
                 QStringLiteral("--memory-limit-bytes"));
        QCOMPARE(completed(QStringLiteral("stagecraft plan --schedule zb-s")), QStringLiteral("zb-search"));
    }
};

STAGECRAFT_TEST(HelpTest)
#include "help_test.moc"
