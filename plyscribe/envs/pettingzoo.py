"""Any ruleset as an environment of PettingZoo: one seat at a time (AEC), or all at once, where those not on turn pass.

from plyscribe.envs import pettingzoo

env = pettingzoo.env("rings", seats=3)
env.reset(seed=7)
for seat in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(seat).sample(observation["action_mask"]))
"""

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        "plyscribe.envs.pettingzoo needs PettingZoo: install it with pip install 'plyscribe[pettingzoo]'"
    ) from error

from plyscribe.domain.ruleset import Decision, Over
from plyscribe.envs.stepping import IllegalAction, Mask, Position, Table

Observation = dict[str, Any]

RENDER_MODES = ("human", "ansi")


def env(
    ruleset_id: str,
    seats: int = 2,
    options: Mapping[str, Any] | None = None,
    version: int | None = None,
    render_mode: str | None = None,
) -> AECEnv:
    """An AEC environment with the usual wrappers: it must be reset first, and an illegal action ends the match.

    Who acts illegally gets -1 and everybody else 0. An action that is no id at all is an AssertionError. UnknownRuleset
    or OptionError as in `raw_env`.
    """
    raw = raw_env(ruleset_id, seats, options, version, render_mode)
    judged = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(judged))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801 (PettingZoo's name for it)
    """The environment without wrappers: an illegal action raises IllegalAction and changes nothing.

    The agents are `seat_1`, `seat_2` …; all stay until the match is over. Dice roll by themselves between the steps.
    A move of several ids takes as many steps of the same agent. UnknownRuleset or OptionError, if there is no such
    game or it cannot be played so.
    """

    metadata = {"name": "plyscribe", "render_modes": [*RENDER_MODES], "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        ruleset_id: str,
        seats: int = 2,
        options: Mapping[str, Any] | None = None,
        version: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.table = Table(ruleset_id, seats, options, version)
        self.metadata = {**self.metadata, "name": f"plyscribe_{ruleset_id}_v{self.table.rules.version}"}
        self.render_mode = require_render_mode(render_mode)
        self.possible_agents = name_agents(self.table)
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents, 1)}
        observed = make_observation_space(self.table, self.table.actions.size)
        self.observation_spaces = dict.fromkeys(self.possible_agents, observed)
        self.action_spaces = {agent: spaces.Discrete(self.table.actions.size) for agent in self.possible_agents}
        self.position: Position = self.table.start()
        self._random = Random(0)  # noqa: S311 (the dice of an environment shall be repeatable)

    def observation_space(self, agent: str) -> Any:
        """What every agent observes: `observation`, the planes, and `action_mask`, 1 for each legal action."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The action ids."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new match. The same seed always gives the same dice; without one, the dice go on as they would."""
        if seed is not None:
            self._random = Random(seed)  # noqa: S311
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._take_in(self.table.roll(self.table.start(), self._random))

    def observe(self, agent: str) -> Observation:
        """What the agent sees now; its mask is 0 throughout unless it is to act."""
        is_on_turn = agent == self.agent_selection
        mask = self.table.mask(self.position) if is_on_turn else np.zeros(self.table.actions.size, np.int8)
        return {"observation": self.table.observe(self.position, self._seat_of[agent]), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Choose an id for the agent on turn; IllegalAction unless its mask allows it. None once the match is over."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalAction(f"{self.agent_selection} is to act: choose an action that its mask allows")
        after = self.table.act(self.position, action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._take_in(self.table.roll(after, self._random))
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _take_in(self, position: Position) -> None:
        self.position = position
        match self.table.turn(position):
            case Decision(seat):
                self.agent_selection = self.possible_agents[seat - 1]
            case Over(reason, ranks):
                self.rewards = dict(zip(self.possible_agents, self.table.returns(position), strict=True))
                self.terminations = dict.fromkeys(self.agents, True)
                self.infos = {agent: {"reason": reason, "ranks": ranks} for agent in self.agents}

    def render(self) -> str | None:
        """The board as text: printed in the mode `human`, returned in the mode `ansi`."""
        return render_board(self.table, self.position, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""


class parallel_env(ParallelEnv):  # type: ignore[misc]  # noqa: N801
    """All seats act at once: one whose turn it is not must pass, with the last id of the action space.

    No ruleset has simultaneous moves, so this adds nothing but what tools for parallel environments need. Errors are
    those of `raw_env`.
    """

    metadata = {"name": "plyscribe", "render_modes": [*RENDER_MODES]}  # noqa: RUF012

    def __init__(
        self,
        ruleset_id: str,
        seats: int = 2,
        options: Mapping[str, Any] | None = None,
        version: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.table = Table(ruleset_id, seats, options, version)
        self.metadata = {**self.metadata, "name": f"plyscribe_{ruleset_id}_v{self.table.rules.version}"}
        self.render_mode = require_render_mode(render_mode)
        self.possible_agents = name_agents(self.table)
        self.agents: list[str] = []
        self.passing = self.table.actions.size
        """The id with which a seat passes."""
        observed = make_observation_space(self.table, self.passing + 1)
        self.observation_spaces = dict.fromkeys(self.possible_agents, observed)
        self.action_spaces = {agent: spaces.Discrete(self.passing + 1) for agent in self.possible_agents}
        self.position = self.table.start()
        self._random = Random(0)  # noqa: S311

    def observation_space(self, agent: str) -> Any:
        """As in the AEC environment, with one more place in the mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The action ids, and `passing`."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """A new match, and what each agent sees. The same seed always gives the same dice."""
        if seed is not None:
            self._random = Random(seed)  # noqa: S311
        self.agents = self.possible_agents[:]
        self.position = self.table.roll(self.table.start(), self._random)
        return self._observe_all(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One action of each agent; IllegalAction, and no change, if the mask of one does not allow it."""
        turn, agents = self.table.turn(self.position), self.agents
        if not isinstance(turn, Decision) or not agents:
            raise IllegalAction("the match is over: reset the environment")
        for seat, agent in enumerate(self.possible_agents, 1):
            if agent not in actions:
                raise IllegalAction(f"{agent} has no action: give one for each seat")
            if seat != turn.seat and actions[agent] != self.passing:
                raise IllegalAction(f"{agent} must pass, with action {self.passing}: seat {turn.seat} is on turn")
        after = self.table.act(self.position, actions[self.possible_agents[turn.seat - 1]])
        self.position = self.table.roll(after, self._random)
        over = self.table.turn(self.position)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        if isinstance(over, Over):
            self.agents = []
            infos = {agent: {"reason": over.reason, "ranks": over.ranks} for agent in agents}
        returns = dict(zip(agents, self.table.returns(self.position), strict=True))
        if self.render_mode == "human":
            self.render()
        return (
            self._observe_all(),
            returns,
            dict.fromkeys(agents, isinstance(over, Over)),
            dict.fromkeys(agents, False),
            infos,
        )

    def _observe_all(self) -> dict[str, Observation]:
        turn = self.table.turn(self.position)
        seat_on_turn = turn.seat if isinstance(turn, Decision) else None
        return {
            agent: {
                "observation": self.table.observe(self.position, seat),
                "action_mask": self._mask(seat == seat_on_turn),
            }
            for seat, agent in enumerate(self.possible_agents, 1)
        }

    def _mask(self, is_on_turn: bool) -> Mask:
        mask = np.zeros(self.passing + 1, np.int8)
        if is_on_turn:
            mask[self.table.list_ids(self.position)] = 1
        else:
            mask[self.passing] = 1
        return mask

    def render(self) -> str | None:
        """The board as text: printed in the mode `human`, returned in the mode `ansi`."""
        return render_board(self.table, self.position, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""


def name_agents(table: Table) -> list[str]:
    """The agents `seat_1`, `seat_2` …, in the order of the seats."""
    return [f"seat_{seat}" for seat in range(1, table.seats + 1)]


def make_observation_space(table: Table, actions: int) -> Any:
    """The space of observations with a mask over this many actions."""
    observer = table.observer
    return spaces.Dict(
        {
            "observation": spaces.Box(observer.low, observer.high, observer.shape, np.float32),
            "action_mask": spaces.Box(0, 1, (actions,), np.int8),
        }
    )


def require_render_mode(mode: str | None) -> str | None:
    """The mode; ValueError unless it is one of RENDER_MODES or None."""
    if mode not in (None, *RENDER_MODES):
        raise ValueError(f"unknown render mode {mode!r}: choose one of {', '.join(RENDER_MODES)} or None")
    return mode


def render_board(table: Table, position: Position, mode: str | None) -> str | None:
    """The board, printed or returned as the mode says; ValueError without a mode."""
    if mode is None:
        raise ValueError("the environment has no render mode: make it with render_mode='ansi' or 'human'")
    text = table.rules.render_text(position.state)
    if mode == "ansi":
        return text
    print(text)  # noqa: T201 (what the mode asks for)
    return None
