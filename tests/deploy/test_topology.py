"""Every kit runs the processes of deploy/topology.toml: as many, with their commands, environments and time to stop."""

import re
import shlex
from typing import Any

import pytest

from deploy.__main__ import TEMPLATES, render_all
from deploy.topology import Kit, Process, read_kit
from plyscribe.service.config import SETTINGS
from plyscribe.service.queues import JOB_TIMEOUT_S, QUEUES
from plyscribe.service.web.server import STOP_WITHIN_S, THREADS_OF_THEIR_OWN
from tests.deploy.kit import DEPLOY, ROOT, read_yaml

KITS = ("compose", "compose-many", "systemd", "kubernetes")
COMPOSE = {"compose": "compose.yaml", "compose-many": "compose.many.yaml"}
OTHERS_READ = {"AWS_ACCESS_KEY_ID", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_SECRET_ACCESS_KEY", "PYTHONHASHSEED"}
SERVICE_READS = {"PROMETHEUS_MULTIPROC_DIR", "REDIS_URL", "RQ_REDIS_URL"}


def processes_of(kit: Kit) -> dict[str, Process]:
    return {process.name: process for process in kit.processes}


def test_the_made_files_are_those_that_the_topology_gives():
    made = dict(render_all())
    assert len(made) > 20
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make kit`"


def test_no_made_file_is_left_over():
    made = {path for path, _ in render_all()}
    files = [path for path in DEPLOY.rglob("*") if path.is_file() and path.suffix in (".yaml", ".service", ".target")]
    claims = {path for path in files if "by `make kit`" in path.read_text(encoding="utf-8")}
    assert claims == made
    assert not [path for path in made if TEMPLATES in path.parents]


@pytest.mark.parametrize("layout", ["one", "many"])
def test_each_layout_runs_all_that_a_service_needs(layout):
    kit = next(read_kit(name) for name in KITS if read_kit(name).layout == layout)
    assert {name for name, process in processes_of(kit).items() if process.count} == {"web", "relay", *QUEUES}


@pytest.mark.parametrize("name", KITS)
def test_each_variable_is_one_that_somebody_reads(name):
    kit = read_kit(name)
    named = {*kit.left_open, *(variable for process in kit.processes for variable in process.environment)}
    assert named <= {*SETTINGS, *SERVICE_READS, *OTHERS_READ}


def test_a_process_has_time_to_finish_what_it_has_in_hand():
    for process in read_kit("systemd").processes:
        if process.name in ("web", "relay", "webhook"):
            assert process.stops_within_s > 2 * STOP_WITHIN_S
        else:
            assert process.stops_within_s > JOB_TIMEOUT_S


def test_files_of_the_working_directory_are_never_taken_for_modules():
    started_by_name = [each.command for each in read_kit("systemd").processes if each.command[0] != "plyscribe"]
    assert started_by_name
    assert all(command[:3] == ("python", "-P", "-m") for command in started_by_name), started_by_name


def test_the_procfile_runs_the_same_commands():
    lines = (ROOT / "Procfile").read_text(encoding="utf-8").splitlines()
    ran = {name: shlex.split(command) for name, command in (line.split(": ", 1) for line in lines)}
    for process in read_kit("systemd").processes:
        own = [f"{name}={value}" for name, value in process.own_environment.items()]
        command = [*(["env", *own] if own else []), *process.command]
        if process.is_web:
            # A host that runs a Procfile says the port, and reaches the process from outside.
            command += ["--host", "0.0.0.0"]
        assert ran.pop(process.name) == command
    assert ran == {}


def test_the_store_of_compose_is_a_cluster_of_three_with_replicas_in_the_many_layout():
    [document] = read_yaml(DEPLOY / "compose.many.yaml")
    nodes = {
        each["networks"]["inside"]["ipv4_address"]
        for name, each in document["services"].items()
        if name.startswith("store-")
    }
    named = re.findall(r"(10\.84\.0\.\d+):6379", read_kit("compose-many").environment["REDIS_URL"])
    assert len(nodes) == 6
    assert set(named) < nodes
    [make] = [part for part in document["services"]["cluster"]["command"] if "--cluster create" in part]
    assert set(re.findall(r"(10\.84\.0\.\d+):6379", make)) == nodes
    assert "--cluster-replicas 1" in make


@pytest.mark.parametrize("file", COMPOSE.values())
def test_what_a_compose_file_names_is_there(file):
    [document] = read_yaml(DEPLOY / file)
    services, volumes = document["services"], set(document["volumes"])
    for name, said in services.items():
        assert set(said.get("depends_on", ())) <= set(services), name
        for volume in said.get("volumes", ()):
            source, colon, _ = volume.partition(":")
            if colon:
                assert (DEPLOY / source).exists() if source.startswith("./") else source in volumes, volume
        if isinstance(said.get("depends_on"), dict):
            healthy = [each for each, when in said["depends_on"].items() if when["condition"] == "service_healthy"]
            assert all("healthcheck" in services[each] for each in healthy), name


@pytest.mark.parametrize("file", COMPOSE.values())
def test_images_of_others_are_of_a_known_version_and_reachable_from_this_machine_alone(file):
    [document] = read_yaml(DEPLOY / file)
    for name, said in document["services"].items():
        if "build" not in said:
            assert re.search(r":(RELEASE\.)?v?\d", said["image"]), name
        for port in said.get("ports", ()):
            assert name == "proxy" or port.startswith("127.0.0.1:"), name


def test_what_compose_asks_for_stands_in_the_example():
    example = (DEPLOY / "compose.env.example").read_text(encoding="utf-8")
    offered = set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE))
    texts = [(DEPLOY / file).read_text(encoding="utf-8") for file in COMPOSE.values()]
    assert {name for text in texts for name in re.findall(r"\$\{([A-Z_]+)", text)} == offered


def read_manifests() -> dict[tuple[str, str], dict[str, Any]]:
    files = [path for path in (DEPLOY / "kubernetes").glob("*.yaml") if path.name != "kustomization.yaml"]
    documents = [each for path in files for each in read_yaml(path) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in documents}


def test_our_containers_may_write_nothing_and_have_no_privileges():
    for file in COMPOSE.values():
        [document] = read_yaml(DEPLOY / file)
        ours = [said for said in document["services"].values() if "build" in said]
        assert {(said["read_only"], *said["cap_drop"]) for said in ours} == {(True, "ALL")}
    pods = [each["spec"]["template"]["spec"] for (kind, _), each in read_manifests().items() if kind == "Deployment"]
    for pod in pods:
        [container] = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"]
        assert container["securityContext"]["readOnlyRootFilesystem"]


def test_selectors_find_the_pods_that_they_mean():
    manifests = read_manifests()
    for (kind, name), manifest in manifests.items():
        if kind in ("Deployment", "PodDisruptionBudget"):
            wanted = manifest["spec"]["selector"]["matchLabels"]
        elif kind == "Service":
            wanted = manifest["spec"]["selector"]
        else:
            continue
        pods = manifests["Deployment", name]["spec"]["template"]["metadata"]["labels"]
        assert wanted.items() <= pods.items()


def test_what_the_web_has_left_after_balancers_know_is_enough():
    pod = read_manifests()["Deployment", "plyscribe-web"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    [_, pause] = container["lifecycle"]["preStop"]["exec"]["command"]
    assert int(pause) + STOP_WITHIN_S < pod["terminationGracePeriodSeconds"]


def test_no_secret_is_in_a_manifest_and_the_example_names_all_that_are_needed():
    assert "Secret" not in {kind for kind, _ in read_manifests()}
    example = (DEPLOY / "kubernetes" / "plyscribe.env.example").read_text(encoding="utf-8")
    offered = set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE))
    # The key is a file, from a Secret of its own.
    assert offered == set(read_kit("kubernetes").left_open) - {"PLYSCRIBE_SERVER_KEY"}


def test_the_kustomization_lists_every_manifest():
    [document] = read_yaml(DEPLOY / "kubernetes" / "kustomization.yaml")
    files = {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")} - {"kustomization.yaml"}
    assert sorted(document["resources"]) == sorted(files)


def test_prometheus_asks_every_process_of_the_many_layout():
    kit = read_kit("compose-many")
    [document] = read_yaml(DEPLOY / "prometheus" / "prometheus.many.yaml")
    asked = {
        (name, found["port"])
        for job in document["scrape_configs"]
        for found in job["dns_sd_configs"]
        for name in found["names"]
    }
    api, own = int(kit.environment["PLYSCRIBE_PORT"]), int(kit.environment["PLYSCRIBE_METRICS_PORT"])
    assert asked == {(process.name, api if process.is_web else own) for process in kit.processes}


def test_the_store_is_as_durable_as_the_documentation_says():
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    block = page.partition("For a store of your own, set:\n\n")[2].partition("\n\n")[0]
    wanted = {line.strip() for line in block.splitlines()}
    assert len(wanted) == 5
    assert wanted <= set((DEPLOY / "store.conf").read_text(encoding="utf-8").splitlines())


def list_copied() -> list[str]:
    """What of the repository the image is built from."""
    stage = (DEPLOY / "Containerfile").read_text(encoding="utf-8").partition("FROM")[2].partition("FROM")[0]
    return [name for line in stage.splitlines() if line.startswith("COPY") for name in line.split()[1:-1]]


def test_the_image_is_built_from_all_that_the_package_has_and_links_to():
    copied = {ROOT / name for name in list_copied()}
    assert all(path.exists() for path in copied)
    links = [path for top in copied for path in [top, *top.rglob("*")] if path.is_symlink()]
    assert links
    for link in links:
        target = link.resolve()
        assert any(target == top or top in target.parents for top in copied), link


def test_the_builder_of_images_is_given_what_they_are_built_from():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == {*list_copied()}


def test_the_image_is_of_a_version_of_python_that_we_say_we_run_on():
    bases = re.findall(r"(?m)^FROM python:(\d+\.\d+)-slim", (DEPLOY / "Containerfile").read_text(encoding="utf-8"))
    assert len(bases) == 2
    page = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert {f"Programming Language :: Python :: {base}" in page for base in bases} == {True}


def test_those_who_look_after_the_api_ask_what_is_answered_whatever_else_waits():
    container = read_manifests()["Deployment", "plyscribe-web"]["spec"]["template"]["spec"]["containers"][0]
    probed = {container[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe", "livenessProbe")}
    assert probed == {"/healthz"}
    assert {*probed, "/readyz"} <= set(THREADS_OF_THEIR_OWN)
    assert "'/readyz'" in (DEPLOY / "Containerfile").read_text(encoding="utf-8")
