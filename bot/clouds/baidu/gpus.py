"""Which of AIHC's resource names are GPUs, and what each is called among people (AIHC v1 reference §1.4)."""

import re
from collections.abc import Mapping

from bot.clouds.gpu_models import spoken
from bot.clouds.scalars import read_number

_CGPU = re.compile(r"baidu\.com/(?:(.+)_)?cgpu", re.ASCII)
_OTHERS = {
    "nvidia.com/gpu": None,
    "huawei.com/Ascend910": "Ascend910",
    "kunlunxin.com/xpu": "XPU",
    "baidu.com/xpu": "XPU",
}
_VENDORS = ("NVIDIA-", "NVIDIA ")


def is_gpu(resource: str | None) -> bool:
    """Whole cards only: shares of a card (`…_cgpu_memory`) and everything unknown are no GPUs."""
    return bool(resource) and (resource in _OTHERS or _CGPU.fullmatch(resource or "") is not None)


def model(resource: str | None) -> str | None:
    """`baidu.com/a800_80g_cgpu` is an `A800-80G`; None where the name tells no model."""
    match = _CGPU.fullmatch(resource or "")
    if match:
        return _word(match[1]) if match[1] else None
    return _OTHERS.get(resource or "")


def model_of_product(product: str | None) -> str | None:
    """`NVIDIA-A800-SXM4-80GB` is an `A800-80G`; of a product that is not known just the vendor goes."""
    known = spoken(product)
    if known != product:
        return known
    for vendor in _VENDORS:
        if product and product.startswith(vendor):
            return product[len(vendor) :] or None
    return product


def _word(written: str) -> str:
    known = spoken(written)
    return known if known and known != written else written.upper().replace("_", "-")


def total(amounts: Mapping[str, str]) -> float | None:
    """All GPUs of a resource map; None where it names none or holds an unreadable count."""
    counts = [read_number(amount) for name, amount in amounts.items() if is_gpu(name)]
    known = [count for count in counts if count is not None and count >= 0]
    return sum(known) if known and len(known) == len(counts) else None
