"""Programs that play in a tournament: their accounts, and the bridges that run them as long as it lasts."""

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import IO, Any, NamedTuple

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import Build
from plyscribe.service.bridge.bot_process import NoSuchProgram, find_program
from plyscribe.service.bridge.play import Bridge
from plyscribe.service.bridge.run import Settings
from plyscribe.service.bridge.source import SourceError
from plyscribe.service.cli.cup_file import Program
from plyscribe.service.cli.organiser import TournamentError
from plyscribe.service.client import Client, Problem
from plyscribe.service.processes.private_files import replace_text

FOLDER = "programs"
"""The folder of a data directory that holds the tokens of the accounts."""

RETRY_FOR_S = 60.0
END_WITHIN_S = 10.0
"""So long programs may take to finish their decisions when all are told to end. Then they end with the command."""


class Player(NamedTuple):
    """A program with its account, which nobody else of this machine uses meanwhile."""

    program: Program
    id: str
    build: Build
    client: Client
    connect: Callable[[], Client]
    """Makes a client for another thread."""

    log: Path
    """Takes what the program writes to stderr."""


def open_players(
    programs: Sequence[Program], url: str, place: str, organiser: Client, data: Path, stack: ExitStack
) -> list[Player]:
    """The programs with their accounts, which are opened at first and used again later. Closed by the stack.

    `place` names the service: the same name for every address that it has. TournamentError if a program is not there,
    is not the pinned one, has an account that another run uses, or gets none.
    """
    players = []
    for program in programs:
        build = _measure(program)
        path = data / FOLDER / f"{sha256(json.dumps([place, program.name]).encode()).hexdigest()[:16]}.json"
        stack.enter_context(_lock(path, program.name))
        token = _find_token(program.name, path, organiser)
        connect = partial(Client, url, token, retry_for_s=RETRY_FOR_S)
        client = connect()
        stack.callback(client.close)
        id = _identify(client, program.name, path)
        players.append(Player(program, id, build, client, connect, path.with_suffix(".log")))
    return players


def _measure(program: Program) -> Build:
    try:
        find_program(program.argv[0])
        build = program.source.measure()
    except (NoSuchProgram, SourceError, WrongValue) as error:
        raise TournamentError(f"{program.name}: {error}") from None
    pinned = program.source.pinned
    if pinned not in (None, build.digest):
        why = f"the file pins the build with the SHA-256 {pinned}, and what is there has {build.digest}"
        raise TournamentError(f"{program.name}: {why}: nothing was started")
    return build


def _lock(path: Path, name: str) -> IO[str]:
    """A file that is locked as long as it is open, for the one beside it, which is replaced when it changes."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = path.with_suffix(".lock")
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise TournamentError(f"{name} is playing already: another command holds {path}") from None
    return file


def _find_token(name: str, path: Path, organiser: Client) -> str:
    """The token in the file; if there is none, that of a new account."""
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if "token" not in known:
        # The key comes first: with it, a start that was interrupted gets the account that it had opened.
        known = {"name": name, "key": known.get("key") or token_urlsafe(24)}
        replace_text(path, json.dumps(known))
        try:
            opened = organiser.sign_up(name, "bot", ("play",), key=known["key"])
        except Problem as problem:
            why = f"no account could be opened for it: {problem}"
            raise TournamentError(f"{name}: {why}; choose another name, or ask an administrator") from None
        known |= {"player": opened["player"], "token": opened["token"]}
        replace_text(path, json.dumps(known))
    return str(known["token"])


def _identify(client: Client, name: str, path: Path) -> str:
    """The id of the account."""
    try:
        return client.me()["player"]
    except Problem as problem:
        if problem.status != 401:
            raise
        why = f"its token in {path} is not valid any more"
        raise TournamentError(f"{name}: {why}: remove the file, and choose another name or issue a token") from None


def enter_player(player: Player, organiser: Client, tournament: str, is_open: bool, key: str) -> None:
    """Enter the account with its own token, invited first if need be, and say which build plays for it."""
    label = player.program.label
    if not is_open:
        organiser.invite_entrant(tournament, player.id, label=label, key=f"{key}-invite")
    player.client.enter(tournament, label=label, key=key)
    state = player.client.tournament(tournament)
    [own] = [each for each in state["entrants"] if each.get("player") == player.id]
    build, pinned = asdict(player.build), player.program.source.pinned is not None
    named = own["builds"]
    is_named = named is not None and (named["entered"], named["pinned"]) == (build, pinned)
    if state["status"] in ("open", "playing") and not is_named:
        player.client.enter_build(tournament, own["entrant"], build, pinned=pinned)


class Bridges:
    """The bridges of a tournament's programs, each in a thread, until they are stopped."""

    def __init__(self, players: Sequence[Player], tournament: str, report: Callable[[str], None]) -> None:
        self._failures: list[str] = []
        self._running = [self._start(player, tournament, report) for player in players]

    def _start(self, player: Player, tournament: str, report: Callable[[str], None]) -> tuple[Bridge, threading.Thread]:
        program = player.program
        settings = Settings(
            program.argv,
            ask_draws=program.ask_draws,
            concurrency=program.concurrency,
            move_timeout_s=program.move_timeout_s,
            log=player.log,
            folder=program.folder,
            tournament=tournament,
            source=program.source,
        )
        bridge = Bridge(player.connect, settings, lambda line: report(f"{program.name}: {line}"))

        def run() -> None:
            try:
                bridge.run()
            except Exception as error:
                self._failures.append(f"{program.name}: {error}")

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return bridge, thread

    def check(self) -> None:
        """TournamentError if a program plays no more, for it would keep the others waiting."""
        if self._failures:
            advice = "once that is mended, run the same file again"
            raise TournamentError(f"{'; '.join(self._failures)}; {advice}")

    def stop(self) -> None:
        """Let the programs finish their decisions, and end them."""
        for bridge, _ in self._running:
            bridge.stop()
        deadline = time.monotonic() + END_WITHIN_S
        for _, thread in self._running:
            thread.join(max(0.0, deadline - time.monotonic()))
