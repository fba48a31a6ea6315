"""The simulators' verifiers against the vectors of the reference pages, and against every way in which a
signature can be wrong."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.simulator.clouds.alaya import signature as alaya
from bot.simulator.clouds.baidu import signature as baidu
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.sysom import signature as sysom
from bot.simulator.world import chance

BCE_KEYS = {"ak-test-0123456789abcdef": "sk-test-fedcba9876543210"}
BCE_NOW = datetime(2024, 7, 16, 6, 0, 30, tzinfo=UTC)
BCE_AUTH = "bce-auth-v1/ak-test-0123456789abcdef/2024-07-16T06:00:00Z/"
DATE = {"x-bce-date": "2024-07-16T06:00:00Z"}
HOST = {"Host": "aihc.bj.baidubce.com"}
V2_QUERY = (
    "resourcePoolId=cce-test0001&queue=%E8%AE%AD%E7%BB%83%E9%98%9F%E5%88%97%2F%E4%B8%BB%20A"
    "&orderBy=createdAt&order=desc&pageNo=1&pageSize=20&keyword=a~b%2Bc%2Ad%26e%3Df"
)

BceVector = tuple[str, str, str, dict[str, str], str]
BCE_VECTORS: dict[str, BceVector] = {
    "V1": (
        "GET",
        "/api/v1/resourcepools",
        "",
        HOST | DATE,
        "1800//9e1b704747d27247d2cbd406694f15fc5c12237d02be333d95691fa3e1820e3d",
    ),
    "V2": (
        "GET",
        "/api/v1/aijobs",
        V2_QUERY,
        HOST | DATE | {"Content-Type": "application/json"},
        "1800/content-type;host;x-bce-date/359117d4ea5c55cf91256e08e0b17d4d452ef32dde0dc23fe231fa82245b1d01",
    ),
    "V3": (
        "POST",
        "/api/v1/aijobs",
        "resourcePoolId=cce-test0001&clientToken=",
        {"Host": "127.0.0.1:18080", "Content-Type": "application/json", "Content-Length": "45"}
        | DATE
        | {"User-Agent": "ignored/1.0"},
        "1800//cef7c9f6b119e4351fda1a005c56ce9704394ba33a8c9917ef6443f8a7178c2b",
    ),
    "V4": (
        "DELETE",
        "/api/v1/resourcepools/cce-test0001/queue/%E9%98%9F%E5%88%97%20a",
        "",
        HOST | DATE,
        "600/host;x-bce-date/8168a67c9f41bf1831b51d9c5c7a117b8834b931bcaf73feba328520826b6157",
    ),
    "V5": (
        "PUT",
        "/api/v1/aijobs/pytorchjob-00000000-0000-4000-8000-000000000001",
        "resourcePoolId=cce-test0001",
        HOST
        | DATE
        | {
            "x-bce-security-token": "tok/en+1=",
            "Content-Type": "application/json; charset=utf-8",
            "Content-Length": "21",
        },
        (
            "1800/content-length;content-type;host;x-bce-date;x-bce-security-token/"
            "24269576beff172174ddfeff82277d33bae7997857055eb84ff3c69e2e23da2b"
        ),
    ),
    "V6": (
        "GET",
        "/api/v1/aijobs/j1/metrics",
        "metricType=GpuUsage&startTime=1721109000&resourcePoolId=cce-test0001",
        HOST,
        "1800/host/e31576e147b14895e9ddc060737c2623a81ec8558845cd3c49956af4a03b9f10",
    ),
}


def check_bce(vector: BceVector, *, now: datetime = BCE_NOW, **changes: str) -> None:
    method, path, query, headers, tail = vector
    authorization = changes.get("authorization", BCE_AUTH + tail)
    baidu.check(BCE_KEYS, now, method, path, changes.get("query", query), headers | {"Authorization": authorization})


def complaint_of_bce(vector: BceVector, *, now: datetime = BCE_NOW, **changes: str) -> str:
    with pytest.raises(Complaint) as caught:
        check_bce(vector, now=now, **changes)
    return caught.value.code


@pytest.mark.parametrize("name", BCE_VECTORS)
def test_baidu_accepts_every_published_vector(name: str) -> None:
    check_bce(BCE_VECTORS[name])


@pytest.mark.parametrize("name", BCE_VECTORS)
def test_baidu_refuses_a_signature_with_one_digit_changed(name: str) -> None:
    tail = BCE_VECTORS[name][4]
    last = "0" if tail[-1] != "0" else "1"
    code = complaint_of_bce(BCE_VECTORS[name], authorization=BCE_AUTH + tail[:-1] + last)
    assert code == "SignatureDoesNotMatch"


def test_baidu_does_not_take_a_plus_for_a_space() -> None:
    assert "SignatureDoesNotMatch" == complaint_of_bce(BCE_VECTORS["V2"], query=V2_QUERY.replace("%20", "+"))


def test_baidu_misses_a_date_header_that_the_default_set_covers() -> None:
    method, path, query, _, tail = BCE_VECTORS["V1"]
    assert "SignatureDoesNotMatch" == complaint_of_bce((method, path, query, HOST, tail))


@pytest.mark.parametrize(("name", "minutes"), [("V1", 30), ("V4", 10)])
def test_baidu_counts_the_expiry_from_the_signing(name: str, minutes: int) -> None:
    over = datetime(2024, 7, 16, 6, 0, tzinfo=UTC) + timedelta(minutes=minutes)
    check_bce(BCE_VECTORS[name], now=over)
    assert "RequestExpired" == complaint_of_bce(BCE_VECTORS[name], now=over + timedelta(seconds=1))


def test_baidu_refuses_a_signature_from_the_far_future() -> None:
    early = datetime(2024, 7, 16, 5, 54, tzinfo=UTC)
    assert "RequestExpired" == complaint_of_bce(BCE_VECTORS["V1"], now=early)


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        ("bce-auth-v1/only/three", "InvalidHTTPAuthHeader"),
        ("bce-auth-v2/ak-test-0123456789abcdef/2024-07-16T06:00:00Z/1800//ab", "InvalidHTTPAuthHeader"),
        (BCE_AUTH + "1800/x-bce-date/ab", "InvalidHTTPAuthHeader"),
        (BCE_AUTH + "soon//ab", "InvalidHTTPAuthHeader"),
        ("bce-auth-v1/nobody/2024-07-16T06:00:00Z/1800//ab", "InvalidAccessKeyId"),
    ],
)
def test_baidu_names_what_is_wrong_with_an_authorization(authorization: str, code: str) -> None:
    assert code == complaint_of_bce(BCE_VECTORS["V1"], authorization=authorization)


@pytest.mark.parametrize(
    ("secret", "stamp", "path", "signature"),
    [
        (
            "test-secret",
            "123456",
            "/api/osm/v1/product/list-for-training-task",
            "75b861affb0513a335904a768af94f065b1fe0eb2fe980b5223883b151db639b",
        ),
        (
            "sk_test_secret",
            "1756030585000",
            "/api/osm/v1/training/instance/list",
            "f71e846381d49db734c06268504bb9e5ac73c1556eedad01d936ff36460d69ad",
        ),
        (
            "sk_test_secret",
            "1756030585000",
            "/v1/training/instance/ca78d6b9-e196-5a0f-b1be-ab036b3cb91a/pods",
            "29f502474f618f74eb7f893022ca0f0a3b5df8c9cdaf4d55cad25ec68d96ae8d",
        ),
    ],
)
def test_alaya_accepts_every_published_vector(secret: str, stamp: str, path: str, signature: str) -> None:
    now = datetime.fromtimestamp(int(stamp) / 1000, UTC)
    door = alaya.Door((), {"ak": secret}, None)
    door.check(now, "GET", path, f"alayanew-HMAC-SHA256 ak:{stamp}:{signature}")


STAMP = "1756030585000"
ALAYA_NOW = datetime.fromtimestamp(1756030585, UTC)


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        (None, "40401"),
        ("Basic abc", "40001"),
        ("alayanew-HMAC-SHA256 ak:only-two", "40001"),
        ("Bearer unknown", "40006"),
        (f"alayanew-HMAC-SHA256 nobody:{STAMP}:ab", "40006"),
        ("alayanew-HMAC-SHA256 ak:1756030285:ab", "40002"),
        (f"alayanew-HMAC-SHA256 ak:{STAMP}:ab", "40003"),
        (
            f"alayanew-HMAC-SHA256 ak:{STAMP}:" + alaya.sign("sk", STAMP, "GET", "/v1/x?pageNo=1"),
            "40003",
        ),
    ],
)
def test_alaya_names_what_is_wrong_with_an_authorization(authorization: str | None, code: str) -> None:
    with pytest.raises(Complaint) as caught:
        alaya.Door(("key",), {"ak": "sk"}, None).check(ALAYA_NOW, "GET", "/v1/x", authorization)
    assert code == caught.value.code


def test_alaya_closes_its_window_after_five_minutes() -> None:
    door = alaya.Door((), {"ak": "sk"}, None)
    given = f"alayanew-HMAC-SHA256 ak:{STAMP}:{alaya.sign('sk', STAMP, 'GET', '/v1/x')}"
    door.check(ALAYA_NOW + timedelta(minutes=5), "GET", "/v1/x", given)
    with pytest.raises(Complaint, match="timestamp"):
        door.check(ALAYA_NOW + timedelta(minutes=5, seconds=1), "GET", "/v1/x", given)


PATH = "/api/v1/aiTopology/topology/listAlarmRecord"
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
ACS_NOW = datetime(2025, 8, 23, 10, 16, 25, tzinfo=UTC)
ACS_KEYS = {
    "LTAI-test-access-key-id": "test-access-key-secret",
    "STS.testAccessKeyId": "test-access-key-secret",
    "YourAccessKeyId": "YourAccessKeySecret",
}
ACS_HEADERS = {
    "accept": "application/json",
    "host": "sysom.cn-hangzhou.aliyuncs.com",
    "x-acs-action": "GetGpuClusterListAlarmRecord",
    "x-acs-content-sha256": EMPTY,
    "x-acs-date": "2025-08-23T10:16:25Z",
    "x-acs-signature-nonce": "0123456789abcdef0123456789abcdef",
    "x-acs-version": "2023-12-30",
}
V4_BODY = b'{"service_name":"vmcore","channel":"ecs","params":"{\\"instance\\":\\"i-bp1abc\\"}"}'
V4_HASH = "ff234b5dea1ebed2d2fd6c7ed10320bf1b5f5e1668bf05c2d36f25019f5a7eb3"
WIRE = (
    "alarmCluster=cluster1%2Ccluster2&alarmTime=2025-08-22+18%3A16%3A25%2C2025-08-23+18%3A16%3A25"
    "&alarmType=%E6%98%BE%E5%AD%98%E8%AE%BF%E9%97%AE%E8%B6%8A%E7%95%8C&current=1&pageSize=10"
)
RAW = (
    "alarmTime=2025-08-22+18:16:25,2025-08-23+18:16:25&alarmCluster=cluster1,cluster2"
    "&alarmType=%E6%98%BE%E5%AD%98%E8%AE%BF%E9%97%AE%E8%B6%8A%E7%95%8C&alarmExtInfo=i-bp1abc~x*y%2Bz/w"
    "&current=1&pageSize=10&status=blocking"
)

AcsVector = tuple[str, str, str, dict[str, str], str, bytes, str]
ACS_VECTORS: dict[str, AcsVector] = {
    "V0": (
        "POST",
        "/",
        "ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai",
        {
            "host": "ecs.cn-shanghai.aliyuncs.com",
            "x-acs-action": "RunInstances",
            "x-acs-content-sha256": EMPTY,
            "x-acs-date": "2023-10-26T10:22:32Z",
            "x-acs-signature-nonce": "3156853299f313e23d1673dc12e1703d",
            "x-acs-version": "2014-05-26",
        },
        "YourAccessKeyId",
        b"",
        "06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0",
    ),
    "V1": (
        "GET",
        PATH,
        "current=1&pageSize=10",
        ACS_HEADERS,
        "LTAI-test-access-key-id",
        b"",
        "6c19540413cd5247809a1bdf1d0761ebd9532525c3b7b057ef56bd2dc6e9f0b8",
    ),
    "V2": (
        "GET",
        PATH,
        RAW,
        ACS_HEADERS,
        "LTAI-test-access-key-id",
        b"",
        "4154e9a6dfcd223d3fa5d6841626fd012da9f1f42be8bbda825294a58809964d",
    ),
    "V3": (
        "GET",
        PATH,
        "current=1&pageSize=10",
        ACS_HEADERS
        | {"x-acs-accesskey-id": "STS.testAccessKeyId", "x-acs-security-token": "CAIS-test-security-token=="},
        "STS.testAccessKeyId",
        b"",
        "cc8b1b34b1a0b0bd85d0244fa5772cefa396bcba0c52ef202568bf69b936d7f3",
    ),
    "V4": (
        "POST",
        "/api/v1/openapi/diagnosis/invoke_diagnosis",
        "",
        ACS_HEADERS
        | {
            "content-type": "application/json; charset=utf-8",
            "x-acs-action": "InvokeDiagnosis",
            "x-acs-content-sha256": V4_HASH,
        },
        "LTAI-test-access-key-id",
        V4_BODY,
        "f1e71881908054c4f366c6f8b488e50ebaf5fd818613eb967bd350a2afd75c01",
    ),
    "V5": (
        "GET",
        PATH,
        WIRE,
        ACS_HEADERS | {"host": "127.0.0.1:18080", "user-agent": "ua/1", "x-acs-credentials-provider": "static_ak"},
        "LTAI-test-access-key-id",
        b"",
        "ab4e872185fcbfd28f6cf439d7ae5ded741d40b685f1e9efd04ac40d8a28a215",
    ),
}


def acs_request(vector: AcsVector) -> tuple[str, str, str, dict[str, str], bytes]:
    method, path, query, headers, key, body, signature = vector
    listed = ";".join(sorted(headers))
    authorization = f"ACS3-HMAC-SHA256 Credential={key},SignedHeaders={listed},Signature={signature}"
    return method, path, query, {**headers, "Authorization": authorization, "Connection": "keep-alive"}, body


def acs_time(vector: AcsVector) -> datetime:
    return datetime.strptime(vector[3]["x-acs-date"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


@pytest.mark.parametrize("name", ACS_VECTORS)
def test_sysom_accepts_every_published_vector(name: str) -> None:
    vector = ACS_VECTORS[name]
    sysom.Gate(ACS_KEYS).check(acs_time(vector), *acs_request(vector))


@pytest.mark.parametrize("name", ACS_VECTORS)
def test_sysom_refuses_another_secret(name: str) -> None:
    vector = ACS_VECTORS[name]
    gate = sysom.Gate(dict.fromkeys(ACS_KEYS, "another"))
    with pytest.raises(Complaint) as caught:
        gate.check(acs_time(vector), *acs_request(vector))
    assert "SignatureDoesNotMatch" == caught.value.code


def acs_complaint(gate: sysom.Gate, now: datetime, **headers: str) -> str:
    method, path, query, given, body = acs_request(ACS_VECTORS["V1"])
    with pytest.raises(Complaint) as caught:
        gate.check(now, method, path, query, given | headers, body)
    return caught.value.code


def test_sysom_remembers_a_nonce_for_fifteen_minutes() -> None:
    gate = sysom.Gate(ACS_KEYS)
    gate.check(ACS_NOW, *acs_request(ACS_VECTORS["V1"]))
    assert "SignatureNonceUsed" == acs_complaint(gate, ACS_NOW + timedelta(minutes=15))


@pytest.mark.parametrize("minutes", [-16, 16])
def test_sysom_refuses_a_date_more_than_fifteen_minutes_off(minutes: int) -> None:
    code = acs_complaint(sysom.Gate(ACS_KEYS), ACS_NOW + timedelta(minutes=minutes))
    assert "InvalidTimeStamp.Expired" == code


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Authorization": "ACS3-HMAC-SHA256 Credential=x"}, "IncompleteSignature"),
        ({"x-acs-date": "yesterday"}, "InvalidTimeStamp.Format"),
        ({"x-acs-content-sha256": "0" * 64}, "SignatureDoesNotMatch"),
        ({"x-acs-security-token": "unsigned"}, "IncompleteSignature"),
        ({"x-acs-signature-nonce": "another"}, "SignatureDoesNotMatch"),
    ],
)
def test_sysom_names_what_is_wrong_with_a_request(headers: dict[str, str], code: str) -> None:
    assert code == acs_complaint(sysom.Gate(ACS_KEYS), ACS_NOW, **headers)


def test_sysom_tells_a_key_without_permission_from_an_unknown_one() -> None:
    denied = sysom.Gate(ACS_KEYS, frozenset({"LTAI-test-access-key-id"}))
    assert "Forbidden.RAM" == acs_complaint(denied, ACS_NOW)
    assert "InvalidAccessKeyId.NotFound" == acs_complaint(sysom.Gate({}), ACS_NOW)


def test_made_up_uuids_have_the_form_of_version_4() -> None:
    text = chance.uuid("any", "words")
    assert (36, "4", True) == (len(text), text[14], text[19] in "89ab")
