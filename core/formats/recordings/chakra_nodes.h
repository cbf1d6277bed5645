#pragma once

#include "core/base/work_context.h"
#include "core/formats/recordings/annotated_pass.h"
#include "core/formats/recordings/recording_file.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

// Nodes of a Chakra execution trace (Sridharan et al., "Chakra: Advancing Performance Benchmarking and
// Co-design using Standardized Execution Traces", 2023; its et_def.proto has the numbers of the fields).

/// As the file numbers them, up to those that recordings need.
enum class ChakraType : std::uint8_t { invalid, metadata, load, store, compute, send, receive, collective };

struct ChakraNode {
    std::uint64_t id = 0;
    std::string name{};
    ChakraType type = ChakraType::invalid;
    std::uint64_t startUs = 0;  ///< 0: not known, or the first instant of all
    std::uint64_t lengthUs = 0;
    std::vector<std::uint64_t> callers{};  ///< ctrl_deps
    std::vector<std::uint64_t> inputs{};   ///< data_deps
    bool onCpu = false;
    std::int64_t stream = -1;  ///< of a GPU; -1: not known
    CollectiveKind collective = CollectiveKind::none;
};

/// Messages of protocol buffers, each after its length: first what is true of all, then a node each.
bool isChakraMessages(std::string_view head);
/// The same as JSON objects that follow each other, as Chakra's jsonizer writes them.
bool isChakraJson(std::string_view head);

/// Reads node by node. @param from, to what part of the whole work this file is, for progress
/// @throws InputError for what is no such file or is cut off, with the byte or node; Cancelled
void eachChakraNode(const RecordingFile& file, const std::function<void(ChakraNode)>& visit,
                    const WorkContext& context, double from, double to);

}  // namespace stagecraft::formats
