"""Which characters can be drawn here. matplotlib is an extra: it is imported on first use, without pyplot, whose global
state would grow with every picture."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

_STOCK = "DejaVu Sans"  # comes with matplotlib
_FONT_NAMES = ("wqy", "droidsansfallback", "notosanscjk", "sourcehansans", "arphic", "uming", "ukai", "pingfang")
_FONT_HOMES = ("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts")


def available() -> bool:
    """Whether pictures can be drawn here: matplotlib is installed only with the extra `charts`."""
    return find_spec("matplotlib") is not None


def drawable(text: str) -> str:
    """The text with a box for each character that no font here has: it would be drawn as one, after a warning."""
    return "".join(char if ord(char) in _characters() else "□" for char in text)


def one_line(text: str, most: int) -> str:
    """The text as a line of at most so many drawable characters; a longer one would leave the picture no room."""
    flat = " ".join(text.split())
    return drawable(flat if len(flat) <= most else flat[: most - 1] + "…")


@cache
def families() -> tuple[str, ...]:
    """The stock font, and behind it an installed one that has Chinese characters."""
    from matplotlib import font_manager

    found = _chinese_font()
    if found is None:
        return (_STOCK,)
    font_manager.fontManager.addfont(found)
    return (_STOCK, font_manager.FontProperties(fname=found).get_name())


@cache
def _characters() -> frozenset[int]:
    """The code points that can be drawn."""
    from matplotlib.font_manager import findfont, get_font

    fonts = [get_font(findfont(family)) for family in families()]
    return frozenset(code for font in fonts for code in font.get_charmap())


def _chinese_font() -> str | None:
    files = (
        path
        for home in _FONT_HOMES
        for path in sorted(Path(home).rglob("*"))
        if path.suffix in (".ttf", ".ttc", ".otf")
    )
    known = (str(path) for path in files if any(name in path.name.lower().replace("-", "") for name in _FONT_NAMES))
    return next(known, None)
