#pragma once

#include "core/simulation/execution_graph.h"

#include <vector>

namespace stagecraft::simulation {

/// A pass that is under way and in parts of it sends over links that it shares. What it computes between
/// takes as long as ever, and so comes later by as much as others slowed down what it sent before. As long as
/// nobody does, it ends, to the bit, when a task of a fixed length would.
class SendingPass {
public:
    SendingPass() = default;
    /// @param sends, flows must outlive it @param besidesS before what it is made of
    /// @param seconds all of it, alone
    SendingPass(TaskRef task, const PassSendings& sends, const std::vector<LinkFlow>& flows, double startS,
                double besidesS, double seconds)
        : task_(task),
          sends_(&sends),
          flows_(&flows),
          originS_(startS + besidesS),
          endS_(startS + seconds),
          seconds_(seconds) {}

    bool isUnderWay() const { return sends_ != nullptr; }
    TaskRef task() const { return task_; }
    bool isSending() const { return isSending_; }
    int flow() const { return sending().flow; }
    /// Whether nothing but its end is to come.
    bool isLast() const { return next_ == sends_->all.size(); }
    /// When it begins or ends to send, or ends.
    double nextS() const {
        if (isSending_) return sentS_;
        return (isLast() ? endS_ : originS_ + sending().fromS) + laterS_;
    }
    /// How often nextS() has become another: who foresaw it earlier foresaw wrong.
    unsigned foreseen() const { return foreseen_; }

    void beginToSend(double atS);
    void endToSend(double atS);
    /// Of what it is alone.
    void setSpeed(double speed, double atS);
    double speed() const { return speed_; }

    double aloneS() const { return seconds_; }
    /// Of all that it has sent; empty where it was as fast as alone all the time.
    const std::vector<Pace>& paces() const;

private:
    const Sending& sending() const { return sends_->all[next_]; }
    void addPace(double untilS);

    TaskRef task_;
    const PassSendings* sends_ = nullptr;
    const std::vector<LinkFlow>* flows_ = nullptr;
    double originS_ = 0, endS_ = 0, seconds_ = 0;
    double laterS_ = 0;     ///< than alone, when it sent last
    std::size_t next_ = 0;  ///< of what it sends, or is sending
    bool isSending_ = false;
    bool wasSlowed_ = false;  ///< at any time
    double leftS_ = 0;        ///< of what it sends, at `changedS_`, if its speed were 1 from then on
    double changedS_ = 0, sentS_ = 0;
    double speed_ = 1;
    unsigned foreseen_ = 0;
    std::vector<Pace> paces_;
};

}  // namespace stagecraft::simulation
