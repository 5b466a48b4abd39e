"""Recordings: commands that are checked and ordered once, and replayed with other values in their slots."""

from __future__ import annotations

from pintle import _native


class Recording(_native.Recording):
    """Commands that Queue.replay submits. Device.record makes one. It keeps the buffers and kernels of its commands."""

    def __repr__(self) -> str:
        return f"<pintle.Recording with {self.slots} slots{' closed' if self.closed else ''}>"
