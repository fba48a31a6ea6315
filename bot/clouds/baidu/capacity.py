"""What AIHC's pools, queues and nodes are in our vocabulary, and definitions back (AIHC v1 reference §5 and §6)."""

from bot.clouds.answer import Body
from bot.clouds.baidu import gpus, wire
from bot.clouds.baidu.times import read_time
from bot.domain.capacity import Amounts, Node, Pool, Queue, QueueDefinition

ROOT_QUEUE = "63a9f0ea7bb98050796b649e85481845"  # MD5 of "root", the platform's name for it (§1.4)


def to_pool(cloud: str, raw: wire.Pool) -> Pool | None:
    if raw.meta.id is None:
        return None
    status = raw.status
    return Pool(
        cloud=cloud,
        id=raw.meta.id,
        name=raw.meta.name or raw.meta.id,
        platform_state=status.phase or "",
        region=raw.spec.region,
        nodes_total=status.nodes.total,
        nodes_used=status.nodes.used,
        gpus_total=status.gpus.total,
        gpus_used=status.gpus.used,
        gpu_models=tuple(model for detail in status.gpu_details if (model := _gpu_model(detail))),
        created_at=read_time(raw.meta.created_at),
    )


def to_queue(cloud: str, pool: str, raw: wire.Queue) -> Queue | None:
    """The quota is what the queue deserves, else what it may take at most; oversell is the platform's opposite flag."""
    if raw.name is None:
        return None
    quota = raw.deserved or raw.capability
    return Queue(
        cloud=cloud,
        pool=pool,
        name=_shown(raw.name),
        kind=raw.kind,
        platform_state=raw.state,
        parent=_shown(raw.parent) if raw.parent else None,
        description=raw.description,
        gpus_quota=gpus.total(quota),
        gpus_used=gpus.total(raw.allocated),
        running=raw.running,
        pending=_waiting(raw),
        reclaimable=raw.reclaimable,
        preemptable=raw.preemptable,
        oversell=None if raw.disable_oversell is None else not raw.disable_oversell,
        strategy=raw.strategy,
        quota=quota,
        used=raw.allocated,
        deserved=raw.deserved,
        guarantee=raw.guarantee,
        capability=raw.capability,
        created_at=read_time(raw.created),
    )


def to_node(cloud: str, pool: str, raw: wire.Node) -> Node | None:
    """A failed node may have no name on the network: then it is called by its instance."""
    name = raw.node_name or raw.instance_name or raw.id
    if name is None:
        return None
    return Node(
        cloud=cloud,
        name=name,
        platform_state=raw.phase or "",
        id=raw.id,
        pool=pool,
        zone=raw.zone,
        schedulable=_is_schedulable(raw),
        gpu_model=gpus.model_of_product(raw.gpu_type) or gpus.model(raw.gpu_descriptor),
        gpus_total=raw.gpu_total,
        gpus_used=raw.gpu_allocated,
        cpus_total=raw.cpu_total,
        cpus_used=raw.cpu_allocated,
        memory_total_gb=raw.memory_total,
        memory_used_gb=raw.memory_allocated,
        created_at=read_time(raw.created_at),
    )


def from_queue_definition(definition: QueueDefinition) -> Body:
    """The body of a create or an update: what is None is not sent and stays as it is (§6.1 and §6.3)."""
    body: dict[str, object] = {
        "name": definition.name,
        "description": definition.description,
        "queueType": definition.kind,
        "parentQueue": definition.parent,
        "deserved": _amounts(definition.deserved),
        "guarantee": _amounts(definition.guarantee),
        "capability": _amounts(definition.capability),
        "disableOversell": None if definition.oversell is None else not definition.oversell,
        "reclaimable": definition.reclaimable,
        "queueingStrategy": definition.strategy,
    }
    return {key: value for key, value in body.items() if value is not None}


def _amounts(amounts: Amounts | None) -> dict[str, float | str] | None:
    return None if amounts is None else dict(amounts)


def platform_name(queue: str) -> str:
    """The root queue goes by a name of the platform's own."""
    return ROOT_QUEUE if queue == "root" else queue


def _shown(name: str) -> str:
    return "root" if name == ROOT_QUEUE else name


def _waiting(raw: wire.Queue) -> int | None:
    """Jobs admitted but not started and jobs not admitted yet both wait."""
    known = [count for count in (raw.inqueue, raw.pending) if count is not None]
    return sum(known) if known else None


def _gpu_model(detail: wire.GpuDetail) -> tuple[str, int, int] | None:
    name = gpus.model(detail.descriptor) or detail.descriptor
    if name is None or detail.total is None or detail.used is None:
        return None
    return name, detail.total, detail.used


def _is_schedulable(raw: wire.Node) -> bool | None:
    if raw.intervention is None:
        return None
    return raw.intervention.lower() == "unintervened"
