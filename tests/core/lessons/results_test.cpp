#include "core/lessons/results.h"

#include "core/formats/text_file.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

using namespace stagecraft;

namespace {

LessonResults resultsOf(const std::string& name, double credit) {
    return {name,
            "Bubbles",
            {{"Look", "deed", true, 1, 0, 0, false},
             {"Count", "question", true, credit, 2, 1, false},
             {"Fewer", "exercise", false, 0, 0, 0, true}}};
}

struct TemporaryFolder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("stagecraft-results-" + std::to_string(std::rand()));
    TemporaryFolder() { std::filesystem::create_directories(path); }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

std::string complaintAbout(const std::string& text) {
    try {
        readResults(text, "a.lesson-results.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

RC_GTEST_PROP(LessonResultsFile, IsReadBack, (std::string name, std::uint8_t tries, bool done)) {
    std::erase_if(name, [](char letter) { return static_cast<unsigned char>(letter) > 126 || letter < ' '; });
    LessonResults results = resultsOf(name, 0.5);
    results.tasks[1].tries = tries;
    results.tasks[2].done = done;
    RC_ASSERT(readResults(writeResults(results), "a.lesson-results.json") == results);
}

TEST(LessonResultsFile, FaultsAreNamedWithTheirPlace) {
    EXPECT_NE(complaintAbout("{").find("a.lesson-results.json"), std::string::npos);
    std::string text = writeResults(resultsOf("Ada", 0.5));
    text.replace(text.find("0.5"), 3, "1.5");
    EXPECT_EQ(complaintAbout(text),
              "a.lesson-results.json: /tasks/1/credit: it is more than 1; expected a number from 0 to 1");
}

TEST(ClassTable, HasARowForEachAndAColumnForEachTask) {
    const TextCells table = classTable({resultsOf("Ada", 1), resultsOf("Bob", 0.5)});
    ASSERT_EQ(table.columns.size(), 10u);
    EXPECT_EQ(table.columns[8].heading, "Count");
    EXPECT_EQ(table.rows[1], (std::vector<std::string>{"Bob", "Bubbles", "25 %", "2 of 3", "2", "1", "1",
                                                       "100 %", "50 %", "–"}));
    LessonResults other = resultsOf("Cyd", 1);
    other.lesson = "Memory";
    EXPECT_EQ(classTable({resultsOf("Ada", 1), other}).columns[8].heading, "Task 2");
}

TEST(ClassResults, AreOfAFolderWithoutWhatCannotBeRead) {
    const TemporaryFolder folder;
    writeFileAtomically(folder.path / "bob.lesson-results.json", writeResults(resultsOf("Bob", 0.5)));
    writeFileAtomically(folder.path / "ada.lesson-results.json", writeResults(resultsOf("Ada", 1)));
    writeFileAtomically(folder.path / "broken.lesson-results.json", "{}");
    writeFileAtomically(folder.path / "notes.txt", "no results");
    const ClassResults all = collectResults({folder.path, folder.path / "gone.lesson-results.json"});
    ASSERT_EQ(all.results.size(), 2u);
    EXPECT_EQ(all.results[0].name, "Ada");
    ASSERT_EQ(all.faults.size(), 2u);
    EXPECT_NE(std::string(all.faults[0].what()).find("broken.lesson-results.json"), std::string::npos);
    EXPECT_NE(std::string(all.faults[1].what()).find("gone.lesson-results.json"), std::string::npos);
    const TemporaryFolder empty;
    EXPECT_EQ(collectResults({empty.path}).faults.size(), 1u);
}
