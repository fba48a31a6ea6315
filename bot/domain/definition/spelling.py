"""The keys of a written definition. Ours come first; the spelling of the platforms' own pages is understood as well."""

KEYS = {
    "name": "name",
    "queue": "queue",
    "image": "image",
    "command": "command",
    "replicas": "replicas",
    "resources": "resources",
    "framework": "framework",
    "jobFramework": "framework",
    "jobType": "framework",
    "priority": "priority",
    "env": "env",
    "envs": "env",
    "labels": "labels",
    "mounts": "mounts",
    "datasources": "mounts",
    "rdma": "rdma",
    "enableRDMA": "rdma",
    "fault_tolerance": "fault_tolerance",
    "faultTolerance": "fault_tolerance",
    "enableFaultTolerance": "fault_tolerance",
}
SPEC = "jobSpec"  # the platforms nest half of the keys in it
OWN_KEYS = tuple(dict.fromkeys(KEYS.values()))
MOUNT_KEYS = {
    "type": "type",
    "name": "name",
    "path": "path",
    "mountPath": "path",
    "source": "source",
    "sourcePath": "source",
    "options": "options",
}
PRIORITIES = ("high", "normal", "low")
