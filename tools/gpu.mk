# gpu.mk - the backend for NVIDIA's GPUs: hbscore_cuda.so, beside hbscore.so. It needs nvcc, which nothing else does; tests
# of its C run everywhere, beside a fake driver.

NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
NO_NVCC := $(if $(NVCC),,there is no nvcc)
# Its major is that of the oldest driver that will do.
NVCC_VERSION = $(shell $(NVCC) --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | awk '{ print $$1 * 1000 + $$2 * 10 }')
# Code for these; all others translate that of compute_75 when they load it.
GPU_ARCHITECTURES ?= 75 80 86 89 90 100 120
GPU_CODE = $(foreach a,$(GPU_ARCHITECTURES),-gencode arch=compute_$(a),code=sm_$(a)) -gencode arch=compute_75,code=compute_75
# Products and sums stay apart, or bits would differ.
NVCC_FLAGS := -fmad=false -std=c++17 -I.
GPU_SOURCES := gpu/cuda.c gpu/cuts.c gpu/driver.c gpu/image.c gpu/pack.c
GPU_HEADERS := $(wildcard gpu/*.h gpu/*.inc) core/hbs_backend.h core/hbscore.h

.PHONY: gpu install-gpu check-gpu
gpu: $(BUILD)/hbscore_cuda.so

$(BUILD)/gpu/kernels.fatbin: gpu/kernels.cu $(GPU_HEADERS)
	@mkdir -p $(@D)
	$(call say,gpu)$(NVCC) $(NVCC_FLAGS) -compress-mode=size -fatbin $(GPU_CODE) -o $@ $<

$(BUILD)/hbscore_cuda.so: $(GPU_SOURCES) $(GPU_HEADERS) $(BUILD)/gpu/kernels.fatbin $(BUILD)/release/flags
	$(call say,gpu)$(CC_release) $(FLAGS_release) -g0 -s -DHBG_FATBIN='"$(BUILD)/gpu/kernels.fatbin"' -DHBG_CUDA_VERSION=$(NVCC_VERSION) \
	    -Icore -I. -shared -Wl,-Bsymbolic -Wl,--as-needed -Wl,-z,now,-z,relro,-z,defs -o $@ $(GPU_SOURCES) -lpthread -ldl

install-gpu: $(BUILD)/hbscore_cuda.so
	install -d $(DESTDIR)$(PREFIX)/lib
	install -m 644 $(BUILD)/hbscore_cuda.so $(DESTDIR)$(PREFIX)/lib
	$(if $(HAS_POSTGRES),install -d $(DESTDIR)$(PG_PKGLIBDIR) && install -m 644 $(BUILD)/hbscore_cuda.so $(DESTDIR)$(PG_PKGLIBDIR))

# What a machine with a GPU needs to measure, which may have no compiler; and the measurement there.
.PHONY: bench-gpu bench-gpu-files
bench-gpu-files: gpu $(BUILD)/bench/gpu/bench $(BUILD)/bench/gpu/models
bench-gpu:
	@bench/gpu/bench_gpu.sh $(BUILD) $(MODEL)

$(BUILD)/bench/gpu/models: bench/gpu/make_models.py
	@mkdir -p $@
	$(PYTHON) $< $@
	@touch $@

$(BUILD)/bench/gpu/bench: bench/gpu/bench.c $(BUILD)/libhbscore.a
	@mkdir -p $(@D)
	$(call say,bench)$(CC) $(FLAGS_release) -Icore -o $@ $^ $(LIBS) -lpthread -ldl

# A driver for tests, and the backend as it is with it: both without nvcc.
define fake_driver_rules
FAKE_$(1) := $(BUILD)/$(1)/test/gpu/fake/libcuda.so.1
$(1)_CUDA := $(BUILD)/$(1)/gpu/cuda.o $(BUILD)/$(1)/gpu/driver.o
$$(FAKE_$(1)): $(BUILD)/$(1)/test/gpu/fake/libcuda.o $(BUILD)/$(1)/test/gpu/host_kernels.o
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) -shared -Wl,-Bsymbolic -Wl,-soname,libcuda.so.1 -o $$@ $$^ \
	    $$(filter-out -Wl$$(comma)-z$$(comma)defs,$$(LINK_$(1)))
$(BUILD)/$(1)/test/gpu/hbscore_cuda.so: $$($(1)_CUDA) $$(filter-out %/host_backend.o %/host_kernels.o,$$($(1)_GPU))
	$$(call say,$(1))$$(CC_$(1)) $$(FLAGS_$(1)) -shared -Wl,-Bsymbolic -o $$@ $$^ $$(LINK_$(1)) -lpthread -ldl
$(BUILD)/$(1)/test/core/test_cuda: $$($(1)_CUDA) $$(FAKE_$(1))
OBJECTS += $(BUILD)/$(1)/test/gpu/fake/libcuda.o $$($(1)_CUDA)
endef
$(foreach v,release clang asan,$(eval $(call fake_driver_rules,$(v))))
