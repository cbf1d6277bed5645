// Orders of passes as files: PyTorch's pipelining CSV and a plain table.
#include "core/formats/files/import.h"
#include "core/formats/input_error.h"
#include "core/formats/orders/order_table.h"
#include "core/formats/orders/pipelining_csv.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

using namespace stagecraft;

namespace {

/// 1F1B of two ranks and three microbatches.
constexpr auto twoRanks = "0F0,0F1,0B0,0F2,0B1,0B2\r\n1F0,1B0,1F1,1B1,1F2,1B2\r\n";

std::string complaintAbout(const std::string& text) {
    try {
        readPipeliningCsv(text, "o.csv");
    } catch (const InputError& error) {
        return error.place() + ": " + error.problem();
    }
    return "none";
}

using Rows = std::vector<std::vector<std::string>>;
Rows rowsOf(const std::string& text) {
    Rows rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_EQ(line.back(), '\r');
        line.pop_back();
        std::istringstream cells(line);
        std::vector<std::string>& row = rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    }
    return rows;
}

Cluster twoDevices() {
    Cluster cluster;
    cluster.devices = {{"a,b"}, {"c"}};
    return cluster;
}

std::string tableComplaint(const std::string& rows) {
    try {
        readOrderTable("device,position,operation\n" + rows, "t.csv", twoDevices());
    } catch (const InputError& error) {
        return error.place() + ": " + error.problem();
    }
    return "none";
}

}  // namespace

TEST(PipeliningCsv, PassesAreReadRankByRankAndWrittenAsTheyWere) {
    const RankOrders orders = readPipeliningCsv(twoRanks, "o.csv");
    EXPECT_EQ(orders.stages(), 2);
    EXPECT_EQ(orders.microbatches(), 3);
    EXPECT_EQ(orders.ranks[0][2], (Task{TaskKind::backward, 0, 0}));
    EXPECT_EQ(writePipeliningCsv(orders, PipeliningForm::computeOnly), twoRanks);
}

TEST(PipeliningCsv, IdleSlotsAndCommunicationAreLeftOut) {
    const RankOrders orders = readPipeliningCsv(twoRanks, "o.csv");
    EXPECT_EQ(readPipeliningCsv("0F0,,0F1,,0B0,0F2,0B1,0B2\n , 1F0,1B0,1F1,1B1,1F2,1B2,\n", "o.csv"), orders);
    EXPECT_EQ(readPipeliningCsv(writePipeliningCsv(orders, PipeliningForm::computeComms), "o.csv"), orders);
}

TEST(PipeliningCsv, ASplitBackwardIsAnInputGradientAndAWeightGradient) {
    const RankOrders orders = readPipeliningCsv("0F0,0I0,0W0\n", "o.csv");
    EXPECT_EQ(orders.ranks[0][1].kind, TaskKind::inputGradient);
    EXPECT_EQ(orders.ranks[0][2].kind, TaskKind::weightGradient);
}

TEST(PipeliningCsv, PairsAndWholeBackwardsBesideSplitOnesComeBackAsTheyWere) {
    const std::string text = "0F0,(0F1;0B0)OVERLAP_F_B,0I1,0W1\r\n";
    const RankOrders orders = readPipeliningCsv(text, "o.csv");
    EXPECT_EQ(orders.ranks[0], (std::vector<Task>{{TaskKind::forward, 0, 0},
                                                  {TaskKind::forward, 0, 1},
                                                  {TaskKind::backward, 0, 0, true},
                                                  {TaskKind::inputGradient, 0, 1},
                                                  {TaskKind::weightGradient, 0, 1}}));
    EXPECT_EQ(writePipeliningCsv(orders, PipeliningForm::computeOnly), text);
    EXPECT_THROW(writePipeliningCsv(orders, PipeliningForm::computeComms), std::invalid_argument);
}

TEST(PipeliningCsv, CommunicationIsAddedAsTheRuntimeDoes) {
    // Worked out by hand from the rule: ranks take turns, a receive follows its send at once.
    const std::string text = writePipeliningCsv(
        readPipeliningCsv("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n", "o.csv"), PipeliningForm::computeComms);
    EXPECT_EQ(text,
              "0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1,0REDUCE_GRAD,0RESHARD\r\n"
              "1UNSHARD,1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1B1,1SEND_B1,1REDUCE_GRAD,1RESHARD\r\n");
}

TEST(PipeliningCsv, EverySendHasItsReceiveInTheSameOrderAndStagesOfARankHaveNone) {
    // A V: stages 0 and 3 on rank 0, 1 and 2 on rank 1.
    const std::string text =
        writePipeliningCsv(readPipeliningCsv("0F0,3F0,3I0,0F1,3F1,3I1,3W0,3W1,0I0,0W0,0I1,0W1\n"
                                             "1F0,2F0,1F1,2F1,2I0,1I0,2I1,1I1,1W0,2W0,1W1,2W1\n",
                                             "o.csv"),
                           PipeliningForm::computeComms);
    std::map<std::string, std::vector<std::string>> sent,
        received;  // by direction, on the way from rank 0 and to it
    const Rows rows = rowsOf(text);
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        int held = 0;
        for (const std::string& cell : rows[rank]) {
            held += cell.find("UNSHARD") != std::string::npos   ? 1
                    : cell.find("RESHARD") != std::string::npos ? -1
                                                                : 0;
            EXPECT_LE(held, 3);
            const std::size_t at =
                cell.find("SEND_") != std::string::npos ? cell.find("SEND_") : cell.find("RECV_");
            if (at == std::string::npos) continue;
            const bool sends = cell[at] == 'S', forward = cell[at + 5] == 'F';
            const int stage = std::stoi(cell);
            // Both by the stage that sends, forward or back.
            const int sender = sends ? stage : stage + (forward ? -1 : 1);
            EXPECT_EQ(sender % 2, forward ? 0 : 1) << cell << " within a rank";
            (sends ? sent : received)[std::to_string(sends ? rank : 1 - rank)].push_back(
                std::to_string(sender) + cell.substr(at + 5));
        }
        EXPECT_EQ(held, 0);
    }
    EXPECT_EQ(sent, received);
    EXPECT_EQ(sent["0"].size(), 4u);  // forwards of stage 0, gradients of stage 3
    EXPECT_EQ(sent["1"].size(), 4u);
}

TEST(PipeliningCsv, WhatTheEngineWouldTakeAmissIsRefusedInWords) {
    EXPECT_EQ(complaintAbout("0F0,0BW3\n"),
              "line 1, cell 2: '0BW3' is the notation before October 2024, in which BW is the whole backward "
              "and B the "
              "input gradient");
    // Of old too, where no backward is whole.
    EXPECT_EQ(complaintAbout("0F0,0B0,0W0\n"),
              "line 1, cell 2: '0B0' beside 0W0 is the notation before October 2024, in which B is the input "
              "gradient");
    EXPECT_EQ(complaintAbout("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n"),
              "line 2, cell 1: the last stage runs 1F1 where microbatch 0 is due; engines take losses in the "
              "order in "
              "which they come");
    EXPECT_EQ(complaintAbout("0F0,(0F1;0I0)OVERLAP_F_B\n"),
              "line 1, cell 2: '(0F1;0I0)OVERLAP_F_B' is no overlapped pair");
    EXPECT_EQ(complaintAbout("0F0,(0F1;0B0\n"), "line 1, cell 2: '(0F1;0B0' is no overlapped pair");
    EXPECT_EQ(complaintAbout("0F0,0B0,0I0\n"), "line 1, cell 3: 0I0 comes after 0B0");
}

TEST(PipeliningCsv, WhatIsNoOrderIsRefusedWithItsPlace) {
    EXPECT_EQ(complaintAbout("0F0,0B0x\n"), "line 1, cell 2: '0B0x' is no action");
    EXPECT_EQ(complaintAbout("0F,0B0\n"), "line 1, cell 1: '0F' does not say its microbatch");
    EXPECT_EQ(complaintAbout("0F0,0JUMP0\n"), "line 1, cell 2: '0JUMP0' is no action");
    EXPECT_EQ(complaintAbout("99999999999F0\n"), "line 1, cell 1: '99999999999F0' is no action");
    EXPECT_EQ(complaintAbout(""), ": there is no rank");
    EXPECT_EQ(complaintAbout("0F0,0B0\n\n1F0,1B0\n"),
              "line 2: the row is empty, and the rank of each following row is its number");
    EXPECT_EQ(complaintAbout("0F0,0B0\n,,\n"), "line 2: the rank runs nothing");
    EXPECT_EQ(complaintAbout("0F0,0B0\n1F0,1B0,0F1\n"), "line 2, cell 3: stage 0 is on rank 0 and on rank 1");
    EXPECT_EQ(complaintAbout("0F0,0B0,0F0\n"), "line 1, cell 3: 0F0 comes twice");
    EXPECT_EQ(complaintAbout("0B0,0F0\n"), "line 1, cell 1: 0B0 comes before 0F0");
    EXPECT_EQ(complaintAbout("0F0,0W0,0I0\n"), "line 1, cell 2: 0W0 comes before 0I0");
    EXPECT_EQ(complaintAbout("0F0,0B0,0F1\n"), ": 0B1 is missing");
    EXPECT_EQ(complaintAbout("0F0,0B0\n2F0,2B0\n"), ": 1F0 is missing");
}

TEST(PipeliningCsv, OrdersThatWaitForEachOtherAreNotWritten) {
    const RankOrders orders = readPipeliningCsv("0F0,0B0\n1F0,1B0\n", "o.csv");
    RankOrders stuck = orders;
    // Each rank first runs what needs the other's second.
    stuck.ranks = {{{TaskKind::forward, 1, 0},
                    {TaskKind::backward, 1, 0},
                    {TaskKind::forward, 0, 0},
                    {TaskKind::backward, 0, 0}}};
    EXPECT_THROW(writePipeliningCsv(stuck, PipeliningForm::computeComms), std::invalid_argument);
    stuck.ranks[0].pop_back();
    EXPECT_THROW(writePipeliningCsv(stuck, PipeliningForm::computeOnly), std::invalid_argument);
}

TEST(PipeliningCsv, ItsContentTellsItFromOtherTables) {
    EXPECT_EQ(detectKind(twoRanks), FileKind::order);
    EXPECT_EQ(detectKind(",,0F0\n"), FileKind::order);
    EXPECT_EQ(detectKind("0UNSHARD,0F0\n"), FileKind::order);
    EXPECT_EQ(detectKind("device,position,operation\n"), FileKind::order);
    EXPECT_EQ(detectKind("layer,forward_s,backward_s\na,1,2\n"), FileKind::profileCsv);
}

TEST(OrderTable, EveryPassIsARowAndReadsBack) {
    Plan plan;
    plan.stages = {{0, 0, {0}}, {1, 1, {0, 1}}};
    plan.schedule = {ExplicitSchedule{
        {{0, {{TaskKind::forward, 0, 0}, {TaskKind::forward, 1, 0}, {TaskKind::backward, 0, 0, true}}},
         {1, {{TaskKind::forward, 1, 0}, {TaskKind::weightGradient, 1, 0}}}}}};
    const std::string text = writeOrderTable(plan, twoDevices());
    EXPECT_EQ(text, "device,position,operation\n\"a,b\",0,0:F0\n\"a,b\",1,(1:F0&0:B0)\nc,0,1:F0\nc,1,1:W0\n");
    const TabledOrder back = readOrderTable(text, "t.csv", twoDevices());
    EXPECT_EQ(back.schedule, plan.schedule);
    EXPECT_EQ(back.devices, (std::vector<std::vector<int>>{{0}, {0, 1}}));
}

TEST(OrderTable, StagesOfSeveralCopiesOfTheNetworkSayTheirs) {
    Plan plan;
    plan.stages = {{0, 0, {0}}, {0, 0, {1}, 1}};
    plan.schedule = {ExplicitSchedule{{{0, {{TaskKind::forward, 0, 0}, {TaskKind::backward, 0, 0}}},
                                       {1, {{TaskKind::forward, 1, 1}, {TaskKind::backward, 1, 1}}}}}};
    const std::string text = writeOrderTable(plan, twoDevices());
    EXPECT_EQ(text, "device,position,operation,copy\n\"a,b\",0,0:F0,0\n\"a,b\",1,0:B0,0\nc,0,1:F1,1\n"
                    "c,1,1:B1,1\n");
    const TabledOrder back = readOrderTable(text, "t.csv", twoDevices());
    EXPECT_EQ(back.schedule, plan.schedule);
    EXPECT_EQ(back.copies, (std::vector<int>{0, 1}));
    try {
        readOrderTable("device,position,operation,copy\nc,0,0:F0,1\nc,1,0:B0,0\n", "t.csv", twoDevices());
        ADD_FAILURE() << "a stage of two copies";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "t.csv: line 3: stage 0 is of copy 0 and of copy 1; expected a stage of "
                                   "one copy");
    }
}

TEST(OrderTable, RowsAndColumnsMayComeInAnyOrder) {
    const TabledOrder read = readOrderTable("remark,operation,position,device\n,0:B0,1,c\nfirst,0:F0,0,c\n",
                                            "t.csv", twoDevices());
    EXPECT_EQ(std::get<ExplicitSchedule>(read.schedule.order),
              (ExplicitSchedule{{{1, {{TaskKind::forward, 0, 0}, {TaskKind::backward, 0, 0}}}}}));
}

TEST(OrderTable, WhatIsWrongIsSaidWithItsLine) {
    EXPECT_EQ(tableComplaint("x,0,0:F0\n"), "line 2: no device 'x'");
    EXPECT_EQ(tableComplaint("c,first,0:F0\n"), "line 2: 'first' is no position");
    EXPECT_EQ(tableComplaint("c,-1,0:F0\n"), "line 2: '-1' is no position");
    EXPECT_EQ(tableComplaint("c,0,F0\n"), "line 2: 'F0' is no operation");
    EXPECT_EQ(tableComplaint("c,0,0:F0\nc,0,0:B0\n"), "line 3: the device has position 0 twice");
    EXPECT_EQ(tableComplaint("c,0,1:F0\n"), ": no device runs stage 0");
    EXPECT_EQ(tableComplaint("c,0,(0:F0&0:F1)\n"), "line 2: '(0:F0&0:F1)' is no operation");
}
