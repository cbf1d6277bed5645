#pragma once

#include "core/generation/transformer_network.h"

#include <string>
#include <utility>
#include <vector>

namespace stagecraft::generation {

/// Numbers that are trained, by what they are for. Prediction layers (DeepSeek-V3's MTP) are apart, as in
/// published counts; weights that two layers share count once, at the embedding.
struct ParameterTable {
    double embedding = 0;  ///< of words, positions and segments
    double attention = 0;
    double mlp = 0;  ///< dense feed-forward networks and experts that all tokens take
    double experts = 0;
    double router = 0;
    double norms = 0;  ///< the last one among them
    double head = 0;
    double other = 0;
    double idle = 0;        ///< of `experts`: what a token does not take
    double prediction = 0;  ///< prediction layers
    double finalNorm = 0;   ///< of `norms`

    double total() const;   ///< without prediction layers
    double active() const;  ///< total() less what a token does not take
    double activeExperts() const { return experts - idle; }
    double blocks() const;  ///< without embedding, head and what is between them and the blocks
};
ParameterTable parameterTable(const TransformerModel& model);
/// "8.19 B", "110 M": a count of parameters as people say it.
std::string parametersText(double count);
/// "Parameters by part: embedding 622 M, attention 1.51 B, …; a token takes …": a sentence or two.
std::string partsText(const ParameterTable& table);
/// The entries that are not 0, by name, in the order in which they are printed; without prediction layers.
std::vector<std::pair<std::string, double>> namedParts(const ParameterTable& table);
/// Of the block with this index; an encoder's come first.
double blockParameters(const TransformerModel& model, int block);

/// FLOPs of the forward pass of one sample; a multiply-add is two, score matrices are whole, look-ups are
/// nothing. The backward takes twice as many. Narayanan et al., SC 2021, Eq. (3), is that of GPT's shape.
struct FlopTable {
    double matrices = 0;   ///< products with weights in blocks; of experts those that a token takes
    double attention = 0;  ///< scores and weighted values
    double head = 0;
    double forward() const { return matrices + attention + head; }
};
FlopTable flopTable(const TransformerModel& model, const TransformerRun& run);

/// What a layer keeps of one sample, by tensor, in the order in which they are made.
struct KeptTensor {
    std::string name;
    ActivationCause cause = ActivationCause::other;
    double bytes = 0;
};
/// @param elementBytes of the precision: 2 for bf16
std::vector<KeptTensor> keptTensors(const NetworkLayer& layer, double elementBytes);

}  // namespace stagecraft::generation
