"""A definition as plain maps and lists, in the order in which a person reads it; what says nothing is left out."""

from bot.domain.job import JobDefinition, Mount


def plainly(definition: JobDefinition) -> dict[str, object]:
    """What `read_definition` reads back as the same definition."""
    told: dict[str, object] = {
        "name": definition.name,
        "queue": definition.queue,
        "image": definition.image,
        "replicas": definition.replicas,
        "resources": dict(definition.resources),
        "command": definition.command,
        "framework": definition.framework,
        "priority": definition.priority,
        "rdma": definition.rdma or None,
        "fault_tolerance": definition.fault_tolerance or None,
        "env": dict(definition.env) or None,
        "labels": dict(definition.labels) or None,
        "mounts": [_mount(mount) for mount in definition.mounts] or None,
        **definition.more,
    }
    return {key: value for key, value in told.items() if value is not None}


def _mount(mount: Mount) -> dict[str, object]:
    told = {"type": mount.kind, "name": mount.name or None, "path": mount.path, "source": mount.source}
    kept: dict[str, object] = {key: value for key, value in told.items() if value is not None}
    return kept | ({"options": dict(mount.options)} if mount.options else {})
