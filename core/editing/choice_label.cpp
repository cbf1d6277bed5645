#include "core/editing/choice_label.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace stagecraft::editing {

std::string choiceLabel(const std::string& id) {
    // Names and abbreviations; all else is shown as it is spelt.
    static const std::map<std::string, std::string> names = {{"rdo", "Recursive minimum cut (rdo)"},
                                                             {"mlp", "Perceptron (mlp)"},
                                                             {"cnn", "Convolutional network (cnn)"},
                                                             {"sgd", "SGD"},
                                                             {"rmsprop", "RMSProp"},
                                                             {"madpipe", "MadPipe"},
                                                             {"pipedream", "PipeDream"},
                                                             {"gpipe", "GPipe"},
                                                             {"mode", "As the setup's mode"},
                                                             {"own", "Built-in search"},
                                                             {"cbc", "Integer program (cbc)"},
                                                             {"2bw", "2BW"},
                                                             {"infiniband", "InfiniBand"},
                                                             {"rdma", "RDMA"},
                                                             {"nvlink", "NVLink"},
                                                             {"nvswitch", "NVSwitch"},
                                                             {"nvlink-ring", "NVLink ring"},
                                                             {"pcie", "PCIe"},
                                                             {"fp16", "FP16"},
                                                             {"bf16", "BF16"},
                                                             {"fp32", "FP32"},
                                                             {"tf32", "TF32"}};
    if (const auto found = names.find(id); found != names.end()) return found->second;
    std::string label = id;
    std::replace(label.begin(), label.end(), '-', ' ');
    if (!label.empty()) label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
    return label;
}

}  // namespace stagecraft::editing
