"""The tables, as numbered steps that are only ever appended to.

Times are microseconds since 1970 UTC, truths 0 or 1.
"""

from sqlite_utils import Database, Migrations

migrations = Migrations("gpubot")

TABLES = frozenset(
    {
        "actions",
        "alarms",
        "cards",
        "channels",
        "claims",
        "cursors",
        "incidents",
        "instance",
        "outbox",
        "storms",
    }
)

_WHAT_HAPPENED = (
    """CREATE TABLE alarms (
        source TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, severity INTEGER NOT NULL,
        at INTEGER, seen_at INTEGER NOT NULL, task_state TEXT NOT NULL, incident_id INTEGER,
        PRIMARY KEY (source, id)) STRICT, WITHOUT ROWID""",
    "CREATE INDEX alarms_of_incident ON alarms (incident_id) WHERE incident_id IS NOT NULL",
    "CREATE INDEX alarms_by_age ON alarms (seen_at)",
    """CREATE TABLE incidents (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL, task TEXT, job TEXT, channel TEXT NOT NULL,
        is_open INTEGER NOT NULL, opened_at INTEGER NOT NULL, last_at INTEGER NOT NULL, ended_at INTEGER,
        recorded_at INTEGER NOT NULL, storm_id INTEGER, body TEXT NOT NULL) STRICT""",
    "CREATE UNIQUE INDEX one_open_incident_per_key ON incidents (key) WHERE is_open = 1",
    "CREATE INDEX open_incidents_of_task ON incidents (task) WHERE is_open = 1",
    "CREATE INDEX open_incidents_of_job ON incidents (job) WHERE is_open = 1",
    "CREATE INDEX incidents_by_age ON incidents (last_at)",
    "CREATE INDEX incidents_by_end ON incidents (ended_at) WHERE ended_at IS NOT NULL",
    "CREATE INDEX incidents_by_arrival ON incidents (channel, recorded_at)",
    "CREATE INDEX incidents_of_storm ON incidents (storm_id) WHERE storm_id IS NOT NULL",
)

_WHAT_IS_SAID = (
    """CREATE TABLE cards (
        incident_id INTEGER PRIMARY KEY, channel TEXT NOT NULL, ts TEXT, fingerprint TEXT NOT NULL,
        generation INTEGER NOT NULL, posted_at INTEGER NOT NULL, edited_at INTEGER) STRICT""",
    """CREATE TABLE storms (
        id INTEGER PRIMARY KEY, channel TEXT NOT NULL, opened_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
        members INTEGER NOT NULL, ts TEXT, fingerprint TEXT, edited_at INTEGER) STRICT""",
    "CREATE INDEX storms_of_channel ON storms (channel, last_at)",
    """CREATE TABLE outbox (
        id INTEGER PRIMARY KEY, what TEXT NOT NULL, channel TEXT NOT NULL, incident_id INTEGER, storm_id INTEGER,
        urgency INTEGER NOT NULL, mark TEXT NOT NULL UNIQUE, body TEXT, state TEXT NOT NULL,
        queued_at INTEGER NOT NULL, due_at INTEGER NOT NULL, claimed_at INTEGER, lease_until INTEGER, owner TEXT,
        tries INTEGER NOT NULL DEFAULT 0, trouble TEXT, reason TEXT, sent_at INTEGER) STRICT""",
    """CREATE UNIQUE INDEX one_waiting_card_per_incident ON outbox (incident_id)
        WHERE what = 'card' AND state = 'due'""",
    """CREATE UNIQUE INDEX one_waiting_card_per_storm ON outbox (storm_id)
        WHERE what = 'storm' AND state = 'due'""",
    "CREATE INDEX outbox_unsent ON outbox (channel, urgency, due_at) WHERE state <> 'sent'",
    "CREATE INDEX outbox_under_way ON outbox (channel) WHERE state IN ('claimed', 'doubtful')",
    "CREATE INDEX outbox_of_incident ON outbox (incident_id, id) WHERE state <> 'sent'",
    "CREATE INDEX outbox_by_age ON outbox (sent_at) WHERE state = 'sent'",
)

_WHO_AND_WHERE = (
    "CREATE TABLE cursors (source TEXT PRIMARY KEY, reached INTEGER NOT NULL) STRICT",
    "CREATE TABLE claims (key TEXT PRIMARY KEY, by TEXT NOT NULL, at INTEGER NOT NULL) STRICT",
    """CREATE TABLE actions (
        id INTEGER PRIMARY KEY, at INTEGER NOT NULL, person TEXT NOT NULL, action TEXT NOT NULL,
        incident_id INTEGER, job TEXT, outcome TEXT NOT NULL) STRICT""",
    "CREATE INDEX actions_by_age ON actions (at)",
    "CREATE INDEX actions_of_incident ON actions (incident_id)",
    "CREATE TABLE channels (name TEXT PRIMARY KEY, id TEXT NOT NULL) STRICT",
    "CREATE TABLE instance (id INTEGER PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT",
)


@migrations(name="001_first_tables")
def first_tables(db: Database) -> None:
    for statement in (*_WHAT_HAPPENED, *_WHAT_IS_SAID, *_WHO_AND_WHERE):
        db.execute(statement)


_OLD_ALARMS_APART = (
    """CREATE TABLE alarms_2 (
        source TEXT NOT NULL, is_old INTEGER NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, severity INTEGER NOT NULL,
        at INTEGER, seen_at INTEGER NOT NULL, task_state TEXT NOT NULL, incident_id INTEGER,
        PRIMARY KEY (source, is_old, id)) STRICT, WITHOUT ROWID""",
    """INSERT INTO alarms_2 (source, is_old, id, kind, severity, at, seen_at, task_state, incident_id)
        SELECT source, 0, id, kind, severity, at, seen_at, task_state, incident_id FROM alarms""",
    "DROP TABLE alarms",
    "ALTER TABLE alarms_2 RENAME TO alarms",
    "CREATE INDEX alarms_of_incident ON alarms (incident_id) WHERE incident_id IS NOT NULL",
    "CREATE INDEX alarms_by_age ON alarms (is_old, seen_at)",
)


@migrations(name="002_old_alarms_apart")
def old_alarms_apart(db: Database) -> None:
    """Ids of alarms have no order: among a million old ones each new one would be written into a page of its own."""
    for statement in _OLD_ALARMS_APART:
        db.execute(statement)
