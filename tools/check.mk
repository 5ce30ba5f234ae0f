# check.mk - what `make check`, `make demo`, `make fuzz` and the benchmarks run. Part of the Makefile.
#
# A suite is one line below: its name, what must be built for it, its command. tools/suite.sh runs the command
# and writes $(BUILD)/report/NAME.log; tools/report reads the logs and is the judge. Suites run in parallel and
# a failed one stops no other.

REPORT := $(BUILD)/report
export BUILD REPORT PROGRAM_JOBS
export HBSCORE_SO ?= $(abspath $(BUILD)/hbscore.so)

POSTGRES_SUITES := postgres-random postgres postgres-plans postgres-preload postgres-shapes postgres-hidden postgres-memory postgres-types postgres-device postgres-tap postgres-docs demo-postgres
QUICK := tools format build-gcc warnings includes flags sql vocabulary symbols unit golden hostile sqlite sqlite-shapes docs demo postgres-golden postgres-sql
# In the order in which they run: long ones first, so that no core waits for one at the end. There is a job more than there are
# cores, as those beside a server wait half of their time.
FULL  := tools format includes flags sql vocabulary sqlite-c python bench hostile-asan postgres-memory hostile unit-asan postgres-tap unit golden-bits postgres-golden \
         sqlite-c-asan polls postgres-plans golden postgres-asan valgrind strategies graphs $(FUZZERS:test/fuzz/%.c=%) gpu golden-cuda golden-asan aarch64 \
         postgres-preload postgres-random postgres-shapes postgres-hidden unit-plain golden-plain postgres-types sqlite-shapes postgres postgres-device sqlite-blas sqlite-device postgres-docs sqlite-python demo-postgres \
         sqlite-asan install instructions clients onnx-nodes demo sqlite sqlite-apsw docs symbols build-gcc build-clang build-asan
LONG  := unit-clang polls-long postgres-device-asan postgres-gpu golden-devices sqlite-device-asan sqlite-gpu sqlite-c-long bench-long

.PHONY: check check-quick check-long check-onnx check-postgres check-postgres-valgrind check-debian13 check-setup demo demo-postgres fuzz smith golden drawings estimators bench-load bench-sqlite bench-postgres bench-operators bench-rewrites bench-kernels bench-kernels-full bench bench-list bench-lock bench-optional bench-check bench-report bench-publish bench-compare bench-audit bench-crosscheck bench-profile bench-paper check-bare

check:
	@tools/setup.sh check
	@rm -rf $(REPORT)
	@$(MAKE) --no-print-directory -k -j$$(($(JOBS) + 1)) $(FULL:%=suite-%); tools/report $(FULL)

check-quick:
	@tools/setup.sh check
	@rm -rf $(REPORT)
	@$(MAKE) --no-print-directory -k -j$(JOBS) PROGRAM_JOBS=2 GOLDEN_EFFORT=--quick $(QUICK:%=suite-%); PARTIAL=1 tools/report $(QUICK)

# On a machine with a GPU.
check-gpu:
	@tools/check_gpu_device.sh $(BUILD)

check-long:
	@tools/setup.sh check
	@rm -rf $(REPORT)
	@$(MAKE) --no-print-directory -k -j$(JOBS) $(LONG:%=suite-%); PARTIAL=1 tools/report $(LONG)

check-onnx:
	@tools/setup.sh check
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/release/test/onnx/run_node_tests $(TEST_RUN)
	@test/onnx/run.sh

# What is run beside a server, and no more.
check-postgres:
	@tools/setup.sh check-postgres
	@rm -rf $(REPORT)
	@$(MAKE) --no-print-directory -k -j$(JOBS) suite-postgres-golden $(POSTGRES_SUITES:%=suite-%); PARTIAL=1 tools/report postgres-golden $(POSTGRES_SUITES)

# sql/ in a server under valgrind, which also sees what was never set: some minutes.
check-postgres-valgrind:
	@tools/setup.sh check
	@$(MAKE) --no-print-directory -j$(JOBS) postgres
	SERVER_VALGRIND=1 $(BESIDE_POSTGRES) test/postgres/regress.sh

check-setup:
	@tools/setup.sh check

# $(call suite,NAME,PREREQUISITES,COMMAND)
define suite_rule
.PHONY: suite-$(1)
suite-$(1): $(2)
	@tools/suite.sh $(1) $(3)
endef
suite = $(eval $(call suite_rule,$(strip $(1)),$(2),$(3)))

GOLDEN_release := $(BUILD)/release/test/golden/run_golden
GOLDEN_clang   := $(BUILD)/clang/test/golden/run_golden
GOLDEN_asan    := $(BUILD)/asan/test/golden/run_golden
GOLDEN_aarch64 := $(BUILD)/aarch64/test/golden/run_golden
export CC_aarch64
# Compiled only where it can be; elsewhere the suite says why not.
WHY_NOT_aarch64 = $(shell CC_aarch64='$(CC_aarch64)' tools/check_aarch64.sh --why-not)
CAN_aarch64     = $(if $(filter suite-aarch64,$(MAKECMDGOALS)),$(if $(WHY_NOT_aarch64),,$(GOLDEN_aarch64)))
programs = $(filter $(BUILD)/$(1)/test/$(2)/%,$($(1)_TESTS))
PASS = sh -c 'echo "$(strip $(1))"; echo "1 passed, 0 failed"'
# The environment in which glibc takes its plain versions of expf and others: no FMA, no AVX.
PLAIN = env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4
UNIT_PLAIN = $(BUILD)/release/test/core/test_elementwise $(BUILD)/release/test/core/test_kernels

# Beside a PostgreSQL server of their own, where there can be one: $(call in_postgres,COMMAND). Elsewhere the suite says why
# not. What can do without a server begins with $(BESIDE_POSTGRES).
BESIDE_POSTGRES  = $(if $(HAS_POSTGRES),tools/postgres_server.sh $(BUILD))
NO_POSTGRES     := $(if $(HAS_POSTGRES),,there is no pg_config of a server to build for)
not_run          = sh -c 'echo "PostgreSQL: not run$(comma) $(1)"; echo "0 passed$(comma) 0 failed"'
in_postgres      = $(if $(NO_POSTGRES),$(call not_run,$(NO_POSTGRES)),$(BESIDE_POSTGRES) $(1))
# The same for programs in C, with another build of the extension: $(call in_postgres_of,BUILD,COMMAND).
NO_LIBPQ        := $(or $(NO_POSTGRES),$(if $(HAS_LIBPQ),,there is no libpq-fe.h))
with_libpq       = $(if $(NO_LIBPQ),,$(1))
in_postgres_of   = $(if $(NO_LIBPQ),$(call not_run,$(NO_LIBPQ)),tools/postgres_server.sh $(1) $(2))

# A program that was compiled without the sanitizer and loads a library that was compiled with it; what the
# program itself leaks is not our matter.
PRELOAD_ASAN = ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so)

$(call suite, build-gcc,    $(BUILD)/libhbscore.a $(BUILD)/hbscore.so $(release_TESTS), \
                            $(call PASS, everything compiles with $(CC) and no warning))
$(call suite, build-clang,  clang $(clang_TESTS), $(call PASS, everything compiles with $(CLANG) and no warning))
$(call suite, build-asan,   asan $(asan_TESTS), $(call PASS, everything compiles with the sanitizers))
$(call suite, warnings,     , tools/check_warnings.sh '$(CC_clang) $(FLAGS_clang)' '$(TEST_FLAGS)' $(CORE) $(SQLITE) $(sort $(GPU_SOURCES) $(GPU_HOST)) $(TEST_SOURCES))
$(call suite, tools,        , tools/check_tools.sh $(PYTHON))
$(call suite, format,       , tools/format.sh --check)
$(call suite, includes,     , tools/check_includes.sh)
$(call suite, flags,        , tools/check_flags.sh '$(CC)')
$(call suite, sql,          , tools/check_sql.sh)
$(call suite, vocabulary,   , $(PYTHON) tools/check_vocabulary.py)
$(call suite, symbols,      all, tools/check_symbols.sh $(BUILD))
$(call suite, unit,         $(call programs,release,core), tools/programs.sh $(call programs,release,core))
$(call suite, unit-clang,   $(call programs,clang,core), tools/programs.sh $(call programs,clang,core))
$(call suite, unit-asan,    $(call programs,asan,core), tools/programs.sh $(call programs,asan,core))
$(call suite, unit-plain,   $(UNIT_PLAIN), $(PLAIN) tools/programs.sh $(UNIT_PLAIN))
$(call suite, golden,       $(GOLDEN_release), $(GOLDEN_release) $(GOLDEN_EFFORT))
$(call suite, golden-asan,  $(GOLDEN_asan), $(GOLDEN_asan) --quick)
$(call suite, golden-plain, $(GOLDEN_release), $(PLAIN) $(GOLDEN_release) --brief)
$(call suite, golden-bits,  $(GOLDEN_release) $(GOLDEN_clang) $(GOLDEN_asan), tools/check_bits.sh $(GOLDEN_release) $(GOLDEN_clang) $(GOLDEN_asan))
$(call suite, aarch64,      $(GOLDEN_release) $(CAN_aarch64), \
                            tools/check_aarch64.sh $(GOLDEN_release) $(GOLDEN_aarch64))
$(call suite, hostile,      $(call programs,release,hostile), tools/programs.sh $(call programs,release,hostile))
$(call suite, hostile-asan, $(call programs,asan,hostile), tools/programs.sh $(call programs,asan,hostile))
$(call suite, sqlite,       all, test/sqlite/run.sh)
$(call suite, sqlite-asan,  asan, env HBSCORE_SO=$(BUILD)/asan/hbscore.so $(PRELOAD_ASAN) test/sqlite/run.sh)
# Where memory, the disk or a call fails: at every third point; at every one in check-long.
$(call suite, sqlite-c,     all $(call programs,release,sqlite), env HBSCORE_FAULT_STEP=3 tools/programs.sh $(call programs,release,sqlite))
$(call suite, sqlite-c-long, all $(call programs,release,sqlite), tools/programs.sh $(call programs,release,sqlite))
$(call suite, sqlite-c-asan, asan $(call programs,asan,sqlite), env HBSCORE_SO=$(BUILD)/asan/hbscore.so HBSCORE_FAULT_STEP=17 \
                            tools/programs.sh $(call programs,asan,sqlite))
$(call suite, sqlite-python, all, $(PYTHON) test/sqlite/test_python.py)
$(call suite, sqlite-apsw,  all, $(PYTHON) test/sqlite/test_apsw.py)
$(call suite, sqlite-blas,  all, $(PYTHON) test/sqlite/test_blas.py)
# SQL beside a fake GPU: the extension lies beside the backend. $(call beside_gpu,BUILD) runs the test there.
GPU_BESIDE_release := $(BUILD)/release/test/gpu
GPU_BESIDE_asan    := $(BUILD)/asan/test/gpu
$(GPU_BESIDE_release)/hbscore.so: $(BUILD)/hbscore.so
$(GPU_BESIDE_asan)/hbscore.so: $(BUILD)/asan/hbscore.so
$(GPU_BESIDE_release)/hbscore.so $(GPU_BESIDE_asan)/hbscore.so:
	@mkdir -p $(@D) && cp $< $@
gpu_files  = $(GPU_BESIDE_$(1))/hbscore.so $(GPU_BESIDE_$(1))/hbscore_cuda.so $(FAKE_$(1))
beside_gpu = LD_LIBRARY_PATH=$(GPU_BESIDE_$(1))/fake $(PYTHON) test/sqlite/test_device.py $(GPU_BESIDE_$(1))/hbscore.so $(GPU_BESIDE_$(1))/fake
$(call suite, sqlite-device, $(call gpu_files,release), env $(call beside_gpu,release))
$(call suite, sqlite-device-asan, $(call gpu_files,asan), env $(PRELOAD_ASAN) $(call beside_gpu,asan))
# The scripts of SQL where a GPU scores all that it can.
$(call suite, sqlite-gpu, $(call gpu_files,release), env DEVICE=cuda LD_LIBRARY_PATH=$(abspath $(GPU_BESIDE_release))/fake \
                            sh -c 'test/sqlite/run.sh $(GPU_BESIDE_release)/hbscore.so && $(PYTHON) test/sqlite/test_gpu.py $(GPU_BESIDE_release)/hbscore.so')
$(call suite, python,       all, $(BESIDE_POSTGRES) python/tests/run.sh)
$(call suite, bench,        all $(BUILD)/bench/native.so, $(BESIDE_POSTGRES) bench/hbsbench/bench.sh $(BUILD) tests)
# The shipped models of 500 trees, which are trained: are they those that were locked?
$(call suite, bench-long,   all $(BUILD)/bench/native.so, env HBSBENCH_LONG=1 bench/hbsbench/bench.sh $(BUILD) tests test_manifest.Lock)
$(call suite, clients,      all, $(BESIDE_POSTGRES) $(PYTHON) test/clients/run.py)
$(call suite, sqlite-shapes, $(BUILD)/counted/hbscore.so, $(PYTHON) test/sqlite/test_shapes.py $(BUILD)/counted/hbscore.so $(GOLDEN_EFFORT))
$(call suite, docs,         all, test/sqlite/run_docs.sh)
$(call suite, onnx-nodes,   $(BUILD)/release/test/onnx/run_node_tests $(TEST_RUN), test/onnx/run.sh)
$(call suite, install,      all static, tools/check_install.sh $(BUILD))
$(call suite, valgrind,     all, tools/check_valgrind.sh $(BUILD))
$(call suite, instructions, all, tools/check_instructions.sh $(BUILD))
# The longest gaps between polls: of forests as they are compiled, and by walks; and by every strategy.
$(call suite, polls,        $(TEST_POLLS), $(TEST_POLLS))
# The trees of each golden model by the kernels of devices, in all ways that a device could walk them.
$(call suite, golden-devices, $(GOLDEN_release), $(GOLDEN_release) --devices)
# The golden models by the backend for GPUs, beside the fake driver.
$(call suite, golden-cuda,  $(GOLDEN_release) $(FAKE_release) $(BUILD)/release/test/gpu/hbscore_cuda.so, env LD_LIBRARY_PATH=$(BUILD)/release/test/gpu/fake \
                            $(GOLDEN_release) --cuda $(BUILD)/release/test/gpu/hbscore_cuda.so)
# What can be said of the backend for GPUs without one.
$(call suite, gpu,          $(if $(NO_NVCC),,gpu), $(if $(NO_NVCC),sh -c 'echo "gpu: not run$(comma) $(NO_NVCC)"; echo "0 passed$(comma) 0 failed"', \
                            tools/check_gpu.sh $(BUILD) $(NVCC) $(GPU_ARCHITECTURES)))
$(call suite, polls-long,   $(TEST_POLLS), $(TEST_POLLS) --long)
$(call suite, demo,         all, tools/check_demo.sh $(BUILD))
$(call suite, postgres-sql, all, $(call in_postgres,test/postgres/run.sh regress)) # a part of the next
$(call suite, postgres,     all, $(call in_postgres,test/postgres/run.sh regress isolation pgtap))
$(call suite, postgres-plans, all, $(call in_postgres,test/postgres/run.sh parallel jit generic blocks blocks_isolation session))
$(call suite, postgres-preload, all, env SERVER_OPTIONS="shared_preload_libraries = 'hbscore'" $(call in_postgres,test/postgres/run.sh shared))

$(call suite, postgres-shapes, all $(if $(HAS_POSTGRES),$(BUILD)/postgres/columnar.so), \
    $(call in_postgres,test/postgres/shapes.sh $(BUILD)/postgres/columnar.so))
# Random statements with and without blocks: a fixed number from a fixed seed, the same every time.
$(call suite, postgres-random, all, $(call in_postgres,$(PYTHON) test/postgres/smith/smith.py --queries 600))
# For which rows arguments are evaluated where rows are hidden.
$(call suite, postgres-hidden, all, $(call in_postgres,psql -X -q -f test/postgres/hidden_rows.sql))
$(call suite, postgres-types, all, $(call in_postgres,psql -X -q -f test/postgres/every_type.sql))
$(call suite, postgres-tap, all $(if $(HAS_POSTGRES),$(OTHER_VERSIONS)), $(call in_postgres,test/tap/run.sh))
# Beside a fake GPU.
FAKE_GPU := $(BUILD)/release/test/gpu
$(call suite, postgres-device, all $(if $(HAS_POSTGRES),$(BUILD)/postgres/fake_gpu.so $(FAKE_GPU)/hbscore_cuda.so $(FAKE_release)), \
    env SERVER_FAKE_GPU=$(FAKE_GPU) $(call in_postgres,test/tap/run.sh device))
FAKE_GPU_asan := $(BUILD)/asan/test/gpu
$(BUILD)/asan/postgres/fake_gpu.so: $(BUILD)/postgres/fake_gpu.so
	@mkdir -p $(@D) && cp $< $@
$(call suite, postgres-device-asan, $(call with_libpq,$(addprefix $(BUILD)/asan/,postgres/hbscore.so asan_first.so postgres/fake_gpu.so test/gpu/hbscore_cuda.so) $(FAKE_asan)), \
    env SERVER_ASAN=$(shell $(CC) -print-file-name=libasan.so) SERVER_FAKE_GPU=$(FAKE_GPU_asan) $(call in_postgres_of,$(BUILD)/asan,test/tap/run.sh device))
# sql/ and the golden models where a GPU scores all that it can.
$(call suite, postgres-gpu, $(call with_libpq,all $(BUILD)/release/test/postgres/test_golden $(BUILD)/postgres/fake_gpu.so $(FAKE_GPU)/hbscore_cuda.so $(FAKE_release)), \
    env SERVER_FAKE_GPU=$(FAKE_GPU) $(call in_postgres_of,$(BUILD),test/postgres/run.sh device golden_device))
$(call suite, postgres-docs,  all, $(call in_postgres,test/postgres/run_docs.sh))
$(call suite, demo-postgres,  all, $(call in_postgres,tools/check_demo_postgres.sh))
$(call suite, postgres-golden, $(call with_libpq,all $(BUILD)/release/test/postgres/test_golden), \
    $(call in_postgres_of,$(BUILD),$(BUILD)/release/test/postgres/test_golden $(GOLDEN_EFFORT)))
$(call suite, postgres-asan, $(call with_libpq,$(addprefix $(BUILD)/,asan/postgres/hbscore.so asan/asan_first.so release/test/postgres/test_golden release/test/postgres/test_faults)), \
    env SERVER_ASAN=$(shell $(CC) -print-file-name=libasan.so) HBSCORE_FAULT_STEP=5 \
    $(call in_postgres_of,$(BUILD)/asan,test/postgres/run.sh regress golden faults))
PG_MEMORY := $(addprefix $(BUILD)/release/test/postgres/,test_faults test_growth)
$(call suite, postgres-memory, $(call with_libpq,$(BUILD)/counted/postgres/hbscore.so $(PG_MEMORY)), \
    $(call in_postgres_of,$(BUILD)/counted,tools/programs.sh $(PG_MEMORY)))

# ------------------------------------------------------------------ fuzzing

# In `make check` the runs are counted, not timed, from a fixed seed: the same every time. `make fuzz` goes on
# from what it found before, for FUZZ_SECONDS a target. A run of fuzz_strategies is a forest compiled and scored
# by each strategy on each instruction set; one of fuzz_graph a pipeline without each of the passes.
FUZZ_RUNS    ?= 10000
FUZZ_RUNS_fuzz_strategies ?= 1000
FUZZ_RUNS_fuzz_graph ?= 500
FUZZ_RUNS_fuzz_pack ?= 300
FUZZ_SECONDS ?= 60
LIBS_fuzz_json = -ljson-c # beside which it reads
OBJECTS_fuzz_pack = $(fuzz_GPU)

define fuzzer_rules
$(BUILD)/fuzz/$(1): $(BUILD)/fuzz/test/fuzz/$(1).o $$(OBJECTS_$(1)) $(BUILD)/fuzz/libhbscore.a
	$$(call say,fuzz)$$(CC_fuzz) $$(FLAGS_fuzz) -fsanitize=fuzzer -o $$@ $$^ $$(LIBS) $$(LIBS_$(1))
OBJECTS += $(BUILD)/fuzz/test/fuzz/$(1).o
$(call suite,$(1),$(BUILD)/fuzz/$(1),tools/fuzz.sh check $(BUILD)/fuzz/$(1) $(or $(FUZZ_RUNS_$(1)),$(FUZZ_RUNS)))
.PHONY: long-$(1)
long-$(1): $(BUILD)/fuzz/$(1)
	tools/fuzz.sh long $$< $(FUZZ_SECONDS)
endef
$(foreach f,$(FUZZERS:test/fuzz/%.c=%),$(eval $(call fuzzer_rules,$(f))))

fuzz: $(FUZZERS:test/fuzz/%.c=long-%)

# As long as you like: random statements of our own, then SQLsmith's. SEED: which ones.
SEED    ?= 1
SECONDS ?= 300
smith:
	@tools/setup.sh smith
	@$(MAKE) --no-print-directory -j$(JOBS) postgres
	@tools/postgres_server.sh $(BUILD) test/postgres/smith/run.sh $(PYTHON) $(SEED) $(SECONDS)

# The sanitizers' build has not all instruction sets; this one has, and runs ten times as fast.
RUNS_strategies ?= 2000
RUNS_graphs ?= 5000
define seeds_rules
$(BUILD)/release/test/fuzz/$(1): $(BUILD)/release/test/fuzz/$(1).o $(BUILD)/release/test/fuzz/run_seeds.o $(BUILD)/libhbscore.a
	$$(call say,release)$$(CC_release) $$(FLAGS_release) -o $$@ $$^ $$(LIBS)
OBJECTS += $(BUILD)/release/test/fuzz/$(1).o
endef
OBJECTS += $(BUILD)/release/test/fuzz/run_seeds.o
$(foreach f,fuzz_strategies fuzz_graph,$(eval $(call seeds_rules,$(f))))
$(call suite, strategies, $(BUILD)/release/test/fuzz/fuzz_strategies, \
    $(BUILD)/release/test/fuzz/fuzz_strategies $(RUNS_strategies) $(wildcard test/fuzz/fuzz_strategies/*))
$(call suite, graphs, $(BUILD)/release/test/fuzz/fuzz_graph, \
    $(BUILD)/release/test/fuzz/fuzz_graph $(RUNS_graphs) $(wildcard test/fuzz/fuzz_graph/*))

# ------------------------------------------------------------------ demo, golden files, benchmarks

demo:
	@tools/setup.sh demo
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(if $(MODEL),demo/own.sh '$(MODEL)' '$(DATA)' $(BUILD)/hbscore.so,demo/run.sh $(BUILD)/hbscore.so)

# The second tour: the same in a PostgreSQL server that lives as long as the demo.
demo-postgres:
	@tools/setup.sh postgres
	@$(MAKE) --no-print-directory -j$(JOBS) postgres
	@tools/postgres_server.sh $(BUILD) demo/postgres/run.sh

# The picture of a plan.
drawings: all
	@tools/draw_plans.sh $(BUILD)

golden:
	test/golden/make_golden.sh

# The page of scikit-learn's estimators; the environment is that of the Python tests.
estimators:
	$(BUILD)/python-venv/bin/python tools/make_estimators.py

# The harness's way to the core, SQLite and, where there is a libpq, PostgreSQL; Python calls it.
BENCH_NATIVE := $(filter-out $(if $(HAS_LIBPQ),,bench/native/pg.c),$(wildcard bench/native/*.c))
$(BUILD)/bench/native.so: $(BENCH_NATIVE) $(wildcard bench/native/*.h) bench/common/malloc_host.h $(BUILD)/libhbscore.a
	@mkdir -p $(@D)
	$(call say,bench)$(CC) $(FLAGS_release) -Icore -I. $(if $(HAS_LIBPQ),-I$(PG_INCLUDE)) -shared -o $@ $(filter %.c %.a,$^) \
	    -lsqlite3 $(if $(HAS_LIBPQ),-L$(shell $(PG_CONFIG) --libdir) -lpq) $(LIBS)

# The harness: every model on every system, by LoadGen.
bench bench-list bench-lock bench-optional bench-check bench-report bench-publish bench-compare bench-audit bench-crosscheck bench-profile bench-paper:
	@tools/setup.sh bench-postgres
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/bench/native.so
	@$(BESIDE_POSTGRES) bench/hbsbench/bench.sh $(BUILD) $(if $(filter bench,$@),run,$(@:bench-%=%)) $(TABLE) $(RUN) $(BENCH)

bench-load:
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/bench/load $(if $(HAS_POSTGRES),postgres)
	@$(BESIDE_POSTGRES) bench/load/bench_load.sh $(BUILD)

$(BUILD)/bench/load: bench/load/load.c $(BUILD)/release/host/pages.o $(BUILD)/libhbscore.a
	@mkdir -p $(@D)
	$(call say,bench)$(CC) $(FLAGS_release) -Icore -I. -o $@ $^ $(LIBS)

bench-sqlite:
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@bench/sqlite/bench_sqlite.sh $(BUILD) $(BENCH)

bench-postgres:
	@tools/setup.sh bench-postgres
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@bench/postgres/bench_postgres.sh $(BUILD) $(BENCH)

bench-operators:
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/bench/score
	@bench/operators/bench_operators.sh $(BUILD) $(BENCH)

bench-kernels bench-kernels-full:
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/bench/score $(BUILD)/bench/peers
	@bench/kernels/bench_kernels.sh $(BUILD) $(if $(findstring full,$@),--full) $(BENCH)

bench-rewrites:
	@tools/setup.sh bench-postgres
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/bench/score
	@bench/rewrites/bench_rewrites.sh $(BUILD) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ROWS),--rows $(ROWS)) $(BENCH)

# The core as a program that benchmarks take turns with.
BENCH_COMMON := $(filter-out bench/common/score.c bench/common/blas.c,$(wildcard bench/common/*.c))
$(BUILD)/bench/score: bench/common/score.c bench/common/blas.c $(BENCH_COMMON) $(wildcard bench/common/*.h) $(BUILD)/libhbscore.a
	@mkdir -p $(@D)
	$(call say,bench)$(CC) $(FLAGS_release) -Icore -o $@ $(filter %.c %.a,$^) $(LIBS)

# Other libraries as such programs.
$(BUILD)/bench/peers: $(wildcard bench/kernels/*.c bench/kernels/*.h) $(BENCH_COMMON) $(wildcard bench/common/*.h)
	@mkdir -p $(@D)
	$(call say,bench)$(CC) $(FLAGS_release) -Icore -o $@ $(filter %.c,$^) $(LIBS) -ldl

check-bare:
	@tools/setup.sh bare
	tools/check_bare.sh

check-debian13:
	@tools/setup.sh bare
	DEBIAN=trixie tools/check_bare.sh demo check-postgres
