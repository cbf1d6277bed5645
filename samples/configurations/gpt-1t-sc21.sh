# Narayanan et al., SC 2021, Table 1: 1,008 B parameters on 3,072 A100, 163 TFLOP/s a GPU,
# which counts what is recomputed.
# Machines: 384x dgx-a100
--num-layers 128 --hidden-size 25600 --num-attention-heads 160
--seq-length 2048 --max-position-embeddings 2048 --vocab-size 51200 --bf16
--tensor-model-parallel-size 8 --pipeline-model-parallel-size 64
--micro-batch-size 1 --global-batch-size 3072 --recompute-granularity full --recompute-method uniform
