"""Signatures against the vectors of the three platforms' reference pages."""

import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clouds.signing import (
    Draft,
    Keys,
    acs3,
    acs3_canonical,
    acs3_headers,
    alaya_hmac,
    bce_canonical,
    bce_v1,
    bearer,
    encoded,
    plain,
    query_string,
    sha256_hex,
)

BCE = json.loads((Path(__file__).parent / "fixtures" / "bce_vectors.json").read_text("utf-8"))
BCE_KEYS = Keys("ak-test-0123456789abcdef", "sk-test-fedcba9876543210")
BCE_TIME = datetime(2024, 7, 16, 6, tzinfo=UTC)

ACS_KEYS = Keys("LTAI-test-access-key-id", "test-access-key-secret")
ACS_TIME = datetime(2025, 8, 23, 10, 16, 25, tzinfo=UTC)
ACS_HOST = "sysom.cn-hangzhou.aliyuncs.com"
ACS_NONCE = "0123456789abcdef0123456789abcdef"
ALARMS = "/api/v1/aiTopology/topology/listAlarmRecord"


def _bce_draft(vector: dict[str, object]) -> Draft:
    headers = dict(vector["headers"])  # type: ignore[call-overload]
    host = headers.pop("Host")
    return Draft(str(vector["method"]), host, str(vector["path"]), query_string(vector["query"]), headers)  # type: ignore[arg-type]


@pytest.mark.parametrize("vector", BCE, ids=lambda vector: vector["id"])
def test_bce_signs_as_the_reference_vectors_say(vector: dict[str, object]) -> None:
    draft, signed = _bce_draft(vector), vector["signed_headers"]
    assert vector["canonical_request"] == bce_canonical(draft, signed)  # type: ignore[arg-type]
    authorization = bce_v1(draft, BCE_KEYS, BCE_TIME, signed, int(str(vector["expiration"])))  # type: ignore[arg-type]
    assert vector["authorization"] == authorization


def test_bce_leaves_an_authorization_query_key_out_of_what_it_signs() -> None:
    bare, dirty = Draft("GET", "h", "/p", "a=1"), Draft("GET", "h", "/p", "Authorization=x&a=1")
    assert bce_canonical(bare) == bce_canonical(dirty)


def _acs_authorization(draft: Draft, keys: Keys, action: str, accept: bool = True) -> str:
    extra = {"accept": "application/json"} if accept else {}
    headers = {**draft.headers, **extra, **acs3_headers(draft, keys, action, "2023-12-30", ACS_TIME, ACS_NONCE)}
    return acs3(Draft(draft.method, draft.host, draft.path, draft.query, headers, draft.body), keys)


def test_acs3_reproduces_the_signature_that_the_vendor_publishes() -> None:
    keys = Keys("YourAccessKeyId", "YourAccessKeySecret")
    query = query_string({"ImageId": "win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd", "RegionId": "cn-shanghai"})
    bare = Draft("POST", "ecs.cn-shanghai.aliyuncs.com", "/", query)
    at, nonce = datetime(2023, 10, 26, 10, 22, 32, tzinfo=UTC), "3156853299f313e23d1673dc12e1703d"
    headers = acs3_headers(bare, keys, "RunInstances", "2014-05-26", at, nonce)
    draft = Draft("POST", bare.host, "/", query, headers)
    assert "7ea06492da5221eba5297e897ce16e55f964061054b7695beedaac1145b1e259" == sha256_hex(
        acs3_canonical(draft).encode()
    )
    assert (
        "ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;"
        "x-acs-signature-nonce;x-acs-version,"
        "Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0"
    ) == acs3(draft, keys)


@pytest.mark.parametrize(
    ("draft", "keys", "action", "signed", "signature"),
    [
        pytest.param(
            Draft("GET", ACS_HOST, ALARMS, query_string({"pageSize": 10, "current": 1})),
            ACS_KEYS,
            "GetGpuClusterListAlarmRecord",
            "accept;host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version",
            "6c19540413cd5247809a1bdf1d0761ebd9532525c3b7b057ef56bd2dc6e9f0b8",
            id="V1 a plain read",
        ),
        pytest.param(
            Draft(
                "GET",
                ACS_HOST,
                ALARMS,
                query_string(
                    {
                        "alarmTime": "2025-08-22 18:16:25,2025-08-23 18:16:25",
                        "alarmCluster": "cluster1,cluster2",
                        "alarmType": "显存访问越界",
                        "alarmExtInfo": "i-bp1abc~x*y+z/w",
                        "current": "1",
                        "pageSize": "10",
                        "status": "blocking",
                    }
                ),
            ),
            ACS_KEYS,
            "GetGpuClusterListAlarmRecord",
            "accept;host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version",
            "4154e9a6dfcd223d3fa5d6841626fd012da9f1f42be8bbda825294a58809964d",
            id="V2 Chinese and special characters",
        ),
        pytest.param(
            Draft("GET", ACS_HOST, ALARMS, query_string({"pageSize": 10, "current": 1})),
            Keys("STS.testAccessKeyId", "test-access-key-secret", "CAIS-test-security-token=="),
            "GetGpuClusterListAlarmRecord",
            "accept;host;x-acs-accesskey-id;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-security-token;"
            "x-acs-signature-nonce;x-acs-version",
            "cc8b1b34b1a0b0bd85d0244fa5772cefa396bcba0c52ef202568bf69b936d7f3",
            id="V3 a session token",
        ),
        pytest.param(
            Draft(
                "POST",
                ACS_HOST,
                "/api/v1/openapi/diagnosis/invoke_diagnosis",
                headers={"content-type": "application/json; charset=utf-8"},
                body=b'{"service_name":"vmcore","channel":"ecs","params":"{\\"instance\\":\\"i-bp1abc\\"}"}',
            ),
            ACS_KEYS,
            "InvokeDiagnosis",
            "accept;content-type;host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version",
            "f1e71881908054c4f366c6f8b488e50ebaf5fd818613eb967bd350a2afd75c01",
            id="V4 a JSON body",
        ),
    ],
)
def test_acs3_signs_as_the_reference_vectors_say(
    draft: Draft, keys: Keys, action: str, signed: str, signature: str
) -> None:
    expected = f"ACS3-HMAC-SHA256 Credential={keys.access_key},SignedHeaders={signed},Signature={signature}"
    assert expected == _acs_authorization(draft, keys, action)


@pytest.mark.parametrize(
    ("secret", "milliseconds", "path", "signature"),
    [
        (
            "test-secret",
            123456,
            "/api/osm/v1/product/list-for-training-task",
            "75b861affb0513a335904a768af94f065b1fe0eb2fe980b5223883b151db639b",
        ),
        (
            "sk_test_secret",
            1756030585000,
            "/api/osm/v1/training/instance/list",
            "f71e846381d49db734c06268504bb9e5ac73c1556eedad01d936ff36460d69ad",
        ),
        (
            "sk_test_secret",
            1756030585000,
            "/v1/training/instance/ca78d6b9-e196-5a0f-b1be-ab036b3cb91a/pods",
            "29f502474f618f74eb7f893022ca0f0a3b5df8c9cdaf4d55cad25ec68d96ae8d",
        ),
    ],
)
def test_alaya_signs_time_method_and_path_but_no_query(
    secret: str, milliseconds: int, path: str, signature: str
) -> None:
    at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    draft = Draft("GET", "api.alayanew.com", path, "pageNo=1")
    assert f"alayanew-HMAC-SHA256 ak:{milliseconds}:{signature}" == alaya_hmac(draft, Keys("ak", secret), at)


def test_the_two_simple_schemes_carry_their_key_as_it_is() -> None:
    assert "Bearer key-1" == bearer("key-1")
    assert "plain Credential=ak,Signature=sk" == plain(Keys("ak", "sk"))


def test_keys_do_not_show_their_secrets() -> None:
    assert "Keys(access_key='ak')" == repr(Keys("ak", "very-secret", "token-secret"))


@given(st.text())
def test_encoding_is_undone_by_any_decoder(text: str) -> None:
    assert text.encode(errors="replace").decode() == unquote(encoded(text))


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=5))
def test_the_http_client_sends_a_query_exactly_as_it_was_signed(query: dict[str, str]) -> None:
    text = query_string(query)
    assert text.encode() == httpx.URL(f"http://h/p?{text}").query


@given(st.text(min_size=1).filter(lambda text: text not in (".", "..")))
def test_the_http_client_sends_a_path_exactly_as_it_was_signed(segment: str) -> None:
    path = f"/a/{encoded(segment)}/b"
    assert path.encode() == httpx.URL(f"http://h{path}").raw_path


def test_a_parameter_without_a_value_is_not_sent_and_a_space_is_never_a_plus() -> None:
    assert "a=1%202&b=" == query_string({"b": "", "c": None, "a": "1 2"})
