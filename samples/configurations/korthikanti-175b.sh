# Korthikanti et al., MLSys 2023, Tables 3 and 5: 175 B on 64 A100, 13.75 s an iteration.
# Machines: 8x dgx-a100
--num-layers 96 --hidden-size 12288 --num-attention-heads 96
--seq-length 2048 --max-position-embeddings 2048 --vocab-size 51200 --bf16
--tensor-model-parallel-size 8 --pipeline-model-parallel-size 8 --num-layers-per-virtual-pipeline-stage 4
--micro-batch-size 1 --global-batch-size 64 --sequence-parallel --recompute-granularity selective --attention-backend unfused
