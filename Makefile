# Two commands matter: `make demo` and `make test`. Nothing else is needed first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
DATA ?= .data

# Where Python may not keep what it has compiled, each of the many processes below compiles all of Plyscribe again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve test test-unit test-rest test-all test-late test-random test-long test-abuse soak abuse bench check docs kit format openapi prepare servers browser tools redis-server postgresql chromium-headless-shell systemd clean help

help:
	@echo "make demo       play bot matches over HTTP, verify them, show them (ONCE=1 ends then, CLUSTER=3 keeps them on a cluster)"
	@echo "make serve      run the service (both: PORT=8420 DATA=.data)"
	@echo "make test       run each feature's tests, with a real store, workers and browser (minutes)"
	@echo "make test-unit  run the tests of rules, library and stores that need no server (a minute or two)"
	@echo "make test-all   run all tests, on all servers and in all cases; installs what they need (half an hour)"
	@echo "make test-late  run the tests that start processes, with every request, answer and job delayed"
	@echo "make check      lint, formatting, types"
	@echo "make test-random  play 200,000 plies of every game"
	@echo "make test-long  run the tests that take longest: agents that learn, hostile files"
	@echo "make test-abuse attack a service in every way that is known, for some seconds each (two minutes)"
	@echo "make docs       build the documentation site into build/site"
	@echo "make kit        make the files in deploy/ from deploy/topology.toml"
	@echo "make soak       kill processes and break connections under load (half an hour)"
	@echo "make abuse      attack a service with one account beside somebody who plays (five minutes)"
	@echo "make bench      what things cost, beside what they cost elsewhere (ten minutes)"

demo: $(VENV)/run.stamp
	@$(BIN)/plyscribe demo --data $(DATA) $(if $(PORT),--port $(PORT)) $(if $(CLUSTER),--cluster $(CLUSTER)) $(if $(ONCE),--once)

serve: $(VENV)/run.stamp
	@$(BIN)/plyscribe serve --data $(DATA) $(if $(PORT),--port $(PORT))

# No test takes a quarter of an hour on any machine: one that does would hang for ever, and is shown with its threads.
PYTEST := $(BIN)/python -m pytest --dist worksteal --timeout 900 --timeout-method thread --durations 10

# Without a browser, the tests that need one are skipped, and the last lines say so.
test: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory browser || test -z "$$PLYSCRIBE_REQUIRE_SERVERS"
	$(PYTEST) -n 4 -m "not exhaustive and not long"

UNIT := archive database domain language store testing test_architecture.py test_public_api.py test_tiers.py
test-unit: $(VENV)/test.stamp
	$(PYTEST) -n 2 -m "not server and not exhaustive and not long" $(UNIT:%=tests/%)

# What `make test` leaves out, but for the long proofs.
test-rest: prepare
	PLYSCRIBE_REQUIRE_SERVERS=1 $(PYTEST) -n 4 -m "exhaustive and not long"

test-all: test test-rest test-random test-long

# Requests, answers, steps of the relay and jobs come late, each after a random delay. No test may fail. The contract's
# test sends 20,000 requests one after another: it would take hours.
test-late: prepare
	PYTHONPATH=$(CURDIR)/tests/late PLYSCRIBE_REQUIRE_SERVERS=1 $(PYTEST) -n 6 -m "not long" \
	  --ignore tests/system/test_contract.py tests/pages tests/system tests/workers

# Of every game that comes with Plyscribe: the toy games are so small that such matches repeat themselves.
test-random: $(VENV)/test.stamp
	$(BIN)/python -m pytest -n 2 tests/domain/proofs -k "random_matches and not toy" --plyscribe-plies 200000

test-long: prepare
	$(BIN)/python -m pytest -n 2 -m long --ignore tests/abuse

# By itself: an attack that something else slows down meets no bound.
test-abuse: prepare
	$(BIN)/python -m pytest -m long tests/abuse

soak: $(VENV)/test.stamp
	@nice -n 5 $(BIN)/python -m tests.faults --minutes 25 --kills 100 --moves 20000

abuse: $(VENV)/test.stamp
	@$(BIN)/python -m tests.abuse

bench: $(VENV)/bench.stamp
	@$(BIN)/python -m bench

check: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

openapi: $(VENV)/test.stamp
	$(BIN)/python -m plyscribe.service.web.schemas.client_types > service/client/answers.py
	$(BIN)/python -m tests.service.examples
	$(BIN)/python -m plyscribe openapi > openapi.yaml

docs: $(VENV)/docs.stamp
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "open build/site/index.html"

kit: $(VENV)/run.stamp
	@$(BIN)/python -m deploy

prepare: $(VENV)/test-all.stamp servers browser tools

# Debian's packages: the second server that the store is tested on, the server of the read database, the browser that
# the pages are tested in, and what checks the files in deploy/.
servers: redis-server postgresql
browser: chromium-headless-shell
tools: systemd $(BIN)/caddy $(BIN)/promtool
redis-server postgresql chromium-headless-shell: FOUND = command -v $@
systemd: FOUND = command -v systemd-analyze
systemd: MISSING = the tests need systemd-analyze on PATH
redis-server: MISSING = the tests need redis-server 7.0 or newer on PATH
chromium-headless-shell: MISSING = the tests of the pages need chromium-headless-shell on PATH
# Debian keeps its programs off PATH, and would make and start a database of its own.
postgresql: FOUND = ls /usr/lib/postgresql/*/bin/postgres || command -v postgres
postgresql: MISSING = the tests need PostgreSQL 15 or newer: put its program postgres on PATH
postgresql: NO_DATABASE = /etc/postgresql-common/createcluster.d/plyscribe.conf
redis-server postgresql chromium-headless-shell systemd:
	@{ $(FOUND); } >/dev/null 2>&1 || { \
	  command -v apt-get >/dev/null || { echo "error: $(MISSING)"; exit 1; }; \
	  sudo=$$(test $$(id -u) = 0 || echo sudo); \
	  $(if $(NO_DATABASE),echo "create_main_cluster = false" | $$sudo install -D -m 644 /dev/stdin $(NO_DATABASE) &&) \
	  $$sudo apt-get update -qq && \
	  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $@ && \
	  $(if $(NO_DATABASE),$$sudo rm $(NO_DATABASE),true); }

# Programs that are taken out of their packages: to install these would start servers.
$(BIN)/caddy: PACKAGE = caddy
$(BIN)/promtool: PACKAGE = prometheus
$(BIN)/caddy $(BIN)/promtool: | $(VENV)/bin/python
	@{ found=$$(command -v $(@F)) && ln -s "$$found" $@; } || { \
	  command -v apt-get >/dev/null || { echo "error: the tests need $(@F) on PATH"; exit 1; }; \
	  sudo=$$(test $$(id -u) = 0 || echo sudo); into=$$(mktemp -d) && chmod 755 "$$into" && \
	  { (cd "$$into" && apt-get download -qq $(PACKAGE) 2>/dev/null) || \
	    { $$sudo apt-get update -qq && (cd "$$into" && apt-get download -qq $(PACKAGE)); }; } && \
	  dpkg-deb --fsys-tarfile "$$into"/*.deb | tar -x -C "$$into" ./usr/bin/$(@F) && \
	  mv "$$into/usr/bin/$(@F)" $@ && rm -r "$$into"; }

$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) is not installed: Plyscribe needs Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: $$($(PYTHON) -V) is too old: Plyscribe needs Python 3.11 or newer; name one: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "error: $(PYTHON) lacks its venv module: install it (Debian: apt-get install python3-venv)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "installing into $(VENV) …"
	@$(PIP) install -e ".[server]"
	@touch $@

$(VENV)/test.stamp: pyproject.toml $(VENV)/run.stamp
	@$(PIP) install -e ".[test,check]"
	@touch $@

$(VENV)/test-all.stamp: pyproject.toml $(VENV)/test.stamp
	@$(PIP) install -e ".[test-all,check]"
	@touch $@ $(VENV)/docs.stamp

$(VENV)/docs.stamp: pyproject.toml $(VENV)/run.stamp
	@$(PIP) install -e ".[docs]"
	@touch $@

$(VENV)/bench.stamp: pyproject.toml $(VENV)/run.stamp
	@$(PIP) install -e ".[bench]"
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info build dist
