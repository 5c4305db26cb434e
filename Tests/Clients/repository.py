"""A repository of git for clients to clone."""

import os

from clients import run


def repository(directory):
    """A repository for the protocol of plain files, which are what a cache can keep."""
    tree, bare = directory + "/tree", directory + "/bare"
    identity = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = dict(os.environ, HOME=directory, GIT_CONFIG_NOSYSTEM="1", **identity)
    run(["git", "init", "-q", "-b", "main", tree], env=environment)
    with open(tree + "/file", "w") as file:
        file.write("content\n" * 1000)
    for words in (["add", "."], ["commit", "-qm", "one"], ["clone", "-q", "--bare", tree, bare]):
        run(["git", *words], cwd=tree, env=environment)
    run(["git", "update-server-info"], cwd=bare, env=environment)
    return bare
