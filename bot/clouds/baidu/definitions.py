"""How AIHC words the definition of a job: the body of a create, and a definition out of a job that there is.

What the platform adds to a job by itself (AIHC v1 reference §7.1) is left out on the way back, so that a job which is
run again says no more than its owner had said.
"""

from collections.abc import Iterator, Mapping

from bot.clouds.answer import Body
from bot.clouds.baidu import wire
from bot.clouds.baidu.jobs import framework_word
from bot.domain.job import OWNER_LABEL, JobDefinition, Mount

SPEC_KEYS = frozenset({"hostNetwork", "privileged"})
TOP_KEYS = frozenset(
    {
        "alertConfig",
        "codeSource",
        "enableBccl",
        "faultToleranceArgs",
        "faultToleranceConfig",
        "logCollectionFilePatterns",
        "preferredNodeAffinity",
        "requiredNodeAffinity",
        "retentionPeriod",
        "runningTimeoutStopTimeUnit",
        "tensorboardConfig",
    }
)
_OWN_LABELS = "aijob.cce.baidubce.com/"
_OWN_VARIABLES = frozenset({("NCCL_DEBUG", "INFO"), ("NCCL_IB_DISABLE", "0")})
_OWN_NAMES = frozenset({"AIHC_JOB_NAME", "AIHC_TENSORBOARD_LOG_PATH"})
_RDMA_RESOURCE, _RDMA_MOUNT = "rdma/hca", "devshm"


def from_definition(definition: JobDefinition) -> Body:
    """The body of a create (§7.1)."""
    body: dict[str, object] = {
        "name": definition.name,
        "queue": definition.queue,
        "jobFramework": framework_word(definition.framework),
        "priority": definition.priority,
        "faultTolerance": definition.fault_tolerance,
        "labels": [{"key": key, "value": value} for key, value in definition.labels.items()],
        "datasources": [_source(mount) for mount in definition.mounts],
        "jobSpec": _spec(definition),
        **{key: value for key, value in definition.more.items() if key in TOP_KEYS},
    }
    return {key: value for key, value in body.items() if value is not None}


def _spec(definition: JobDefinition) -> dict[str, object]:
    return {
        "image": definition.image,
        "command": definition.command,
        "replicas": definition.replicas,
        "enableRDMA": definition.rdma,
        "resources": [{"name": name, "quantity": amount} for name, amount in definition.resources.items()],
        "envs": [{"name": name, "value": value} for name, value in definition.env.items()],
        **{key: value for key, value in definition.more.items() if key in SPEC_KEYS},
    }


def _source(mount: Mount) -> dict[str, object]:
    given = {"type": mount.kind, "name": mount.name, "mountPath": mount.path, "sourcePath": mount.source}
    return {key: value for key, value in given.items() if value is not None} | _options(mount.options)


def _options(options: Mapping[str, object]) -> dict[str, object]:
    return {"options": dict(options)} if options else {}


def to_definition(raw: wire.Job) -> JobDefinition:
    """A job as a definition (§7.2). What it does not say is empty, for a person to fill in."""
    return JobDefinition(
        name=raw.name or "",
        image=raw.image or "",
        command=raw.command or "",
        replicas=raw.replicas or 1,
        resources=_resources(raw),
        queue=raw.queue,
        framework=framework_word(raw.framework),
        priority=raw.priority,
        env={name: value for name, value in raw.envs.items() if not _is_own_variable(name, value)},
        labels={key: value for key, value in raw.labels.items() if not _is_own_label(key)},
        mounts=tuple(_mounts(raw)),
        rdma=bool(raw.rdma),
        fault_tolerance=bool(raw.fault_tolerance),
        more=_more(raw),
    )


def _resources(raw: wire.Job) -> dict[str, float]:
    given = {one.name: one.quantity for one in raw.resources if one.name and one.quantity is not None}
    return {name: amount for name, amount in given.items() if not (raw.rdma and name == _RDMA_RESOURCE)}


def _mounts(raw: wire.Job) -> Iterator[Mount]:
    for source in raw.sources:
        if source.path and not (raw.rdma and source.name == _RDMA_MOUNT):
            told = {name: value for name, value in source.options.items() if value not in ("", 0, False, None)}
            yield Mount(source.kind or "pfs", source.path, source.name or "", source.source, told)


def _more(raw: wire.Job) -> dict[str, object]:
    """Host network follows RDMA unless somebody said otherwise."""
    given: dict[str, object] = {
        "hostNetwork": raw.host_network if raw.host_network is not raw.rdma else None,
        "privileged": raw.privileged or None,
        "enableBccl": raw.bccl or None,
        "faultToleranceConfig": raw.fault_tolerance_config or None,
    }
    return {key: value for key, value in given.items() if value is not None}


def _is_own_variable(name: str, value: str) -> bool:
    return name in _OWN_NAMES or (name, value) in _OWN_VARIABLES


def _is_own_label(key: str) -> bool:
    return key.startswith(_OWN_LABELS) or key == OWNER_LABEL
