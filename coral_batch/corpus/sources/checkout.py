"""Fetch a source of problems by git URL and commit.

The commit id is the content's hash, so a checkout that exists is the right one. Not here: updating
a checkout, branches or tags: a run names a commit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from coral_batch.errors import CoralError
from coral_batch.lake.atomic import unfinished
from coral_batch.lake.places import CHECKOUTS
from coral_batch.records.settings import Source


def place(source: Source) -> tuple[Path, str]:
    """Return where a source is read from, and what is recorded as its origin."""
    if source.url is not None and source.revision is not None:
        return CHECKOUTS / source.revision, f"{source.url}@{source.revision}"
    return Path(source.path), source.path


def fetch(source: Source) -> None:
    """Check a source out by URL and revision, unless that was done or it has neither.

    The URL is anything that git clones over file, git, http, https or ssh.

    Raises:
        CoralError: git is missing, or cannot clone the URL or find the commit.
    """
    target, url, revision = place(source)[0], source.url, source.revision
    if url is None or revision is None or target.is_dir():
        return
    with unfinished(target) as clone:
        _git("clone", "--quiet", "--no-checkout", "--", url, str(clone))
        _git("-C", str(clone), "checkout", "--quiet", "--detach", revision)
        shutil.rmtree(clone / ".git")


def _git(*arguments: str) -> None:
    environment = {
        **os.environ,
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_TERMINAL_PROMPT": "0",
    }
    try:
        done = subprocess.run(
            ["git", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            errors="backslashreplace",  # git quotes URLs and names in the bytes that they have
            check=False,
        )
    except FileNotFoundError:
        raise CoralError(
            "git is not installed", action="install git, or set the source's path (corpus.sources)"
        ) from None
    if done.returncode:
        raise CoralError(
            "git could not check the corpus out",
            file="params.yaml",
            field="corpus.sources: url, revision",
            found=done.stderr.strip(),
            expected="a repository that can be reached and a commit in it",
            action="or clone it yourself and set the source's path",
        )
