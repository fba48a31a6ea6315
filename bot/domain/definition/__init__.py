"""A job as a person writes it down: read with a sentence for each mistake, written again, and run again."""

from bot.domain.definition.again import hidden, next_name, revealed
from bot.domain.definition.read import DefinitionError, read_definition
from bot.domain.definition.write import plainly

__all__ = ["DefinitionError", "hidden", "next_name", "plainly", "read_definition", "revealed"]
