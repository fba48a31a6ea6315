"""The scopes that the app asks for, and what stops working without each. manifest.yml holds the same list."""

WITHOUT: dict[str, str] = {
    "app_mentions:read": "@gpubot in threads is not heard",
    "channels:history": "after a lost answer a message may appear twice in a public channel",
    "channels:read": "channels cannot be named, only given by id, and an invitation is not noticed",
    "chat:write": "nothing can be posted",
    "chat:write.public": "every public channel must invite the bot first",
    "commands": "the slash command does not exist",
    "files:read": "pictures are left out of answers",
    "files:write": "long logs and pictures are left out",
    "groups:history": "after a lost answer a message may appear twice in a private channel",
    "groups:read": "private channels cannot be named, only given by id",
    "im:history": "direct messages are not heard",
    "im:write": "nobody can be told anything in direct messages",
    "usergroups:read": "user groups among access.operators have no members, so these people may not act",
    "users:read": "everybody reads the language of the settings, and UTC",
    "users:read.email": "e-mail addresses in access.people find nobody, so these owners may not act",
}


def missing(granted: frozenset[str]) -> dict[str, str]:
    """Those that Slack did not grant, in the order of the manifest, with the harm of it."""
    return {scope: harm for scope, harm in WITHOUT.items() if scope not in granted}
