"""Three simulated clouds over one scripted world, each an HTTP server of its own that checks signatures
with its own code. `serve_*` are async context managers that give a `Serving`: its url, faults, requests."""

from bot.simulator.clouds.alaya import serve_alaya
from bot.simulator.clouds.baidu import serve_baidu
from bot.simulator.clouds.faults import Fault, Faults
from bot.simulator.clouds.serving import Seen, Serving
from bot.simulator.clouds.sysom import serve_sysom

__all__ = ["Fault", "Faults", "Seen", "Serving", "serve_alaya", "serve_baidu", "serve_sysom"]
