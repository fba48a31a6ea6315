"""What GPU models are called among people, whatever a platform calls them.

`NVIDIA-H800A-NV-80G` (Alaya), `NVIDIA-A800-SXM4-80GB` (a node's label) and `a800_80g` (AIHC's resource name) become
`H800-80G`, `A800-80G` and `A800-80G`, so that one list shows one word for one card. A name with a part that is not
understood stays the platform's own: a share of a card or a new model must not look like a card it is not.
"""

import re

_PARTS = re.compile(r"[-_\s/]+")
_MODEL = re.compile(
    r"(?P<model>[ABHV][1-9]00|A10|A16|A30|A40|A800|B300|GB200|GB300|GH200|H20|H200|H800|L2|L4|L20|L40S?|P4|P40|P100|T4)"
    r"(?P<board>A?)"  # Alaya writes H800A; no card of these is sold in an A version beside another
)
_MEMORY = re.compile(r"(?P<gigabytes>\d{1,3})G(?:I?B)?")
_FORMS = re.compile(r"NVIDIA|TESLA|GPU|CGPU|PCIE|PG\d{3}|SXM\d?|HGX|NVL?|NVLINK|HBM\d?E?")


def spoken(name: str | None) -> str | None:
    """`H800-80G`, or `H800` where the memory is not said; the name itself where not all of it is understood."""
    parts = [part for part in _PARTS.split((name or "").upper()) if part]
    rest = [part for part in parts if not _FORMS.fullmatch(part)]
    if not rest or (model := _MODEL.fullmatch(rest[0])) is None:
        return name
    if len(rest) == 1:
        return model["model"]
    memory = _MEMORY.fullmatch(rest[1])
    return f"{model['model']}-{memory['gigabytes']}G" if memory and len(rest) == 2 else name
