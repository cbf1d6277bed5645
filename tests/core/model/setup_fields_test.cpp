// The one description of the training setup, and what is made of it.
#include "core/formats/files/project_file.h"
#include "core/formats/text_file.h"
#include "core/model/problem_hash.h"
#include "core/model/setup_fields.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <set>

namespace stagecraft {
namespace {

/// Another value than the default.
ParameterValue otherValue(const SetupField& field) {
    const ParameterValue& usual = field.value.defaultValue;
    if (const bool* flag = std::get_if<bool>(&usual)) return !*flag;
    if (const int* whole = std::get_if<int>(&usual)) return *whole + 1;
    if (const std::string* choice = std::get_if<std::string>(&usual))
        return *choice == field.value.choices.back() ? field.value.choices.front()
                                                     : field.value.choices.back();
    return field.value.maximum / 3;
}

TEST(SetupFields, EachReadsAndWritesItsOwnMemberAlone) {
    std::set<std::string> names, phrases;
    for (const SetupField& field : setupFields()) {
        SCOPED_TRACE(field.value.name);
        EXPECT_TRUE(names.insert(field.value.name).second);
        EXPECT_TRUE(phrases.insert(field.phrase).second);
        TrainingSetup setup;
        EXPECT_EQ(field.get(setup), field.value.defaultValue);
        EXPECT_EQ(changedField(setup, setup), nullptr);
        field.set(setup, otherValue(field));
        EXPECT_EQ(field.get(setup), otherValue(field));
        EXPECT_EQ(changedField(TrainingSetup{}, setup), &field);
        for (const SetupField& other : setupFields())
            if (&other != &field) {
                EXPECT_EQ(other.get(setup), other.value.defaultValue) << other.value.name;
            }
        field.set(setup, field.value.defaultValue);
        EXPECT_EQ(setup, TrainingSetup{});
    }
}

TEST(SetupFields, FilesKeepEachAndTheHashSeesIt) {
    Project project;
    project.problem.profile.layers.push_back({"l", 1, 2, 1, 1, 1, 1, 1});
    project.problem.cluster.devices = {{"g", "s", "", 1, 1, 0}};
    const std::string usual = hashOf(project.problem).setup;
    for (const SetupField& field : setupFields()) {
        SCOPED_TRACE(field.value.name);
        Project changed = project;
        field.set(changed.problem.setup, otherValue(field));
        EXPECT_EQ(readProject(writeProject(changed), "F", {}).problem.setup, changed.problem.setup);
        EXPECT_EQ(hashOf(changed.problem).setup != usual, field.isHashed);
    }
}

/// Words for people are as many as what they stand for, and the manual has each field.
TEST(SetupFields, EachIsDescribed) {
    const std::string manual = readTextFile(STAGECRAFT_SOURCE_DIR "/resources/help/FORMATS.md");
    for (const SetupField& field : setupFields()) {
        SCOPED_TRACE(field.value.name);
        EXPECT_EQ(field.choiceLabels.size(), field.value.choices.size());
        for (const std::string& text :
             {field.value.label, field.value.description, field.phrase, field.placeholder})
            EXPECT_FALSE(text.empty());
        EXPECT_FALSE(field.optionHelp.empty() && field.value.choices.empty());
        EXPECT_NE(manual.find("| `" + field.value.name + "` |"), std::string::npos);
        for (const std::string& choice : field.value.choices)
            EXPECT_NE(manual.find("`" + choice + "`"), std::string::npos) << choice;
    }
}

/// Without the unit that files have in its name.
TEST(SetupFields, AnAxisOverOneIsNamedForPeople) {
    for (const SetupField& field : setupFields()) {
        const std::string name = field.axisName();
        EXPECT_EQ(name.find('_'), std::string::npos) << name;
        EXPECT_FALSE(name.ends_with(" s") || name.ends_with(" bytes")) << name;
    }
}

}  // namespace
}  // namespace stagecraft
