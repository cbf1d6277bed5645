# Korthikanti et al., MLSys 2023, Tables 3 and 5: 530 B on 280 A100, 37.83 s an iteration.
# Machines: 35x dgx-a100
--num-layers 105 --hidden-size 20480 --num-attention-heads 128
--seq-length 2048 --max-position-embeddings 2048 --vocab-size 51200 --bf16
--tensor-model-parallel-size 8 --pipeline-model-parallel-size 35 --num-layers-per-virtual-pipeline-stage 1
--micro-batch-size 1 --global-batch-size 280 --sequence-parallel --recompute-granularity selective --attention-backend unfused
