"""GPU use as it was recorded on a real cluster: percent and memory by sample, read round and round."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class UseTrace:
    """One recorded pod: `use` and `memory` are ratios 0..1, a sample each `step` seconds."""

    use: tuple[float, ...] = field(repr=False)
    memory: tuple[float | None, ...] = field(repr=False)
    step: int = 57
    offset: int = 0

    def use_at(self, seconds: float) -> float:
        return self.use[self._index(seconds)]

    def memory_at(self, seconds: float) -> float | None:
        return self.memory[self._index(seconds)]

    def _index(self, seconds: float) -> int:
        return (int(seconds) // self.step + self.offset) % len(self.use)
