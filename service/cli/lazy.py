"""A group of commands whose modules are imported only when they are needed."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """A group that lists, suggests and completes its commands without importing them.

    `lazy` maps the name of each command to where it is, `module:attribute`, and to its line in the list of commands.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]], **more: Any) -> None:
        super().__init__(*args, **more)
        self._places = {name: place for name, (place, _) in lazy.items()}
        # Placeholders, from which click takes names and short helps. `get_command` puts the real ones in their place.
        self.commands = {name: click.Command(name, short_help=line) for name, (_, line) in lazy.items()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None if there is none of that name."""
        if place := self._places.get(cmd_name):
            module, _, attribute = place.partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            command.short_help = self.commands[cmd_name].short_help
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._describe(name)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and options that begin with `incomplete`."""
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self._describe(name)) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def _describe(self, name: str) -> str:
        return self.commands[name].short_help or ""
