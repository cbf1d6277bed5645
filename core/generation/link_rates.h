#pragma once

#include "core/model/cluster.h"
#include "core/model/link_technologies.h"

#include <optional>
#include <string>

namespace stagecraft::generation {

/// How many links side by side a link stands for, as its source says: 4 of "4 × NVLink at 20 GB/s"; 1 where
/// it says nothing.
int linkCount(const Link& link);

/// Makes it so many links of the rate that one has: the bandwidth is that of all together, since a planner
/// takes the widest of parallel links and does not add them (MODEL.md). Its source says how many and of what
/// rate.
/// @throws std::invalid_argument if count is below 1
void setLinkCount(Link& link, int count);

/// Whether a person put a number in the place of the one that the link had.
bool isSetByHand(const Link& link);

/// A link's technology, which its source names.
struct LinkFigures {
    const LinkTechnology* technology = nullptr;
    double count = 1;  ///< links, ports, or 16 lanes of it side by side
};
/// Of a measured link, or one that a person set, what it had before. Empty: its source names none.
std::optional<LinkFigures> figuresOf(const Link& link);
/// "Reached 20.6 GB/s (NCCL); data sheet 25 GB/s, per link"; says where one of both has no source.
std::string figuresText(const LinkFigures& figures);
/// Which rates the catalogue's links of a cluster have: the data sheet's where they have those alone.
LinkRates ratesOf(const Cluster& cluster);
/// Gives a measured link back what the measurement replaced. Its latency stays.
void takeDerivedRate(Link& link);
/// Of each of these links, by index.
void takeDerivedRates(Cluster& cluster, const std::vector<int>& links);

/// After a GPU became another type: links whose bandwidth the catalogue gave for the type before take that of
/// the type now, those of a server without a GPU at an end once none of the type before is left in it.
/// Numbers that a person set stay, and so do those of links that the GPU now lacks.
/// @param before the name of the type that it had
void followGpu(Cluster& cluster, std::size_t device, const std::string& before);

}  // namespace stagecraft::generation
