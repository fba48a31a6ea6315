"""What SysOM sends, field by field and nothing concluded from it (SysOM reference §4, §6 and §11).

Fields that the platform types "any" stay raw here; `embedded` and `ext_info` make sense of them.
"""

from pydantic import AliasChoices, ConfigDict, Field

from bot.clouds.scalars import Loose, Number, Text


class AlarmRecord(Loose):
    """One alarm. Fields that no page names are kept in `model_extra`."""

    model_config = ConfigDict(extra="allow")

    id: Text = Field(None, validation_alias="alarmId")
    time: Text = Field(None, validation_alias="alarmTime")
    cluster: Text = Field(None, validation_alias="alarmCluster")
    task: Text = Field(None, validation_alias="alarmTask")
    type: Text = Field(None, validation_alias="alarmType")
    log: Text = Field(None, validation_alias="alarmLog")
    status: Text = None
    uid: Text = None
    ext_info: object = Field(None, validation_alias="alarmExtInfo")
    topology: object = Field(None, validation_alias="alarmTopology")


class InstanceHealth(Loose):
    """A row of ListInstanceHealth."""

    instance: Text = None
    region_id: Text = None
    score: Number = None
    status: Text = None


class AbnormalEvent(Loose):
    """A row of ListAbnormalyEvents (spelt so on the wire); times are Unix numbers, 0 for an event that goes on."""

    item: Text = None
    type: Text = None
    level: Text = None
    description: Text = None
    instance: Text = None
    pod: Text = None
    created_at: Number = None
    end_at: Number = None


class ClusterName(Loose):
    """A cluster where the list holds objects instead of names."""

    name: Text = Field(None, validation_alias=AliasChoices("clusterId", "cluster_id", "name", "id"))
