// A list whose copies share chunks, against std::vector, which shares nothing.
#include "core/base/shared_list.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

namespace stagecraft {
namespace {

using List = SharedList<std::string>;
using Plain = std::vector<std::string>;

std::size_t upTo(std::size_t most) { return *rc::gen::inRange<std::size_t>(0, most + 1); }

Plain words(std::size_t count) {
    Plain all;
    for (std::size_t i = 0; i < count; ++i) all.push_back("entry " + std::to_string(upTo(9)));
    return all;
}

/// One step on both, of those that a list can.
void change(List& list, Plain& plain) {
    const std::size_t at = upTo(plain.size());
    const auto place = static_cast<std::ptrdiff_t>(at);
    const Plain few = words(upTo(3));
    switch (upTo(8)) {
        case 0:
            list.insert(list.begin() + place, few.begin(), few.end());
            plain.insert(plain.begin() + place, few.begin(), few.end());
            return;
        case 1: {
            const auto last = static_cast<std::ptrdiff_t>(at + upTo(plain.size() - at));
            list.erase(list.begin() + place, list.begin() + last);
            plain.erase(plain.begin() + place, plain.begin() + last);
            return;
        }
        case 2:
            list.resize(at + 300, "filler");
            plain.resize(at + 300, "filler");
            return;
        case 3: {
            const auto goes = [&](const std::string& entry) { return entry == "entry 3"; };
            RC_ASSERT(list.eraseIf(goes) == std::erase_if(plain, goes));
            return;
        }
        case 4:
            std::sort(list.begin(), list.end());
            std::sort(plain.begin(), plain.end());
            return;
        case 5:
            if (at == plain.size()) return list.push_back("last"), plain.push_back("last");
            list.set(at, "set");
            plain[at] = "set";
            return;
        case 6:
            if (plain.empty()) return;
            list.pop_back();
            plain.pop_back();
            return;
        default:
            if (at == plain.size()) return;
            list[at] += "x";
            plain[at] += "x";
    }
}

RC_GTEST_PROP(SharedList, CopiesStayAsTheyWereWhateverIsChanged, ()) {
    std::vector<std::pair<List, Plain>> all(1);
    all[0].second = words(upTo(1) ? 600 : 20);
    all[0].first = all[0].second;
    for (int step = 0; step < 20; ++step) {
        const std::size_t which = upTo(all.size() - 1);
        if (all.size() < 6 && upTo(2) == 0)
            all.push_back(all[which]);
        else
            change(all[which].first, all[which].second);
    }
    for (const auto& [list, plain] : all) {
        RC_ASSERT(Plain(list) == plain);
        RC_ASSERT(list.size() == plain.size() && list.empty() == plain.empty());
        for (const auto& [other, plainOther] : all) {
            RC_ASSERT((list == other) == (plain == plainOther));
            const auto differ =
                std::mismatch(plain.begin(), plain.end(), plainOther.begin(), plainOther.end());
            RC_ASSERT(std::ssize(plain) >= differ.first - plain.begin());
            RC_ASSERT(list.commonBeginning(other) == static_cast<std::size_t>(differ.first - plain.begin()));
            const auto end =
                std::mismatch(plain.rbegin(), plain.rend(), plainOther.rbegin(), plainOther.rend());
            const auto alike = static_cast<std::size_t>(end.first - plain.rbegin());
            RC_ASSERT(list.commonEnd(other, std::min(plain.size(), plainOther.size())) == alike);
            RC_ASSERT(list.commonEnd(other, alike / 2) == alike / 2);
        }
    }
}

TEST(SharedList, WhatIsWrittenThroughAReferenceChangesNoCopy) {
    List list(Plain(1000, "as it was"));
    std::string& entry = list[300];
    std::string& last = list.back();
    const List copy = list;
    entry = last = "written later";
    EXPECT_EQ(copy, List(Plain(1000, "as it was")));
    EXPECT_EQ(list[300], "written later");
    EXPECT_EQ(list[999], "written later");
}

TEST(SharedList, ACopyWithOneChangeSharesTheRest) {
    const List list(Plain(1000, "as it was"));
    List changed = list;
    changed[300] = "changed";
    std::size_t compared = 0;
    changed.forEachUnshared(list, [&](std::size_t first, std::size_t last) {
        EXPECT_LE(first, 300u);
        EXPECT_GT(last, 300u);
        compared += last - first;
    });
    EXPECT_LT(compared, 500u);
    EXPECT_EQ(&list[900], &std::as_const(changed)[900]);
}

/// What a thread sanitizer looks at: the last of several owners changes a chunk that others have copied.
TEST(SharedList, CopiesOnSeveralThreadsAreEachTheirOwn) {
    for (int round = 0; round < 20; ++round) {
        std::vector<List> lists(4, List(Plain(1000, "as it was")));
        std::vector<std::jthread> threads;
        for (std::size_t thread = 0; thread < lists.size(); ++thread)
            threads.emplace_back([&own = lists[thread], thread] {
                for (std::size_t at = thread; at < own.size(); at += 100) own.set(at, std::to_string(thread));
                const List copy = own;
                own[500] = copy[550];
            });
        threads.clear();
        for (std::size_t thread = 0; thread < lists.size(); ++thread) {
            Plain expected(1000, "as it was");
            for (std::size_t at = thread; at < expected.size(); at += 100)
                expected[at] = std::to_string(thread);
            expected[500] = "as it was";
            EXPECT_EQ(Plain(lists[thread]), expected);
        }
    }
}

}  // namespace
}  // namespace stagecraft
