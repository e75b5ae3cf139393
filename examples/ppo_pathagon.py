"""Train a small network to beat the bot `greedy` at Pathagon on 5×5 squares: PPO in one file, on one CPU core.

    pip install "plyscribe[gymnasium,examples]"
    python ppo_pathagon.py

The learner plays single matches against bots in the environment `plyscribe.envs.gymnasium`, from a seat that each match
draws. It sees the planes of docs/environments.md and chooses among the legal actions alone. The method is PPO (Schulman
et al. 2017) with invalid action masking (Huang and Ontañón 2020), in the form of CleanRL: everything in one file.

Two things make it quick. The network always plays from bottom to top: for seat 2 the board is transposed, and each
match is mirrored at random. And an action is scored by the squares that it names, so what the network learns about a
square holds for all moves there.

At the end the network plays matches against `greedy`, as many from each seat, and the score is printed with a 95 %
confidence interval. Nothing of these matches is learned from.
"""

import argparse
import os
import time
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import product
from math import sqrt

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import numpy as np
import optax

from plyscribe.envs import gymnasium


def setting(default, about):
    return field(default=default, metadata={"about": about})


@dataclass
class Args:
    """What the command line can set."""

    seed: int = setting(1, "fixes the network's start, all matches and their bots")
    size: int = setting(5, "squares on a side of the board")
    envs: int = setting(32, "matches that are played at a time")
    steps: int = setting(64, "decisions in each of them between two updates")
    updates: int = setting(100, "how often the network is updated")
    epochs: int = setting(4, "how often an update goes through its decisions")
    minibatches: int = setting(4, "parts in which it does so")
    learning_rate: float = setting(1e-3, "of Adam at the start; it falls to a twentieth")
    gae: float = setting(0.95, "lambda of generalised advantage estimation; nothing is discounted")
    clip: float = setting(0.2, "how far an update may move the odds of an action")
    entropy: float = setting(0.01, "weight of the entropy of the policy")
    channels: int = setting(32, "width of the convolutions")
    warmup: int = setting(
        10, "updates against random, and as many with greedy in half of the matches; then greedy alone"
    )
    matches: int = setting(400, "matches at the end against each opponent, half from each seat")
    opponents: str = setting("greedy", "the bots of these matches, as in greedy,random,mcts:200")
    out: str = setting("", "a file for the network's parameters (.npz)")


# ---- the board as the network sees it


class Symmetries:
    """How the learner's board is turned: seat 2 transposes it, and either seat may mirror it."""

    def __init__(self, notations, size):
        self.size = size
        squares = [self._read_squares(notation) for notation in notations]
        self.sources, self.targets = (np.array(column) for column in zip(*squares, strict=True))
        """By action: the squares that it names; the source is size² for a placement."""
        ids = {pair: id for id, pair in enumerate(squares)}
        self.turned = {}
        """By (transposed, mirrored up, mirrored aside) and by action of the turned board: the action of the board."""
        grid = np.arange(size * size).reshape(size, size)
        for key in product((False, True), repeat=3):
            where = [*self.turn(grid, key).ravel(), size * size]
            self.turned[key] = np.array([ids[where[source], where[target]] for source, target in squares])

    def _read_squares(self, notation):
        names = notation.split("-")
        places = [(self.size - int(name[1:])) * self.size + ord(name[0]) - 97 for name in names]
        return (places[0], places[1]) if len(places) == 2 else (self.size * self.size, places[0])

    @staticmethod
    def turn(planes, key):
        transposed, up, aside = key
        if transposed:
            planes = np.swapaxes(planes, -1, -2)
        if up:
            planes = planes[..., ::-1, :]
        return planes[..., ::-1] if aside else planes


class Lane:
    """One environment, seen through a symmetry that each match draws."""

    def __init__(self, args, symmetries, random, opponents, seat=None):
        self.env = gymnasium.env("pathagon", options={"size": args.size}, seat=seat, opponents=opponents)
        self.symmetries, self.random = symmetries, random
        self.observation, self.mask = self._begin(seed=int(random.integers(2**31)))

    def _begin(self, seed=None):
        observation, info = self.env.reset(seed=seed)
        up, aside = self.random.integers(2, size=2).astype(bool)
        self.key = info["seat"] == 2, bool(up), bool(aside)
        return self._look(observation, info)

    def _look(self, observation, info):
        mask = info["action_mask"][self.symmetries.turned[self.key]]
        return self.symmetries.turn(observation, self.key), mask.astype(bool)

    def step(self, action):
        """The reward, and whether the match is over; a new one begins then."""
        chosen = self.symmetries.turned[self.key][action]
        observation, reward, over, _, info = self.env.step(chosen)
        self.observation, self.mask = self._begin() if over else self._look(observation, info)
        return reward, over


# ---- the network: three convolutions, then a value, and a score for each square and pair of squares


def make_network(random, planes, size, channels):
    def draw(*shape, scale=None):
        fan = np.prod(shape[:-1])
        return jnp.asarray(random.normal(size=shape) * (scale or np.sqrt(2 / fan)), jnp.float32)

    width = channels * size * size
    return {
        "convolutions": [
            (draw(3, 3, before, channels), jnp.zeros(channels)) for before in (planes, channels, channels)
        ],
        "hidden": (draw(width, 128), jnp.zeros(128)),
        "spread": draw(128, channels, scale=0.1),
        "value": (draw(128, 1, scale=0.1), jnp.zeros(1)),
        "place": draw(channels, 1, scale=0.01),
        "source": draw(channels, 16, scale=0.05),
        "target": draw(channels, 16, scale=0.05),
    }


def apply_network(network, observations, squares):
    """Logits of all actions, and the value, for a batch of observations."""
    sources, targets = squares
    x = jnp.transpose(observations, (0, 2, 3, 1))
    for kernel, bias in network["convolutions"]:
        x = jax.nn.relu(
            jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias
        )
    flat = x.reshape(x.shape[0], -1)
    hidden = jax.nn.relu(flat @ network["hidden"][0] + network["hidden"][1])
    value = jnp.tanh(hidden @ network["value"][0] + network["value"][1])[:, 0]
    x = jax.nn.relu(x.reshape(x.shape[0], -1, x.shape[-1]) + (hidden @ network["spread"])[:, None, :])
    place = (x @ network["place"])[..., 0]
    pairs = jnp.einsum("nsc,ntc->nst", x @ network["source"], x @ network["target"])
    scores = jnp.concatenate([pairs, jnp.zeros_like(place)[:, None, :]], axis=1)
    return scores[:, sources, targets] + place[:, targets], value


def mask_logits(logits, masks):
    return jnp.where(masks, logits, -1e9)


# ---- PPO


def find_loss(network, batch, squares, args):
    logits, values = apply_network(network, batch["observations"], squares)
    chances = jax.nn.log_softmax(mask_logits(logits, batch["masks"]))
    chosen = jnp.take_along_axis(chances, batch["actions"][:, None], axis=1)[:, 0]
    ratio = jnp.exp(chosen - batch["chances"])
    gain = batch["advantages"]
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    policy = -jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - args.clip, 1 + args.clip) * gain).mean()
    entropy = -jnp.where(batch["masks"], jnp.exp(chances) * chances, 0).sum(axis=1).mean()
    return policy + 0.5 * jnp.square(values - batch["returns"]).mean() - args.entropy * entropy


def find_advantages(rewards, overs, values, last_values, decay):
    """Generalised advantage estimation, without a discount; a match that is over ends the sum."""
    advantages, following, gain = np.zeros_like(rewards), last_values, np.zeros_like(last_values)
    for step in reversed(range(len(rewards))):
        goes_on = 1 - overs[step]
        gain = rewards[step] + goes_on * following - values[step] + decay * goes_on * gain
        advantages[step], following = gain, values[step]
    return advantages


class Learner:
    """The network, its optimiser, and the compiled functions."""

    def __init__(self, args, planes, symmetries):
        self.args = args
        self.random = np.random.default_rng(args.seed)
        self.network = make_network(self.random, planes, args.size, args.channels)
        squares = jnp.asarray(symmetries.sources), jnp.asarray(symmetries.targets)
        updates = args.updates * args.epochs * args.minibatches
        rate = optax.linear_schedule(args.learning_rate, args.learning_rate / 20, updates)
        self.optimiser = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(rate, eps=1e-5))
        self.memory = self.optimiser.init(self.network)
        self._look = jax.jit(partial(self._score, squares))
        self._learn = jax.jit(partial(self._step, squares))

    @staticmethod
    def _score(squares, network, observations, masks):
        logits, values = apply_network(network, observations, squares)
        return jax.nn.log_softmax(mask_logits(logits, masks)), values

    def _step(self, squares, network, memory, batch):
        slope = jax.grad(find_loss)(network, batch, squares, self.args)
        change, memory = self.optimiser.update(slope, memory)
        return optax.apply_updates(network, change), memory

    def choose(self, lanes):
        """An action for each lane, drawn by the policy, with its log probability and the value of the position."""
        observations = np.stack([lane.observation for lane in lanes])
        masks = np.stack([lane.mask for lane in lanes])
        chances, values = map(np.asarray, self._look(self.network, observations, masks))
        noise = self.random.gumbel(size=chances.shape)
        actions = (chances + noise).argmax(axis=1)
        return observations, masks, actions, chances[np.arange(len(lanes)), actions], values

    def update(self, batch):
        size = len(batch["actions"])
        for _ in range(self.args.epochs):
            for part in np.array_split(self.random.permutation(size), self.args.minibatches):
                some = {name: array[part] for name, array in batch.items()}
                self.network, self.memory = self._learn(self.network, self.memory, some)


def gather(learner, lanes, args):
    """A batch of decisions with their advantages, and the results of the matches that ended."""
    taken, rewards, overs, results = [], [], [], []
    for _ in range(args.steps):
        taken.append(learner.choose(lanes))
        outcomes = [lane.step(action) for lane, action in zip(lanes, taken[-1][2], strict=True)]
        rewards.append([reward for reward, _ in outcomes])
        overs.append([over for _, over in outcomes])
        results += [reward for reward, over in outcomes if over]
    observations, masks, actions, chances, values = (np.stack(column) for column in zip(*taken, strict=True))
    *_, last_values = learner.choose(lanes)
    advantages = find_advantages(np.array(rewards), np.array(overs, float), values, last_values, args.gae)
    columns = {
        "observations": observations,
        "masks": masks,
        "actions": actions,
        "chances": chances,
        "advantages": advantages.astype(np.float32),
        "returns": (advantages + values).astype(np.float32),
    }
    return {name: column.reshape(-1, *column.shape[2:]) for name, column in columns.items()}, results


def choose_opponents(update, lane, args):
    if update < args.warmup:
        return "random"
    return "greedy" if lane % 2 or update >= 2 * args.warmup else "random"


def train(args):
    """A learner that has played all its matches."""
    probe = gymnasium.env("pathagon", options={"size": args.size})
    symmetries = Symmetries(probe.table.actions.notations, args.size)
    learner = Learner(args, probe.observation_space.shape[0], symmetries)
    lanes, names, began = [], [], time.perf_counter()
    for update in range(args.updates):
        wanted = [choose_opponents(update, lane, args) for lane in range(args.envs)]
        if wanted != names:
            names = wanted
            lanes = [Lane(args, symmetries, learner.random, name) for name in names]
        batch, results = gather(learner, lanes, args)
        learner.update(batch)
        if update % 10 == 9 or update + 1 == args.updates:
            score = (np.mean(results) + 1) / 2 if results else float("nan")
            print(
                f"update {update + 1:4}  decisions {(update + 1) * args.envs * args.steps:7}  "
                f"{time.perf_counter() - began:4.0f} s  score {score:.2f} in {len(results)} matches",
                flush=True,
            )
    return learner, symmetries


# ---- how good it is


def play_matches(learner, symmetries, args, opponent):
    """The results of matches against the opponent, 1 to -1: the first half from seat 1, the rest from seat 2.

    The network draws its moves as it did in training, and every match has a seed of its own.
    """
    learner.random = np.random.default_rng(args.seed + 1)
    results = []
    for seat in (1, 2):
        wanted = args.matches // 2
        lanes = [Lane(args, symmetries, learner.random, opponent, seat) for _ in range(min(args.envs, wanted))]
        left = [wanted // len(lanes) + (lane < wanted % len(lanes)) for lane in range(len(lanes))]
        while any(left):
            playing = [lane for lane, due in enumerate(left) if due]
            _, _, actions, _, _ = learner.choose(lanes)
            for lane in playing:
                reward, over = lanes[lane].step(actions[lane])
                if over:
                    left[lane] -= 1
                    results.append(reward)
    return results


def find_interval(results):
    """The mean score from 0 to 1, a draw being half, with its 95 % confidence interval (Wilson 1927).

    With draws the interval is wider than it need be.
    """
    count, score, z = len(results), (np.mean(results) + 1) / 2, 1.96
    middle = (score + z * z / (2 * count)) / (1 + z * z / count)
    around = z * sqrt(score * (1 - score) / count + (z / (2 * count)) ** 2) / (1 + z * z / count)
    return score, middle - around, middle + around


def main(argv=None):
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for each in fields(Args):
        name, about = f"--{each.name.replace('_', '-')}", each.metadata["about"]
        parser.add_argument(name, type=each.type, default=each.default, help=about)
    args = Args(**vars(parser.parse_args(argv)))
    learner, symmetries = train(args)
    if args.out:
        leaves = jax.tree_util.tree_leaves_with_path(learner.network)
        np.savez(args.out, **{jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves})
    return {opponent: measure(learner, symmetries, args, opponent) for opponent in args.opponents.split(",")}


def measure(learner, symmetries, args, opponent):
    """The score against an opponent with its interval, printed as well."""
    results = play_matches(learner, symmetries, args, opponent)
    score, low, high = find_interval(results)
    wins, draws = results.count(1.0), results.count(0.0)
    print(f"against {opponent}: {wins} won, {draws} drawn, {len(results) - wins - draws} lost")
    print(f"score {score:.3f}, 95 % interval {low:.3f} to {high:.3f}, {len(results)} matches, half from each seat")
    return score, low, high


if __name__ == "__main__":
    main()
