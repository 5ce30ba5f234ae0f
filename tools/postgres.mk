# postgres.mk - the PostgreSQL extension, where a pg_config is found. Part of the Makefile.
#
#   make postgres                       build/postgres/hbscore.so for the server of PG_CONFIG
#   make PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config postgres

PG_CONFIG ?= pg_config
PG_SERVER_INCLUDE := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
HAS_POSTGRES := $(wildcard $(PG_SERVER_INCLUDE)/postgres.h)

POSTGRES := $(sort $(wildcard postgres/*.c))
POSTGRES_DATA := postgres/hbscore.control $(wildcard postgres/hbscore--*.sql)

# PostgreSQL's headers need its own dialect: their macros convert and cast. Entry points are visible by postgres/hbscore.map;
# before version 16 its PGDLLEXPORT does not make them so.
FLAGS_postgres = -std=gnu11 -Wno-sign-compare \
    -Wno-missing-field-initializers -Wno-unused-parameter -Wmissing-prototypes -fno-strict-aliasing -fwrapv -fvisibility=default \
    -isystem $(PG_SERVER_INCLUDE) -D_GNU_SOURCE -Icore -I.
postgres_flags = $(filter-out -Wconversion -Wstrict-prototypes -Wvla,$(FLAGS_$(1))) $(FLAGS_postgres) $(FAULTS_$(1))
# The sanitizers see what comes behind a failed allocation too.
FAULTS_asan = -DHBPG_FAULTS
POSTGRES_SO_FLAGS = $(subst tools/hbscore.map,postgres/hbscore.map,$(SO_FLAGS))

# The extension of one variant: what the server loads, and with the sanitizers.
define postgres_rules
$(1)_POSTGRES := $$(POSTGRES:%.c=$(call out_dir,$(1))/postgres/%.o)
OBJECTS += $$($(1)_POSTGRES)

$(call out_dir,$(1))/postgres/flags: FORCE
	@mkdir -p $$(@D)
	@echo '$$(CC_$(1)) $$(call postgres_flags,$(1))' | cmp -s - $$@ || echo '$$(CC_$(1)) $$(call postgres_flags,$(1))' > $$@

$(call out_dir,$(1))/postgres/postgres/%.o: postgres/%.c $(call out_dir,$(1))/postgres/flags
	@mkdir -p $$(@D)
	$$(call say,postgres)$$(CC_$(1)) $$(call postgres_flags,$(1)) -MMD -MP -c $$< -o $$@

$(call out_dir,$(1))/postgres/hbscore.so: $$($(1)_POSTGRES) $$(HOST:%.c=$(BUILD)/$(1)/%.o) $(call out_dir,$(1))/libhbscore.a postgres/hbscore.map
	$$(call say,postgres)$$(CC_$(1)) $$(FLAGS_$(1)) $$(POSTGRES_SO_FLAGS) -o $$@ $$(filter %.o %.a,$$^) \
	    $(if $(filter release,$(1)),$$(LDFLAGS),$$(LINK_$(1))) $$(LIBS)
endef
$(foreach v,release asan,$(eval $(call postgres_rules,$(v))))

# A library that a server under the sanitizers preloads behind libasan.
$(BUILD)/asan/asan_first.so: tools/asan_first.c $(BUILD)/release/flags
	@mkdir -p $(@D)
	$(call say,asan)$(CC_release) $(FLAGS_release) -shared -Wl,-z,initfirst -o $@ $<

# For the test of upgrades: the library of a next version, with a function more, and one of another interface.
OF_next  := -DHBPG_LIBRARY_VERSION='HBS_VERSION ".next"'
OF_other := -DHBPG_INTERFACE=2
OTHER_VERSIONS := $(addprefix $(BUILD)/postgres/,next/hbscore.so other/hbscore.so)

define other_version_rules
$(BUILD)/postgres/$(1)/pg_interface.o: postgres/pg_interface.c $(BUILD)/postgres/postgres/pg_interface.o
	@mkdir -p $$(@D)
	$$(call say,postgres)$$(CC_release) $$(call postgres_flags,release) $$(OF_$(1)) -c $$< -o $$@

$(BUILD)/postgres/$(1)/next.o: test/postgres/next/next.c $(BUILD)/postgres/flags
	@mkdir -p $$(@D)
	$$(call say,postgres)$$(CC_release) $$(call postgres_flags,release) -c $$< -o $$@

$(BUILD)/postgres/$(1)/hbscore.so: $(BUILD)/postgres/$(1)/pg_interface.o $(BUILD)/postgres/$(1)/next.o $(BUILD)/postgres/hbscore.so
	$$(call say,postgres)$$(CC_release) $$(FLAGS_release) $$(POSTGRES_SO_FLAGS) -o $$@ $$(filter %.o,$$^) \
	    $$(filter-out %/pg_interface.o,$$(release_POSTGRES)) $$(HOST:%.c=$(BUILD)/release/%.o) $(BUILD)/libhbscore.a $$(LDFLAGS) $$(LIBS)
endef
$(foreach v,next other,$(eval $(call other_version_rules,$(v))))

.PHONY: postgres install-postgres uninstall-postgres
postgres: $(BUILD)/postgres/hbscore.so
ifneq ($(HAS_POSTGRES),)
all: postgres
endif

PG_PKGLIBDIR = $(shell $(PG_CONFIG) --pkglibdir)
PG_EXTENSION = $(shell $(PG_CONFIG) --sharedir)/extension

install-postgres: postgres
	install -d $(DESTDIR)$(PG_PKGLIBDIR) $(DESTDIR)$(PG_EXTENSION)
	install -m 755 $(BUILD)/postgres/hbscore.so $(DESTDIR)$(PG_PKGLIBDIR)
	install -m 644 $(POSTGRES_DATA) $(DESTDIR)$(PG_EXTENSION)

# As PGXS has it: the tests in SQL on the running server that PGHOST and its like name, in which the extension is installed.
# REGRESS_OPTS, ISOLATION_OPTS: options of pg_regress and pg_isolation_regress, as --host.
.PHONY: installcheck
installcheck:
	PG_CONFIG='$(PG_CONFIG)' test/postgres/regress.sh
	PG_CONFIG='$(PG_CONFIG)' test/postgres/isolation.sh

uninstall-postgres:
	rm -f $(DESTDIR)$(PG_PKGLIBDIR)/hbscore.so $(addprefix $(DESTDIR)$(PG_EXTENSION)/,$(notdir $(POSTGRES_DATA)))

# The extension of the tests of memory: an allocation of the core can be made to fail (postgres/pg_memory.c).
$(BUILD)/counted/postgres/hbscore.so: $(POSTGRES) $(wildcard postgres/*.h host/*.h) core/hbscore.h $(HOST:%.c=$(BUILD)/release/%.o) \
    $(BUILD)/libhbscore.a postgres/hbscore.map $(BUILD)/postgres/flags
	@mkdir -p $(@D)
	$(call say,counted)$(CC_release) $(call postgres_flags,release) -DHBPG_FAULTS $(POSTGRES_SO_FLAGS) -o $@ $(filter %.c %.o %.a,$^) $(LDFLAGS) $(LIBS)

# Another extension, beside which it is tested (test/postgres/shapes.sh).
$(BUILD)/postgres/columnar.so: $(wildcard test/postgres/columnar/*.c test/postgres/columnar/*.h) $(BUILD)/postgres/flags
	@mkdir -p $(@D)
	$(call say,postgres)$(CC_release) $(call postgres_flags,release) -fPIC -shared -o $@ $(filter %.c,$^)

# The functions by which SQL speaks to a fake driver of GPUs.
$(BUILD)/postgres/fake_gpu.so: test/postgres/fake_gpu/fake_gpu.c test/gpu/fake/libcuda.h $(BUILD)/postgres/flags
	@mkdir -p $(@D)
	$(call say,postgres)$(CC_release) $(call postgres_flags,release) -Itest -fPIC -shared -o $@ $(filter %.c,$^) -ldl

# ------------------------------------------------------------------ programs that test it beside a server

# Where there is libpq's header too. The other .c files of the folder, the reader of the golden files and the builder of models
# are linked to each.
PG_INCLUDE := $(shell $(PG_CONFIG) --includedir 2>/dev/null)
HAS_LIBPQ  := $(wildcard $(PG_INCLUDE)/libpq-fe.h)
PG_TEST_SOURCES := $(sort $(wildcard test/postgres/*.c))
PG_PROGRAMS     := $(if $(PG_TEST_SOURCES),$(shell grep -lE '^int main\b' $(PG_TEST_SOURCES)))
PG_SUPPORT      := $(filter-out $(PG_PROGRAMS),$(PG_TEST_SOURCES)) $(addprefix test/golden/golden_,cells.c file.c rule.c) \
                   $(addprefix test/hostile/model_,builder.c document.c edit.c)
PG_TESTS        := $(PG_PROGRAMS:%.c=$(BUILD)/release/%)
OBJECTS         += $(PG_TEST_SOURCES:%.c=$(BUILD)/release/%.o)

$(PG_TEST_SOURCES:%.c=$(BUILD)/release/%.o): TEST_FLAGS += -isystem $(PG_INCLUDE)

$(PG_TESTS): $(BUILD)/release/%: $(BUILD)/release/%.o $(PG_SUPPORT:%.c=$(BUILD)/release/%.o) $(BUILD)/libhbscore.a
	$(call say,release)$(CC_release) $(FLAGS_release) -o $@ $^ $(LDFLAGS) -L$(shell $(PG_CONFIG) --libdir) -lpq -lsqlite3 $(LIBS)
