// Lessons as files: what is read, and what is refused with its line.
#include "core/formats/input_error.h"
#include "core/lessons/lesson_reader.h"

#include <gtest/gtest.h>

namespace stagecraft::lessons {
namespace {

const std::string head =
    "---\nsample: schedules\nminutes: 5\nabout: A sentence.\n---\n\n# Title\n\nText.\n\n";

Lesson read(const std::string& body) { return readLesson(head + body, "l.lesson.md"); }

std::string complaint(const std::string& text) {
    try {
        readLesson(text, "l.lesson.md");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(LessonReader, ReadsHeadStepsAndBlocks) {
    const Lesson lesson = read(
        "## First\n\nLook.\n\n```show\nplan: 1F1B\ntime: 0 ms..10 ms\ncolour: chunk\n```\n\n"
        "```ask\nquestion: Which?\nchoice: a\nright: b\nchoice: c\nwhy: too late\nhint: one\nhint: "
        "two\n```\n");
    EXPECT_EQ(lesson.title, "Title");
    EXPECT_EQ(lesson.minutes, 5);
    ASSERT_EQ(lesson.steps.size(), 2u);
    const LessonStep& step = lesson.steps[1];
    EXPECT_EQ(step.show.plan, "1F1B");
    EXPECT_EQ(step.show.timeS, std::make_pair(0.0, 0.01));
    const auto& question = std::get<Question>(step.task);
    ASSERT_EQ(question.choices.size(), 3u);
    EXPECT_EQ(question.choices[1], (Choice{"b", true, ""}));
    EXPECT_EQ(question.choices[2], (Choice{"c", false, "too late"}));
    EXPECT_EQ(question.choices[0].why, "");
    EXPECT_EQ(hintsOf(step.task), (std::vector<std::string>{"one", "two"}));
}

TEST(LessonReader, KeepsOtherBlocksAsText) {
    const Lesson lesson = read("```figure\n{\"sample\": \"schedules\"}\n```\n\n```\n# no heading\n```\n");
    ASSERT_EQ(lesson.steps.size(), 1u);
    EXPECT_NE(lesson.steps[0].text.find("# no heading"), std::string::npos);
    EXPECT_NE(lesson.steps[0].text.find("```figure"), std::string::npos);
}

TEST(LessonReader, ReadsExercisesInTheUnitOfTheirMetric) {
    const Lesson lesson = read(
        "```exercise\ntext: Do it.\nplan: 1F1B\nmetric: bubble_fraction\ntarget: 10 %\n"
        "best_schedule: zb-v\nmust_fit: yes\nno_longer_than: 30 ms\nmay_change: setup\n```\n");
    const auto& exercise = std::get<Exercise>(lesson.steps[0].task);
    EXPECT_DOUBLE_EQ(exercise.target, 0.1);
    EXPECT_DOUBLE_EQ(*exercise.longestS, 0.03);
    EXPECT_TRUE(exercise.mustFit);
    EXPECT_EQ(exercise.may, "setup");
}

TEST(LessonReader, ANameWithACommaStandsBetweenQuotationMarks) {
    const Lesson lesson = read("Look.\n\n```show\ncharts: \"Shared, two barriers\", Interlaced\n```\n");
    EXPECT_EQ(lesson.steps[0].show.charts, (std::vector<std::string>{"Shared, two barriers", "Interlaced"}));
}
TEST(LessonReader, AValueMayGoOnInTheNextLine) {
    const Lesson lesson = read("```do\ntext: Click\n  here.\ntab: compare\n```\n");
    EXPECT_EQ(std::get<Deed>(lesson.steps[0].task).text, "Click here.");
}

struct Wrong {
    const char* body;
    const char* said;  ///< with the line
};

TEST(LessonReader, SaysWhatIsWrongAndWhere) {
    const Wrong wrong[] = {
        {"```do\ntext: x\n```\n", "line 11: nothing to wait for"},
        {"Look.\n\n```show\ncharts: \"Shared, two\n```\n",
         "line 14: a quotation mark of '\"Shared, two' has"},
        {"```do\ntext: x\ntab: chart\n```\n", "line 13: 'chart' is no tab"},
        {"```ask\nquestion: x\n```\n", "line 11: how it is answered"},
        {"```ask\nquestion: x\nchoice: a\nchoice: b\n```\n", "line 11: 0 of 2 choices"},
        {"```ask\nquestion: x\nnumber: many\n```\n", "line 13: 'many'"},
        {"```ask\nquestion: x\nnumber: 3 lightyears\n```\n", "line 13: the unit 'lightyears' is not known"},
        {"```ask\nquestion: x\nright: a\nwhy: no\nchoice: b\n```\n", "line 14: 'why' says"},
        {"```ask\nquestion: x\nwhy: no\nright: a\nchoice: b\n```\n", "line 13: 'why' says"},
        {"```ask\nquestion: x\nright: a\nchoice: b\nnumber: 3\n```\n", "line 11: how it is answered"},
        {"```ask\nquestion: x\nmetric: speed\nplan: p\n```\n", "line 13: 'speed' is no metric"},
        {"```ask\nquestion: x\nnumber: 3\ntolerance: 2\n```\n", "line 14: '2'"},
        {"```ask\nquestion: x\nquestion: y\nnumber: 3\n```\n", "line 13: 'question' is there twice"},
        {"```exercise\nplan: p\n```\n", "line 11: the field 'text' is missing"},
        {"```exercise\ntext: t\nplan: p\nmetric: iteration_time_s\ntarget: 3\n```\n", "'3'"},
        {"```show\nplam: p\n```\n", "line 12: the field 'plam' is not known (did you mean 'plan'?)"},
        {"```show\nkeep: p\n```\n", "line 11: keep, microbatches"},
        {"```show\ntime: 3 ms\n```\n", "line 12: '3 ms' is no range"},
        {"```show\ntime: 3 ms..2 ms\n```\n", "line 12: the range is empty"},
        {"```show\nplan: p\n```\n\n```show\nplan: p\n```\n", "line 15: a second 'show'"},
        {"```do\ntext: x\ntab: cluster\n```\n```do\ntext: x\ntab: cluster\n```\n", "line 15: a second task"},
        {"```do\ntext: x\n", "line 11: the block does not end"},
        {"```do\nno field\n```\n", "line 12: 'no field' has no field"},
        {"## Empty\n", "line 11: the step is empty"},
        {"# Second\n", "line 11: a second title"},
        {"```show\nmicrobatches: 0\nsample: schedules\n```\n", "line 12: '0' is no whole number"},
    };
    for (const Wrong& each : wrong) {
        const std::string said = complaint(head + each.body);
        EXPECT_NE(said.find(each.said), std::string::npos) << each.body << "\n" << said;
        EXPECT_EQ(said.rfind("l.lesson.md: ", 0), 0u) << said;
    }
    EXPECT_NE(complaint("# Title\n").find("line 1: the head is missing"), std::string::npos);
    EXPECT_NE(complaint("---\nsample: s\nabout: a\n---\n## Step\n").find("line 5: a step before the title"),
              std::string::npos);
    EXPECT_NE(complaint("").find("the head is missing"), std::string::npos);
}

/// Whatever the bytes are, it is a lesson or a complaint.
TEST(LessonReader, SurvivesEveryCutAndEveryLostLine) {
    const std::string whole =
        head + "## S\n\nx\n\n```show\nplan: p\n```\n```ask\nquestion: x\nnumber: 3 ms\n```\n";
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        complaint(whole.substr(0, cut));
        complaint(whole.substr(cut));
    }
}

}  // namespace
}  // namespace stagecraft::lessons
