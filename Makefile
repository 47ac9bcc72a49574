# A short front for the cmake presets. Every target installs what it misses (scripts/bootstrap) and works on a fresh clone.
.PHONY: all build command demo install deb python test test-long test-arm64 asan tsan clang petsc fuzz bench format check clean

CTEST = ctest --output-on-failure --no-tests=error -j "$$(nproc)"
FORMATTED = $(wildcard include/biela/*.h src/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] bench/*.[ch] bench/*/*.[ch] examples/*.[ch] examples/*/*.[ch])

all: build

build:
	@scripts/bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release

# the command with its page of reports, without the test programs: what `make build` and `make test` build later is only the rest
command:
	@scripts/bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target biela_command

demo: command
	@if build/biela run scenes/bricard.yaml -o build/bricard.h5 --report=build/bricard.html; then \
	echo "demo: open build/bricard.html in a browser: ten seconds of Bricard's mechanism (the numbers are in build/bricard.h5)"; \
	else build/biela run scenes/bricard.yaml -o build/bricard.h5 && \
	echo "demo: ten seconds of Bricard's mechanism are in build/bricard.h5; a page to look at needs Node.js and npm when building"; fi

# libraries, headers, command, manual pages, completion: make install PREFIX=/usr DESTDIR=...
PREFIX = /usr/local
install: build
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

# the Python package: build/dist has a wheel with the library and a source distribution; build/python works without installing
PYTHON = $(firstword $(wildcard /usr/bin/python3) python3)
python:
	@scripts/bootstrap python
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target python_package biela_command
	@$(PYTHON) python/tools/package.py build build/dist

# Debian packages (libbiela0, libbiela-dev, biela, python3-biela) in build-deb
deb:
	@scripts/bootstrap deb
	@scripts/deb
	@echo "make deb: the packages are in build-deb"

test:
	@scripts/bootstrap browser
	@$(MAKE) --no-print-directory build
	@$(CTEST) --test-dir build -L fast
	@echo "make test: all fast tests passed"

test-long: build
	@$(CTEST) --test-dir build -L long
	@echo "make test-long: all long tests passed"

# under qemu, slow: an hour or more
test-arm64:
	@scripts/arm64
	@echo "make test-arm64: all tests passed on arm64 (qemu)"

asan:
	@scripts/bootstrap
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan
	@UBSAN_OPTIONS=print_stacktrace=1 $(CTEST) --test-dir build-asan -L fast
	@echo "make asan: the tests passed under the address and undefined-behavior sanitizers"

# eight threads, each with its own contexts, under the thread sanitizer
tsan:
	@scripts/bootstrap optional
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan --target conform_study_threads
	@TSAN_OPTIONS=halt_on_error=1 $(CTEST) --test-dir build-tsan -R conform_study_threads
	@echo "make tsan: no data races between threads with a context each"

# numbers of another compiler: the command and the pages are those of the first
clang:
	@scripts/bootstrap clang
	@cmake --preset clang >/dev/null
	@cmake --build --preset clang
	@$(CTEST) --test-dir build-clang -L fast -E "^(cli|docs|example|extend)_"
	@echo "make clang: the tests of the library passed as compiled by clang"

# PETSc and MPI are not in the other builds: build-petsc/biela, and the tests of what they are used for
petsc:
	@scripts/bootstrap petsc
	@cmake --preset petsc >/dev/null
	@cmake --build --preset petsc
	@$(CTEST) --test-dir build-petsc -R "linsol|petsc"
	@echo "make petsc: build-petsc/biela runs under mpirun; its linear solvers passed their tests"

# ten minutes of both targets; the corpus is replayed by `make test`
fuzz:
	@scripts/fuzz
	@echo "make fuzz: nothing found"

# compares with Simbody, ODE, Bullet, DART, MuJoCo and SUNDIALS when they are there: scripts/bootstrap bench
bench:
	@scripts/bootstrap
	@cmake --preset release -DBIELA_BENCH=ON >/dev/null
	@cmake --build --preset release
	@scripts/bench build

format:
	@scripts/bootstrap check
	@clang-format -i $(FORMATTED)

check:
	@scripts/bootstrap check
	@scripts/check_rooms $(wildcard build/CMakeFiles/biela.dir/src)
	@scripts/check_banned
	@if [ -x build/biela ]; then scripts/check_docs build/biela; else scripts/check_docs; fi
	@if [ -d viewer/node_modules ]; then npm --prefix viewer run --silent check; fi
	@clang-format --dry-run -Werror $(FORMATTED)
	@if [ -f build/libbiela.a ]; then scripts/check_state build/libbiela.a; fi
	@echo "make check: all source checks passed"

clean:
	rm -rf build build-debug build-asan build-tsan build-clang build-petsc build-fuzz build-arm64 build-deb
