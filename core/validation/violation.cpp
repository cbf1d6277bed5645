#include "core/validation/violation.h"

#include "core/base/enum_names.h"

namespace stagecraft::validation {

namespace {

constexpr EnumName<Rule> ruleNames[] = {{Rule::layerCoverage, "layer-coverage"},
                                        {Rule::knownDevices, "known-devices"},
                                        {Rule::everyMicrobatchOnce, "every-microbatch-once"},
                                        {Rule::blockDuration, "block-duration"},
                                        {Rule::dataDependency, "data-dependency"},
                                        {Rule::deviceExclusive, "device-exclusive"},
                                        {Rule::channelExclusive, "channel-exclusive"},
                                        {Rule::orderRespected, "order-respected"},
                                        {Rule::allReduceAfterBackward, "allreduce-after-backward"},
                                        {Rule::updateAfterAllReduce, "update-after-allreduce"},
                                        {Rule::synchronousBarrier, "synchronous-barrier"},
                                        {Rule::weightVersion, "weight-version"},
                                        {Rule::memoryLimit, "memory-limit"},
                                        {Rule::sharedLinks, "shared-links"},
                                        {Rule::periodicPattern, "periodic-pattern"}};

}  // namespace

const char* ruleName(Rule rule) { return nameOf(ruleNames, rule); }

}  // namespace stagecraft::validation
