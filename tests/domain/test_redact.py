"""Secrets in text from outside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.redact import HIDDEN, redact

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
SECRETS = {
    "WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567": "0123456789abcdef",
    "export HF_TOKEN=hf_abcdEFGHijklMNOPqrst12": "hf_abcd",
    "password=hunter2": "hunter2",
    "password: 'hunter 2 with spaces'": "hunter",
    '{"api_key": "abc-def", "loss": 0.5}': "abc-def",
    '"secretKey":"a\\"b"': "a\\",
    "DB_PASSWD=x": "=x",
    "mysql --password s3cr3t -h db": "s3cr3t",
    "密码：訓練秘密": "訓練秘密",
    "Authorization: Bearer abc123def456": "abc123",
    "authorization: Basic dXNlcjpwYXNz": "dXNlc",
    "curl -H 'Authorization: token 0a1b2c3d4e'": "0a1b2c",
    "got bearer AbCdEf123456.x from server": "AbCdEf",
    "using AKIAIOSFODNN7EXAMPLE now": "AKIAIO",
    "ak LTAI5tAbCdEfGhIjKlMnOpQr": "LTAI5t",
    "id ALTAKabcDEF123456789": "ALTAKabc",
    "bce-auth-v1/0123456789/2026-11-30T06:00:00Z/1800/host/ab12": "0123456789",
    "openai sk-proj-abcd1234EFGH5678ijkl": "sk-proj",
    "slack xoxb-1234567890-abcdef": "xoxb",
    "app xapp-1-A0-123-abcdef": "xapp",
    "git ghp_abcdefghijklmnopqrstuvwxyz012345": "ghp_",
    f"jwt {JWT} end": "eyJ",
    "https://user:pa55@host/path": "pa55",
    "redis://:pa55@10.0.0.1:6379/0": "pa55",
    "GET https://b.s3/x?X-Amz-Signature=deadbeef&part=1": "deadbeef",
    "https://oss/x?OSSAccessKeyId=LTAIx&Expires=1&Signature=abc%2B": "abc%2B",
    "https://x/y?token=abc&z=1": "=abc",
    "open https://aihc.bj.baidubce.com/webterminal/pod-1/abc?x=1 now": "pod-1",
    "wss://console.example.com/terminal?id=9f": "9f",
    "https://hooks.slack.com/services/T0/B0/abcdef": "abcdef",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----": "MIIE",
    "-----BEGIN PRIVATE KEY-----\nMIIE\ncut off": "MIIE",
    "client_secret=abc": "=abc",
    "key=aB3dE5gH7jK9mN1pQ3": "aB3dE5",
    "session_token=AQoDYXdzEJr1": "AQoD",
}
HARMLESS = [
    "step 100 loss=1.234 lr=3e-4 tokens/s: 30210 tokens=4096",
    "key=model.layers.0.self_attn.q_proj.weight shape=(4096, 4096)",
    "missing key: lm_head.weight; unexpected key 'bias'",
    "max_tokens=2048 pad_token=<pad> eos_token='</s>' token_id=50256",
    "time_per_token=0.012345678 token: 128",
    "query, key, value = self.qkv(x)",
    "RuntimeError: Expected key.size(1) == value.size(1)",
    "tokenizer=LlamaTokenizerFast, token: padding",
    "Basic authentication is not configured; bearer authentication required",
    "password=None secret=null token=***",
    "NCCL INFO comm 0x5581 rank 3 nranks 16 cudaDev 3 busId 65020",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "https://example.com/docs?page=2&sort=asc",
    "task-1234567890abcdef1234 risk-averse1234567890",
    "see s3://bucket/key and user@example.com",
    "the password was wrong and the token expired",
    "monkey=banana turkey: dinner",
    "[rank0]: KeyError: 'optimizer'",
    "训练 token 数量: 4096",
]


@pytest.mark.parametrize("line", SECRETS)
def test_a_secret_is_hidden_and_counted(line: str) -> None:
    shown = redact(line)
    assert SECRETS[line] not in shown.text
    assert HIDDEN in shown.text
    assert shown.count >= 1


@pytest.mark.parametrize("line", HARMLESS)
def test_an_ordinary_log_line_stays_as_it_is(line: str) -> None:
    assert line == redact(line).text


def test_what_stands_around_a_secret_is_kept() -> None:
    assert f"a WANDB_API_KEY={HIDDEN} b" == redact("a WANDB_API_KEY=0123abcd b").text
    assert f'{{"api_key": "{HIDDEN}", "loss": 0.5}}' == redact('{"api_key": "abc-def", "loss": 0.5}').text
    assert f"https://{HIDDEN}@host/path" == redact("https://user:pa55@host/path").text
    assert f"https://x/y?token={HIDDEN}&z=1" == redact("https://x/y?token=abc&z=1").text


def test_each_secret_of_a_line_counts() -> None:
    assert 2 == redact("password=a\nAWS AKIAIOSFODNN7EXAMPLE").count


PIECES = st.one_of(st.sampled_from([*SECRETS, *HARMLESS]), st.text(max_size=8), st.sampled_from("=: \n\"'&?‹›"))


@given(st.lists(PIECES, max_size=6).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert (once.text, 0) == (redact(once.text).text, redact(once.text).count)


@given(st.sampled_from(sorted(SECRETS)), st.text(max_size=20), st.text(max_size=20))
def test_no_neighbourhood_of_lines_lays_a_secret_bare(line: str, before: str, after: str) -> None:
    shown = redact(f"{before}\n{line}\n{after}").text
    assert shown.count(SECRETS[line]) <= (before + after).count(SECRETS[line])


@pytest.mark.parametrize(
    "piece", ["https://", "a=", "key", "'\"", "-----BEGIN PRIVATE KEY", "bearer ", "x" * 50, "eyJa"]
)
def test_a_long_text_that_is_nearly_a_secret_is_read_to_its_end(piece: str) -> None:
    """A pattern that looks back at each character would run into the suite's time limit here."""
    assert redact(piece * (200_000 // len(piece))).text
