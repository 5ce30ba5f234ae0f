# hbscore: plain GNU make. `make demo` and `make check` are all that a visitor needs; they install what is
# missing first (tools/setup.sh). The other targets: `make help`.
#
# A variant is one way to compile everything, in a folder of its own:
#   release  $(CC), optimised: what `make all` gives, in build/ itself
#   clang    the same with clang
#   asan     gcc with the address and undefined-behaviour sanitizers
#   fuzz     clang with libFuzzer and both sanitizers
#   aarch64  a cross-compiler's core and golden runner, for `make check` under emulation
#   polls    $(CC), as optimised as release; the core counts its basic blocks (test/polls)

BUILD  ?= build
PREFIX ?= /usr/local
CLANG  ?= clang
CC_aarch64 ?= aarch64-linux-gnu-gcc
ifeq ($(origin CC),default)
CC     := gcc
endif
CFLAGS ?= -O2 -g
PYTHON ?= /usr/bin/python3
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.PHONY: all help FORCE
all:

# ------------------------------------------------------------------ flags

# The Makefile removes flags from CFLAGS that change bits, so all machines give the same ones. It also removes
# flags that choose an instruction set: hbscore picks kernels at run time (core/kernel/isa.h), and the rest runs on every
# CPU of its architecture.
ISA_FLAGS := -march=% -mcpu=% -msse% -mssse% -mavx% -mfma% -mf16c -mbmi% -mlzcnt -mpopcnt -mgfni -mxop -mamx% -mvaes
override CFLAGS := $(filter-out -Ofast -ffast-math -funsafe-math-optimizations -fassociative-math \
                     -freciprocal-math -ffinite-math-only -ffp-contract=% $(ISA_FLAGS),$(CFLAGS))
WARNINGS  := -Wall -Wextra -Werror -Wvla -Wstrict-prototypes
OWN_FLAGS := -std=c11 -fPIC -fvisibility=hidden -ffp-contract=off
STRICT    := -Wconversion -Wframe-larger-than=4096
SANITIZE  := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
NARROW     = $(if $(SANITIZE_WIDE),,-DHB_WITHOUT_AVX512)

VARIANTS     := release clang asan fuzz aarch64 polls
CC_release    = $(CC)
CC_clang      = $(CLANG)
CC_asan       = $(CC)
CC_fuzz       = $(CLANG)
CC_polls      = $(CC)
FLAGS_release = $(CFLAGS) $(OWN_FLAGS) $(WARNINGS) $(STRICT)
# Only for tests: -g1 has the lines that a sanitizer names. Following variables takes up to three quarters of the time of
# compiling a kernel.
FLAGS_clang   = -O2 -g1 $(OWN_FLAGS) $(WARNINGS) $(STRICT)
FLAGS_asan    = -O1 -g1 $(OWN_FLAGS) $(WARNINGS) -Wconversion $(SANITIZE) $(NARROW)
FLAGS_fuzz    = -O1 -g1 $(OWN_FLAGS) $(WARNINGS) $(SANITIZE) -fsanitize=fuzzer-no-link $(NARROW)
FLAGS_aarch64 = -O2 -g1 $(OWN_FLAGS) $(WARNINGS) -Wconversion
FLAGS_polls   = -O2 -g1 $(OWN_FLAGS) $(WARNINGS) -Wconversion -fsanitize-coverage=trace-pc $(NARROW)
LINK_release  = $(LDFLAGS) -Wl,-z,defs
LINK_clang    = -Wl,-z,defs
LINK_asan     = $(SANITIZE)
LINK_fuzz     = $(SANITIZE)
LINK_aarch64  = -static
# Tests are POSIX programs; cmocka's macros convert, and its test functions rarely use their argument.
# Without optimisation they compile in a third of the time; here it is only the library under them that must be fast.
TEST_FLAGS_clang = -O0
TEST_FLAGS_asan  = -O0
TEST_FLAGS_polls = -O1 -fno-sanitize-coverage=trace-pc
TEST_FLAGS    = -std=gnu11 -Wno-conversion -Wno-unused-parameter -Wno-frame-larger-than

LIBS = -lm

SO_FLAGS := -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,-z,now,-z,relro \
            -Wl,--version-script=tools/hbscore.map

# ------------------------------------------------------------------ sources

# The part of gpu/ that needs no GPU, with the kernels compiled for the host: tests run it everywhere.
GPU_HOST := gpu/cuts.c gpu/image.c gpu/pack.c test/gpu/host_backend.c test/gpu/host_kernels.c
CORE   := $(sort $(wildcard core/*/*.c) $(wildcard core/hbscore.c))
HOST   := $(sort $(wildcard host/*.c))
SQLITE := $(HOST) $(sort $(wildcard sqlite/*.c))

# Loops over rows, compiled for each instruction set too (core/kernel/kernels.h). A fused product has other bits:
# -ffp-contract=off keeps compilers from making any, and kernels ask for those that they prove.
ISA_KERNELS := argmax_apart arithmetic64 bits_compare bits_sets bits_trees compact_walk convolution32 dense_portable dense_segments dense_segments32 \
         elementwise64 encoder_portable expansion64 forest_walk gemm_tensors input_portable kernels_table links64 \
         matmul64 matmul_weights32 naive_bayes_portable nearest64 nearest_filter pairwise64 pool product32 quotient64 row_ranks row_walk rows_portable sparse_portable
ISAS := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),avx2 avx512 avx512vbmi)
# Sanitizers see the portable loops and those of AVX2: compiling the wider ones takes longer than all the rest.
# SANITIZE_WIDE=1: those too.
ISAS_release = $(ISAS)
ISAS_clang   = $(ISAS)
ISAS_asan    = $(if $(SANITIZE_WIDE),$(ISAS),$(filter avx2,$(ISAS)))
ISAS_fuzz    = $(ISAS_asan)
ISAS_aarch64 =
ISAS_polls   = $(ISAS_asan)
AVX512 := -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512
# The kernels for an instruction set are the portable ones' lines once more, and those are compiled with all checks.
FEWER_CHECKS = $(if $(SANITIZE_WIDE),,-fno-sanitize=alignment,null,pointer-overflow)
CHECKS_asan  = $(FEWER_CHECKS)
CHECKS_fuzz  = $(FEWER_CHECKS)
FOR_avx2       := -mavx2 -mfma -DHB_ISA_AVX2
FOR_avx512     := $(AVX512) -DHB_ISA_AVX512
FOR_avx512vbmi := $(AVX512) -mavx512vbmi -mgfni -DHB_ISA_AVX512VBMI

# In a folder of tests each file with a main() is a program, and the others are linked to each of them.
TEST_DIRS     := test/core test/golden test/hostile test/onnx test/sqlite
TEST_SOURCES  := $(sort $(wildcard $(TEST_DIRS:%=%/*.c)))
PROGRAMS      := $(if $(TEST_SOURCES),$(shell grep -lE '^int main\b' $(TEST_SOURCES)))
FUZZERS       := $(sort $(wildcard test/fuzz/fuzz_*.c))
support_of     = $(filter-out $(PROGRAMS),$(filter $(1)/%,$(TEST_SOURCES)))

# ------------------------------------------------------------------ the rules of one variant

comma := ,
# Each recipe prints the step and its file; with V=1 the command itself.
say = $(if $(V),,@printf '%-8s %s\n' $(1) $@ && )

out_dir = $(if $(filter release,$(1)),$(BUILD),$(BUILD)/$(1))

define variant_rules
$(1)_CORE   := $$(CORE:%.c=$(BUILD)/$(1)/%.o) \
               $$(foreach i,$(ISAS_$(1)),$$(ISA_KERNELS:%=$(BUILD)/$(1)/core/kernel/%.$$(i).o))
$(1)_SQLITE := $$(SQLITE:%.c=$(BUILD)/$(1)/%.o)
$(1)_STATIC := $$(patsubst sqlite/%.c,$(BUILD)/$(1)/static/sqlite/%.o,$$(filter sqlite/%,$$(SQLITE))) $$(HOST:%.c=$(BUILD)/$(1)/%.o)
$(1)_TESTS  := $$(PROGRAMS:%.c=$(BUILD)/$(1)/%)
$(1)_GPU    := $$(GPU_HOST:%.c=$(BUILD)/$(1)/%.o)
OBJECTS     += $$($(1)_CORE) $$($(1)_SQLITE) $$($(1)_STATIC) $$(TEST_SOURCES:%.c=$(BUILD)/$(1)/%.o) $$($(1)_GPU)

# Changes only when the compiler or its flags do, and then everything is compiled again.
$(BUILD)/$(1)/flags: FORCE
	@mkdir -p $$(@D)
	@echo '$$(CC_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1))' | cmp -s - $$@ || \
	    echo '$$(CC_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1))' > $$@

# The hot loops: -O3 unrolls the lanes that -O2 leaves as loops (measured: 1.5 to 2 times as fast). Nobody reads errno
# or the flags of exceptions; no bit of a number depends on these two. A debugger sees their lines, not their variables:
# following these takes gcc as long as all the rest.
$(BUILD)/$(1)/core/kernel/%.o: OPTIMIZE := $(if $(filter release clang aarch64 polls,$(1)),-O3) -fno-math-errno -fno-trapping-math \
    $(if $(filter -g%,$(FLAGS_$(1))),-g1)

$(BUILD)/$(1)/core/%.o: core/%.c $(BUILD)/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) $$(OPTIMIZE) -Icore -MMD -MP -c $$< -o $$@

$$(foreach i,$(ISAS_$(1)),$$(ISA_KERNELS:%=$(BUILD)/$(1)/core/kernel/%.$$(i).o)): $(BUILD)/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) $$(OPTIMIZE) $$(FOR_$$(patsubst .%,%,$$(suffix $$(basename $$@)))) $$(CHECKS_$(1)) -Icore -MMD -MP \
	    -c core/kernel/$$(basename $$(basename $$(@F))).c -o $$@

$(BUILD)/$(1)/sqlite/%.o: sqlite/%.c $(BUILD)/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) -Icore -I. -MMD -MP -c $$< -o $$@

$(BUILD)/$(1)/host/%.o: host/%.c $(BUILD)/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) -Icore -I. -MMD -MP -c $$< -o $$@

$(BUILD)/$(1)/gpu/%.o: gpu/%.c $(BUILD)/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) -Icore -I. -MMD -MP -c $$< -o $$@

# Where tests see gpu/, whose paths begin at the root.
$(foreach d,gpu golden core fuzz polls postgres,$(BUILD)/$(1)/test/$(d)/%.o): TEST_INCLUDES := -I.

$(BUILD)/$(1)/static/sqlite/%.o: sqlite/%.c $(BUILD)/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) -DSQLITE_CORE -Icore -I. -MMD -MP -c $$< -o $$@

$(BUILD)/$(1)/test/%.o: test/%.c $(BUILD)/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) $$(TEST_FLAGS) $$(TEST_FLAGS_$(1)) -Icore -Itest $$(TEST_INCLUDES) -MMD -MP -c $$< -o $$@

$(call out_dir,$(1))/libhbscore.a: $$($(1)_CORE)
	@rm -f $$@
	$$(call say,$(1))$$(AR) rcs $$@ $$^

# The extension to be linked into a program beside SQLite itself, with the core in it.
$(call out_dir,$(1))/libhbscore_sqlite.a: $$($(1)_STATIC) $$($(1)_CORE)
	@rm -f $$@
	$$(call say,$(1))$$(AR) rcs $$@ $$^

$(call out_dir,$(1))/hbscore.so: $$($(1)_SQLITE) $(call out_dir,$(1))/libhbscore.a tools/hbscore.map
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) $$(SO_FLAGS) -o $$@ $$(filter %.o %.a,$$^) $$(LINK_$(1)) $$(LIBS)
endef

# One test program: itself, the other .c files of its folder, the library.
define program_rules
$(BUILD)/$(1)/$(2): $(BUILD)/$(1)/$(2).o $$(patsubst %.c,$(BUILD)/$(1)/%.o,$$(call support_of,$(patsubst %/,%,$(dir $(2))))) \
    $(if $(filter test/golden/% test/core/%,$(2)),$$($(1)_GPU)) $(call out_dir,$(1))/libhbscore.a
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) -o $$@ $$(filter %.o %.a,$$^) $$(filter-out -Wl$$(comma)-z$$(comma)defs,$$(LINK_$(1))) \
	    $$(LIBS) $$(if $$(findstring test/sqlite,$$@),-lsqlite3) $(if $(filter test/golden/% test/onnx/%,$(2)),,-lcmocka) -lpthread -ldl
OBJECTS += $(BUILD)/$(1)/$(2).o
endef

# Test programs with the extension linked to them.
define static_program_rules
$(BUILD)/$(1)/test/sqlite/test_static $(BUILD)/$(1)/test/sqlite/test_nearest: $(call out_dir,$(1))/libhbscore_sqlite.a
endef

$(foreach v,$(VARIANTS),$(eval $(call variant_rules,$(v))))

# The extension of the tests of query shapes: it counts what it does (hbscore_counts).
$(BUILD)/counted/hbscore.so: $(SQLITE) $(wildcard sqlite/*.h host/*.h) core/hbscore.h $(BUILD)/libhbscore.a $(BUILD)/release/flags
	@mkdir -p $(@D)
	$(call say,counted)$(CC_release) $(FLAGS_release) -DSQ_COUNTERS -Icore -I. $(SO_FLAGS) -o $@ $(SQLITE) $(BUILD)/libhbscore.a \
	    $(LINK_release) $(LIBS)

$(foreach v,release clang asan,$(foreach p,$(PROGRAMS:.c=),$(eval $(call program_rules,$(v),$(p)))))
$(foreach v,release clang asan,$(eval $(call static_program_rules,$(v))))
$(eval $(call program_rules,aarch64,test/golden/run_golden))

# ONNX graphs over whole tensors in SQL: an extension of SQLite for tests alone.
TEST_RUN := $(BUILD)/release/test/onnx/hbscoretestrun.so
$(TEST_RUN): $(BUILD)/release/test/onnx/sql/hbscore_test_run.o $(BUILD)/release/test/onnx/whole_tensors.o $(BUILD)/libhbscore.a
	$(call say,release)$(CC_release) $(FLAGS_release) -shared -o $@ $^ $(LIBS)
OBJECTS += $(BUILD)/release/test/onnx/sql/hbscore_test_run.o

# How long the core works without a poll, in basic blocks; with the builders of models of the hostile tests.
TEST_POLLS := $(BUILD)/polls/test/polls/test_polls
POLLS_TEST := $(patsubst %.c,$(BUILD)/polls/%.o,$(wildcard test/polls/*.c test/hostile/model_*.c) test/hostile/lightgbm_builder.c)
OBJECTS    += $(POLLS_TEST)
$(TEST_POLLS): $(POLLS_TEST) $(BUILD)/polls/libhbscore.a
	$(call say,polls)$(CC_polls) -o $@ $^ $(LIBS)

FORCE:

include tools/postgres.mk
include tools/gpu.mk

# ------------------------------------------------------------------ building and installing

.PHONY: static clang asan install install-sqlite uninstall uninstall-sqlite wheel clean format size
all: $(BUILD)/libhbscore.a $(BUILD)/hbscore.so
static: $(BUILD)/libhbscore_sqlite.a
clang: $(BUILD)/clang/libhbscore.a $(BUILD)/clang/hbscore.so
asan: $(BUILD)/asan/libhbscore.a $(BUILD)/asan/hbscore.so

VERSION = $(shell sed -n 's/^.define HBS_VERSION "\(.*\)"/\1/p' core/hbscore.h)

# Installs PostgreSQL's extension too if pg_config is found; install-sqlite and install-postgres install one of the two.
install: install-sqlite $(if $(HAS_POSTGRES),install-postgres)
uninstall: uninstall-sqlite $(if $(HAS_POSTGRES),uninstall-postgres)

install-sqlite: $(BUILD)/libhbscore.a $(BUILD)/hbscore.so static
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 644 $(BUILD)/hbscore.so $(BUILD)/libhbscore.a $(BUILD)/libhbscore_sqlite.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 core/hbscore.h $(DESTDIR)$(PREFIX)/include
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: hbscore' 'Description: scores rows with trained models' \
	    'Version: $(VERSION)' 'Libs: -L$${prefix}/lib -lhbscore' \
	    'Libs.private: -lm' 'Cflags: -I$${prefix}/include' > $(DESTDIR)$(PREFIX)/lib/pkgconfig/hbscore.pc

uninstall-sqlite:
	rm -f $(DESTDIR)$(PREFIX)/lib/hbscore.so $(DESTDIR)$(PREFIX)/lib/libhbscore.a \
	    $(DESTDIR)$(PREFIX)/lib/libhbscore_sqlite.a
	rm -f $(DESTDIR)$(PREFIX)/lib/pkgconfig/hbscore.pc $(DESTDIR)$(PREFIX)/include/hbscore.h

# Python's package with the extension in it.
wheel:
	@tools/setup.sh wheel
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@tools/make_wheel.sh $(BUILD)

# Files that take long to make (virtual environments, the trained bench model) stay; `make distclean` removes them.
clean:
	rm -rf $(VARIANTS:%=$(BUILD)/%) $(BUILD)/counted $(BUILD)/postgres $(BUILD)/report $(BUILD)/wheel $(BUILD)/libhbscore.a $(BUILD)/libhbscore_sqlite.a \
	    $(BUILD)/hbscore.so

.PHONY: distclean
distclean:
	rm -rf $(BUILD)

format:
	tools/format.sh

size: all
	@tools/size.sh $(BUILD)

help:
	@sed -n 's/^#: //p' Makefile

#: make all        build/libhbscore.a and build/hbscore.so
#: make static     build/libhbscore_sqlite.a: the extension to link beside SQLite (SQLITE_CORE)
#: make demo       scores real tables with real models in SQLite; MODEL=file DATA=file.csv: your own
#: make demo-postgres  the same in PostgreSQL, beside a temporary server
#: make check      everything that must hold; under 20 minutes on two cores
#: make check-quick   the short form, under two minutes
#: make postgres   build/postgres/hbscore.so, for the server of PG_CONFIG=pg_config
#: make installcheck  the tests in SQL on a running PostgreSQL server that the extension is installed in
#: make gpu        build/hbscore_cuda.so, the backend for GPUs: needs nvcc; make install-gpu
#: make install    PREFIX=/usr/local, DESTDIR
#: make install-sqlite, make install-postgres   one of the two alone
#: make wheel      build/wheel/hbscore-*.whl: the Python package, with the extension in it
#: make size       bytes and dependencies of what is built
#: make fuzz       fuzzes every reader for FUZZ_SECONDS=60 each; SANITIZE_WIDE=1: the kernels of AVX-512 too
#: make smith      random statements in PostgreSQL, with and without blocks, and SQLsmith's: SEED=1, SECONDS=300 each
#: make bench      hbscore beside other systems by MLCommons' LoadGen; BENCH="MODEL --profile smoke": docs/benchmarks.md
#: make bench-list, bench-lock, bench-check, bench-report, bench-publish, bench-compare, bench-audit, bench-crosscheck, bench-profile   more of the harness
#: make bench-paper TABLE=hummingbird-7   a table of a paper, with its own figures beside ours; without TABLE: the list
#: make bench-load    cold start beside XGBoost's own load of the same file
#: make bench-sqlite  1 M rows in SQLite: scalar, scan, virtual table, beside the libraries in Python
#: make bench-postgres  1 M rows in PostgreSQL: by row, by batch, with workers, beside fetching, PL/Python, CASE
#: make bench-rewrites  passes of the optimizer on and off: Hummingbird's Figures 9 and 10, CMLCompiler's ablation
#: make bench-operators  scikit-learn's operators and pipelines, beside it and ONNX Runtime
#: make bench-kernels   tree ensembles beside every library that scores them; BENCH=--smoke: tiny ones, in seconds
#: make bench-kernels-full   the same, over the whole grid
#: make estimators makes docs/estimators.md anew
#: make drawings   draws the plan that docs/architecture.md shows anew (graphviz)
#: make golden     trains the golden models again and records the libraries' own outputs
#: make format     the C sources as .clang-format says (clang-format 14)
#: make check-postgres   the suites beside PostgreSQL alone
#: make check-long   what takes long: gaps between polls by every strategy, all ways of a GPU, every fault in SQLite; three minutes
#: make check-postgres-valgrind  the tests in SQL in a PostgreSQL server under valgrind; some minutes
#: make check-bare    demo and check in a bare Debian 12 (debootstrap; needs root)
#: make check-gpu        the golden models on a GPU; needs one
#: make bench-gpu        forests on a GPU beside a core of the CPU; make bench-gpu-files builds what it needs
#: make check-onnx       ONNX's own tests of its operators: passed, failed, out of scope
#: make check-debian13   demo and the suites beside PostgreSQL, which is 17 there, in a bare Debian 13
#: make clean, make distclean

include tools/check.mk

-include $(sort $(OBJECTS:.o=.d))
