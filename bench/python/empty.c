/* What ctypes calls: the least that a call through it costs. */
void bench_empty(void);
void bench_empty(void) {}
