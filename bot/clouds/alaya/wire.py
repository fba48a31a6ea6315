"""What Alaya NeW sends, field by field and nothing concluded from it (Alaya reference §5 and §8).

Every field is optional and every number may be text. The platform spells some things in two ways; both are read.
"""

from typing import Annotated, NamedTuple

from pydantic import AliasChoices, BeforeValidator, Field, PlainValidator

from bot.clouds.scalars import Loose, Number, Text, Whole, read_list, read_number, read_record


def _records(value: object) -> list[object]:
    return [read_record(item) for item in read_list(value)]


class Sample(NamedTuple):
    """One point: Unix seconds and a ratio 0..1, the latter as text. No model: a sweep reads very many of them."""

    timestamp: float | None
    value: float | None


def _samples(value: object) -> tuple[Sample, ...]:
    points = (read_record(item) for item in read_list(value))
    return tuple(Sample(read_number(point.get("timestamp")), read_number(point.get("value"))) for point in points)


class Series(Loose):
    """One curve. Its points sit under the same key as the list of curves itself (oddity 3)."""

    pod_name: Text = Field(None, validation_alias="podName")
    gpu_name: Text = Field(None, validation_alias="gpuName")
    max_rate: Number = Field(None, validation_alias="maxRate")
    avg_rate: Number = Field(None, validation_alias="avgRate")
    current_rate: Number = Field(None, validation_alias="currentRate")
    samples: Annotated[tuple[Sample, ...], PlainValidator(_samples)] = Field((), validation_alias="metricData")


class Metrics(Loose):
    series: Annotated[tuple[Series, ...], BeforeValidator(_records)] = Field((), validation_alias="metricData")
    start_time: Text = Field(None, validation_alias="startTime")
    end_time: Text = Field(None, validation_alias="endTime")


class Pod(Loose):
    """An element of the pod list. The terminal's address is a credential: it stays out of every repr."""

    name: Text = Field(None, validation_alias="podName")
    ip: Text = Field(None, validation_alias="podIp")
    status: Text = None
    reason: Text = None
    node_name: Text = Field(None, validation_alias="nodeName")
    host_name: Text = Field(None, validation_alias="hostName")
    created_time: Text = Field(None, validation_alias="createdTime")
    create_time: Text = Field(None, validation_alias="createTime")
    updated_time: Text = Field(None, validation_alias="updatedTime")
    web_ssh: Text = Field(None, validation_alias="podWebSSH", repr=False)


class PodBasics(Loose):
    """The answer of `/basic`; the node may be spelt differently than in the pod list (oddity 12)."""

    cluster_name: Text = Field(None, validation_alias="clusterName")
    host_name: Text = Field(None, validation_alias="hostName")
    namespace: Text = None
    host_ip: Text = Field(None, validation_alias="hostIp")
    status: Text = None
    pod_ip: Text = Field(None, validation_alias="podIp")
    restart_count: Whole = Field(None, validation_alias="restartCount")
    qos_class: Text = Field(None, validation_alias="qosClass")
    create_by: Text = Field(None, validation_alias="createBy")
    create_time: Text = Field(None, validation_alias="createTime")
    created_time: Text = Field(None, validation_alias="createdTime")


class Resource(Loose):
    """`gpu_count` counts the GPUs of one worker."""

    worker_count: Whole = Field(None, validation_alias="workerCount")
    gpu_count: Whole = Field(None, validation_alias="gpuCount")
    gpu_name: Text = Field(None, validation_alias="gpuName")


class Job(Loose):
    """A record of the job list (Alaya reference §5.7)."""

    id: Text = None
    name: Text = None
    status: Text = None
    aidc_id: Text = Field(None, validation_alias="aidcId")
    create_by: Text = Field(None, validation_alias="createBy")
    training_type: Text = Field(None, validation_alias="trainingType")
    framework: Text = Field(None, validation_alias="trainingFramwork")  # spelt so on the wire
    image: Text = None
    resource: Annotated[Resource, BeforeValidator(read_record)] = Field(
        default_factory=lambda: Resource.model_validate({})
    )
    created_time: Text = Field(None, validation_alias="createdTime")
    create_time: Text = Field(None, validation_alias="createTime")
    start_time: Text = Field(None, validation_alias="startTime")
    end_time: Text = Field(None, validation_alias="endTime")
    finish_time: Text = Field(None, validation_alias="finishTime")
    reason: Text = None
    message: Text = None


class JobPage(Loose):
    """One page of jobs; `records` are kept raw so that each can be judged alone."""

    records: Annotated[tuple[object, ...], BeforeValidator(read_list)] = ()
    total_rows: Whole = Field(None, validation_alias="totalRows")


class Event(Loose):
    """The answer of the assumed event operations, in the words that Kubernetes uses."""

    type: Text = None
    reason: Text = None
    message: Text = None
    count: Whole = None
    pod_name: Text = Field(None, validation_alias="podName")
    first_time: Text = Field(None, validation_alias=AliasChoices("firstTime", "firstTimestamp"))
    last_time: Text = Field(None, validation_alias=AliasChoices("lastTime", "lastTimestamp"))
    created_time: Text = Field(None, validation_alias="createdTime")
