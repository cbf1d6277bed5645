# Llama Team, The Llama 3 Herd of Models, 2024, Table 4: 405 B on 16,384 H100, 400 TFLOP/s a GPU.
# Machines: 2048x dgx-h100
--num-layers 126 --hidden-size 16384 --ffn-hidden-size 53248 --num-attention-heads 128
--group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm --disable-bias-linear
--untie-embeddings-and-output-weights --position-embedding-type rope --vocab-size 128256
--attention-dropout 0 --hidden-dropout 0 --bf16 --use-distributed-optimizer --use-flash-attn
--tensor-model-parallel-size 8 --sequence-parallel --pipeline-model-parallel-size 16
--decoder-first-pipeline-num-layers 7 --decoder-last-pipeline-num-layers 7
--seq-length 8192 --max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 2048
