"""The table `user`: who may sign in, known by the hash of a password."""

from __future__ import annotations

from state.session import Session

Names = list[str]


class UserStore:
    """All users; a password is never stored, only the hash the caller made of it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, name: str) -> str | None:
        """Return the hash of a user's password."""
        row = self._session.one("SELECT hash FROM user WHERE name = ?", (name,))
        return None if row is None else str(row[0])

    def put(self, name: str, password_hash: str) -> None:
        """Add a user, or give the user another password."""
        with self._session.transaction():
            self._session.db.table("user").upsert({"name": name, "hash": password_hash}, pk="name")

    def list(self) -> Names:
        """Return the names of all users, sorted."""
        return [row[0] for row in self._session.all("SELECT name FROM user ORDER BY name")]
