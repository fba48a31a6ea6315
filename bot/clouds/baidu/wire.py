"""What AIHC v1 sends, field by field and nothing concluded from it (AIHC v1 reference §5 to §14).

Every field is optional, keys may carry blanks, lists may be null, numbers may be text, and some keys are spelt in two
ways; all of it is read. A record that lacks what makes it one (its id) is for the caller to skip.
"""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import AliasChoices, BeforeValidator, Field, PlainValidator, model_validator

from bot.clouds.scalars import Loose, Number, Text, Whole, read_list, read_number, read_record, read_text


class Record(Loose):
    """An object of the platform: keys are stripped, anything that is no object reads as an empty one (§14)."""

    @model_validator(mode="before")
    @classmethod
    def _strip_keys(cls, value: object) -> dict[str, Any]:
        return stripped(read_record(value))


def stripped(record: Mapping[object, object]) -> dict[str, Any]:
    """The object with its keys as they are meant."""
    return {key.strip(): item for key, item in record.items() if isinstance(key, str)}


def _read_flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).strip().lower())


def _read_amounts(value: object) -> dict[str, str]:
    texts = {read_text(key): read_text(item) for key, item in read_record(value).items()}
    return {key: text for key, text in texts.items() if key is not None and text is not None}


def _read_labels(value: object) -> dict[str, str]:
    """Labels are a list of key and value on jobs, and a map on pods."""
    if isinstance(value, Mapping):
        return _read_amounts(value)
    pairs = [read_record(item) for item in read_list(value)]
    return _read_amounts({read_text(pair.get("key")): pair.get("value") for pair in pairs})


def _read_variables(value: object) -> dict[str, str]:
    """Environment variables as they are: a blank may be meant, and so may an empty value."""
    records = [read_record(item) for item in read_list(value)]
    return {str(one["name"]): str(one.get("value", "")) for one in records if isinstance(one.get("name"), str)}


def _read_names(value: object) -> tuple[str, ...]:
    return tuple(text for item in read_list(value) if (text := read_text(item)) is not None)


def _read_lines(value: object) -> tuple[str, ...]:
    """Log records as they are: blanks at the ends of lines are the program's own."""
    return tuple(item.encode("utf-8", "replace").decode() for item in read_list(value) if isinstance(item, str))


Flag = Annotated[bool | None, BeforeValidator(_read_flag)]
Amounts = Annotated[dict[str, str], BeforeValidator(_read_amounts)]
Labels = Annotated[dict[str, str], BeforeValidator(_read_labels)]
Variables = Annotated[dict[str, str], BeforeValidator(_read_variables)]
Names = Annotated[tuple[str, ...], BeforeValidator(_read_names)]
Lines = Annotated[tuple[str, ...], BeforeValidator(_read_lines)]
Rows = BeforeValidator(read_list)


class Count(Record):
    total: Whole = None
    used: Whole = None


class GpuDetail(Count):
    descriptor: Text = Field(default=None, validation_alias=AliasChoices("gpuDescriptor", "gpudescriptor"))


class PoolMeta(Record):
    id: Text = Field(default=None, validation_alias=AliasChoices("id", "uid"))
    name: Text = None
    created_at: Text = Field(default=None, validation_alias="createdAt")
    updated_at: Text = Field(default=None, validation_alias="updatedAt")


class PoolSpec(Record):
    region: Text = None
    description: Text = None
    k8s_version: Text = Field(default=None, validation_alias="k8sVersion")
    created_by: Text = Field(default=None, validation_alias="createdBy")
    forbid_delete: Flag = Field(default=None, validation_alias="forbidDelete")
    pfs_id: Text = Field(default=None, validation_alias=AliasChoices("associatedPfsId", "associatedPfsID"))
    cprom_ids: Names = Field(default=(), validation_alias=AliasChoices("associatedCpromIds", "associatedCpromIDs"))


class PoolStatus(Record):
    phase: Text = None
    nodes: Count = Field(default_factory=Count, validation_alias="nodeCount")
    gpus: Count = Field(default_factory=Count, validation_alias="gpuCount")
    gpu_details: Annotated[tuple[GpuDetail, ...], Rows] = Field(default=(), validation_alias="gpuDetail")


class Pool(Record):
    meta: PoolMeta = Field(default_factory=PoolMeta, validation_alias="metadata")
    spec: PoolSpec = Field(default_factory=PoolSpec)
    status: PoolStatus = Field(default_factory=PoolStatus)


class Node(Record):
    id: Text = Field(default=None, validation_alias=AliasChoices("instanceId", "instanceID"))
    instance_name: Text = Field(default=None, validation_alias="instanceName")
    node_name: Text = Field(default=None, validation_alias="nodeName")
    phase: Text = Field(default=None, validation_alias="statusPhase")
    intervention: Text = None
    zone: Text = None
    region: Text = None
    gpu_type: Text = Field(default=None, validation_alias="gpuType")
    gpu_descriptor: Text = Field(default=None, validation_alias=AliasChoices("gpuDescriptor", "gpudescriptor"))
    gpu_total: Whole = Field(default=None, validation_alias="gpuTotal")
    gpu_allocated: Whole = Field(default=None, validation_alias="gpuAllocated")
    cpu_total: Number = Field(default=None, validation_alias="cpuTotal")
    cpu_allocated: Number = Field(default=None, validation_alias="cpuAllocated")
    memory_total: Number = Field(default=None, validation_alias="memoryTotal")
    memory_allocated: Number = Field(default=None, validation_alias="memoryAllocated")
    created_at: Text = Field(default=None, validation_alias="createdAt")


class Queue(Record):
    name: Text = None
    parent: Text = Field(default=None, validation_alias="parentQueue")
    kind: Text = Field(default=None, validation_alias="queueType")
    state: Text = None
    description: Text = None
    created: Text = Field(default=None, validation_alias=AliasChoices("createdTime", "createdAt"))
    reclaimable: Flag = None
    preemptable: Flag = None
    disable_oversell: Flag = Field(default=None, validation_alias="disableOversell")
    strategy: Text = Field(default=None, validation_alias="queueingStrategy")
    deserved: Amounts = Field(default_factory=dict)
    capability: Amounts = Field(default_factory=dict)
    guarantee: Amounts = Field(default_factory=dict)
    allocated: Amounts = Field(default_factory=dict)
    running: Whole = None
    inqueue: Whole = None
    pending: Whole = None


class Resource(Record):
    name: Text = None
    quantity: Number = None


class PodMeta(Record):
    name: Text = None
    namespace: Text = None
    created: Text = Field(default=None, validation_alias="creationTimestamp")
    labels: Labels = Field(default_factory=dict)


class PodStatus(Record):
    phase: Text = Field(default=None, validation_alias="podPhase")
    status: Text = None


class Pod(Record):
    ip: Text = Field(default=None, validation_alias=AliasChoices("PodIP", "podIP", "podIp"))
    node_name: Text = Field(default=None, validation_alias="nodeName")
    meta: PodMeta = Field(default_factory=PodMeta, validation_alias="objectMeta")
    status: PodStatus = Field(default_factory=PodStatus, validation_alias="podStatus")
    replica_type: Text = Field(default=None, validation_alias="replicaType")
    restart_count: Whole = Field(default=None, validation_alias="restartCount")
    finished_at: Text = Field(default=None, validation_alias="finishedAt")
    reason: Text = None


class PodPage(Record):
    pods: Annotated[tuple[Pod, ...], Rows] = ()


class Source(Record):
    """A storage that a job mounts."""

    kind: Text = Field(default=None, validation_alias="type")
    name: Text = None
    path: Text = Field(default=None, validation_alias="mountPath")
    source: Text = Field(default=None, validation_alias="sourcePath")
    options: Annotated[dict[str, Any], BeforeValidator(read_record)] = Field(default_factory=dict)


class Job(Record):
    id: Text = Field(default=None, validation_alias=AliasChoices("jobId", "jobID"))
    name: Text = None
    pool: Text = Field(default=None, validation_alias="resourcePoolId")
    queue: Text = None
    status: Text = None
    priority: Text = None
    framework: Text = Field(default=None, validation_alias="jobFramework")
    image: Text = None
    command: Text = None
    replicas: Whole = None
    resources: Annotated[tuple[Resource, ...], Rows] = ()
    labels: Labels = Field(default_factory=dict)
    envs: Variables = Field(default_factory=dict, repr=False)
    sources: Annotated[tuple[Source, ...], Rows] = Field(default=(), validation_alias="datasources")
    rdma: Flag = Field(default=None, validation_alias="enableRDMA")
    host_network: Flag = Field(default=None, validation_alias="hostNetwork")
    privileged: Flag = None
    bccl: Flag = Field(default=None, validation_alias="enableBccl")
    fault_tolerance: Flag = Field(default=None, validation_alias=AliasChoices("enableFaultTolerance", "faultTolerance"))
    fault_tolerance_config: Annotated[dict[str, Any], BeforeValidator(read_record)] = Field(
        default_factory=dict, validation_alias="faultToleranceConfig"
    )
    queueing_sequence: Whole = Field(default=None, validation_alias="queueingSequence")
    created_at: Text = Field(default=None, validation_alias="createdAt")
    running_at: Text = Field(default=None, validation_alias="runningAt")
    finished_at: Text = Field(default=None, validation_alias="finishedAt")
    pod_list: PodPage = Field(default_factory=PodPage, validation_alias="podList")


class Receipt(Record):
    """What writes answer: the name or id of what was written."""

    job_id: Text = Field(default=None, validation_alias=AliasChoices("jobId", "jobID"))
    job_name: Text = Field(default=None, validation_alias="jobName")
    queue_name: Text = Field(default=None, validation_alias="queueName")


class Event(Record):
    reason: Text = None
    message: Text = None
    first: Text = Field(default=None, validation_alias="firstTimestamp")
    last: Text = Field(default=None, validation_alias="lastTimestamp")
    count: Whole = None
    type: Text = None


class EventPage(Record):
    events: Annotated[tuple[Event, ...], Rows] = ()


class LogPage(Record):
    """`logs` holds records of one or many lines each, as `chunk` asked (§9)."""

    logs: Lines = ()
    next_marker: Text = Field(default=None, validation_alias="nextMarker")


class Sample(NamedTuple):
    """One point; no model, since a sweep over a fleet reads half a million of them."""

    time: float | None
    value: float | None


def _read_samples(value: object) -> tuple[Sample, ...]:
    return tuple(_read_sample(item) for item in read_list(value))


def _read_sample(item: object) -> Sample:
    raw = read_record(item)
    point: Mapping[Any, object] = raw if "time" in raw and "value" in raw else stripped(raw)
    return Sample(read_number(point.get("time")), read_number(point.get("value")))


class PodMetrics(Record):
    pod: Text = Field(default=None, validation_alias="podName")
    samples: Annotated[tuple[Sample, ...], PlainValidator(_read_samples)] = Field(
        default=(), validation_alias="metrics"
    )


class Metrics(Record):
    pods: Annotated[tuple[PodMetrics, ...], Rows] = Field(default=(), validation_alias="podMetrics")


class JobNodes(Record):
    names: Names = Field(default=(), validation_alias="nodeName")


class Terminal(Record):
    """The URL is a credential: it stays out of every repr."""

    url: Text = Field(
        default=None, validation_alias=AliasChoices("WebTerminalUrl", "webTerminalUrl", "webTerminalURL"), repr=False
    )
