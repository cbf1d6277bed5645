# Korthikanti et al., MLSys 2023, Tables 3 and 5: 22 B on 8 A100, 1.10 s an iteration.
# Machines: dgx-a100
--num-layers 48 --hidden-size 6144 --num-attention-heads 64
--seq-length 2048 --max-position-embeddings 2048 --vocab-size 51200 --bf16
--tensor-model-parallel-size 8 --pipeline-model-parallel-size 1
--micro-batch-size 4 --global-batch-size 4 --sequence-parallel --recompute-granularity selective --attention-backend unfused
