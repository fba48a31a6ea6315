"""One word for one card, whichever platform speaks of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clouds.baidu import gpus
from bot.clouds.gpu_models import spoken


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("NVIDIA-H800A-NV-80G", "H800-80G"),
        ("NVIDIA-A800-SXM4-80GB", "A800-80G"),
        ("NVIDIA A100-PCIE-40GB", "A100-40G"),
        ("Tesla-V100-SXM2-32GB", "V100-32G"),
        ("NVIDIA H20", "H20"),
        ("h20_96g", "H20-96G"),
        ("H20-96G", "H20-96G"),
        ("NVIDIA-L40S", "L40S"),
        ("H100 80GB HBM3", "H100-80G"),
        ("A10", "A10"),
    ],
)
def test_every_spelling_of_a_card_becomes_its_one_word(written: str, word: str) -> None:
    assert word == spoken(written)


@pytest.mark.parametrize("written", ["H800", "NVIDIA-H800A-NV-80G", "a800_80g", "MLU590", ""])
def test_a_word_that_was_found_is_not_changed_again(written: str) -> None:
    assert spoken(written) == spoken(spoken(written))


@pytest.mark.parametrize(
    "written",
    [
        "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb",  # a slice is no card
        "NVIDIA-A100-80",  # 80 of what
        "NVIDIA-GeForce-RTX-4090",
        "Ascend910",
        "X800-80G",
        "80G",
        "NVIDIA",
        "训练卡",
        "",
    ],
)
def test_a_name_that_is_not_wholly_understood_stays_the_platforms_own(written: str) -> None:
    assert written == spoken(written)


def test_a_model_that_was_not_said_stays_unsaid() -> None:
    assert spoken(None) is None


def test_both_platforms_call_one_card_by_one_word() -> None:
    assert {"A800-80G"} == {gpus.model("baidu.com/a800_80g_cgpu"), spoken("NVIDIA-A800-NV-80G")}


@given(st.text())
def test_no_name_is_lost(written: str) -> None:
    assert (spoken(written) == "") is (written == "")
