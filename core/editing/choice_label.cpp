#include "core/editing/choice_label.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace stagecraft::editing {

std::string choiceLabel(const std::string& id) {
    // Names and abbreviations; all else is shown as it is spelt.
    static const std::map<std::string, std::string> names = {
        {"rdo", "Recursive minimum cut (RDO)"},
        {"mlp", "Perceptron (MLP)"},
        {"cnn", "Convolutional network (CNN)"},
        {"sgd", "SGD"},
        {"rmsprop", "RMSProp"},
        {"madpipe", "MadPipe"},
        {"pipedream", "PipeDream"},
        {"gpipe", "GPipe"},
        {"mode", "As the setup's mode"},
        {"own", "Built-in search"},
        {"cbc", "Integer program (CBC)"},
        {"2bw", "2BW"},
        {"infiniband", "InfiniBand"},
        {"rdma", "RDMA"},
        {"nvlink", "NVLink"},
        {"nvswitch", "NVSwitch"},
        {"nvlink-ring", "NVLink ring"},
        {"pcie", "PCIe"},
        {"intel-broadwell", "Intel Broadwell"},
        {"intel-skylake", "Intel Skylake"},
        {"intel-sapphire-rapids", "Intel Sapphire Rapids"},
        {"intel-emerald-rapids", "Intel Emerald Rapids"},
        {"amd", "AMD"},
        {"power", "IBM Power"},
        {"arm", "Arm"},
        {"nvswitch-v100", "NVSwitch, V100"},
        {"nvswitch-a100", "NVSwitch, A100"},
        {"nvswitch-h100", "NVSwitch, H100"},
        {"nvswitch-b200", "NVSwitch, B200"},
        {"direct-v100", "Direct, V100"},
        {"direct-a100", "Direct, A100"},
        {"direct-h100", "Direct, H100"},
        {"fp16", "FP16"},
        {"bf16", "BF16"},
        {"fp32", "FP32"},
        {"tf32", "TF32"},
        {"vgg-16", "VGG-16"},
        {"vgg-19", "VGG-19"},
        {"resnet-50", "ResNet-50"},
        {"resnet-101", "ResNet-101"},
        {"resnet-152", "ResNet-152"},
        {"inception-v3", "Inception-v3"},
        {"bert-large", "BERT-large"},
        {"bert-48", "BERT-48"},
        {"bert-72", "BERT-72"},
        {"xlnet-large", "XLNet-large"},
        {"densenet-121", "DenseNet-121"},
        {"amoebanet-d", "AmoebaNet-D"},
        {"gnmt", "GNMT"},
        {"gpt-2", "GPT-2"},
        {"gpt-3", "GPT-3"},
        {"llama", "Llama"}};
    if (const auto found = names.find(id); found != names.end()) return found->second;
    std::string label = id;
    for (const char between : {'-', '_'}) std::replace(label.begin(), label.end(), between, ' ');
    if (!label.empty()) label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
    return label;
}

}  // namespace stagecraft::editing
