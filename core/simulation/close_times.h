#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stagecraft::simulation {

/// From the first to the last of some times, in seconds.
struct TimeRange {
    double firstS = 0, lastS = 0;
};

/// Finds the times that are close to another one but differ from it, in ascending runs of times. A piece of
/// time after the other is cut into cells, which stay in the cache; few times share one with a time that
/// differs, and those alone are sorted.
class CloseTimes {
public:
    /// A time is close to an earlier one if they are at most `relative` * (|time| + originS) apart.
    CloseTimes(double relative, double originS) : relative_(relative), originS_(originS) {}
    /// @param run finite and ascending; must outlive the search
    void add(std::span<const double> run);
    /// All that are close to each other, directly or by others between them; ascending, each of two different
    /// times or more.
    std::vector<TimeRange> find();

    /// How close that is to a time.
    double toleranceS(double timeS) const;

private:
    bool close(double earlierS, double laterS) const;
    /// Where the next piece ends: so that it has no more than a few times of each run.
    double endOfPieceS() const;
    void takePiece(double endS);
    void fetch(std::span<const double> run) const;
    /// @param middle how far from the middle of a cell the next one is near
    void place(double timeS, double place, double middle);
    /// What is in one cell is one range as long as it is close.
    void placeApart(double timeS, std::uint32_t cell);
    void joinFound();

    double relative_, originS_;
    std::vector<std::span<const double>> runs_;  ///< what is not taken of them yet; none is empty
    std::size_t perRun_ = 0;                     ///< that a piece takes at most
    double pieceS_ = 0;                          ///< when the piece begins
    std::vector<TimeRange> cells_;               ///< those that end before the piece are empty
    std::vector<std::uint32_t> notable_;         ///< cells that hold or held more than one time
    std::vector<TimeRange> found_;               ///< in this piece: what may be close to something else
    std::vector<TimeRange> ranges_;              ///< joined; the last of them may go on
};

}  // namespace stagecraft::simulation
