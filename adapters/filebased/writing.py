"""How every mutation runs: look, plan, do it whole, take it in, say what became of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from adapters.contract import MutationFailure, MutationResult, RepositoryUnavailable
from adapters.filebased import names
from adapters.filebased.changes import Change
from adapters.filebased.core import Core
from adapters.filebased.desk import Desk, Planned
from adapters.filebased.journal import Journal
from adapters.filebased.plan import Rename, Step
from adapters.filebased.refusal import Refusal, refusal_of
from adapters.filebased.snapshot import area_of

Planner = Callable[[Desk], Planned]


class Writer:
    """Runs one mutation at a time on a root."""

    def __init__(
        self,
        core: Core,
        journal: Journal,
        clock: Callable[[], datetime],
        token: Callable[[], str],
    ) -> None:
        self._core = core
        self._journal = journal
        self._clock = clock
        self._token = token

    def run(self, catch_up: Callable[[], None], plan: Planner) -> MutationResult:
        """Return what came of a mutation; whatever is refused has changed nothing.

        A file that changed between plan and deed is planned for once more (R-F-76).
        """
        with self._core.lock:
            try:
                catch_up()
                try:
                    return self._run(plan)
                except Refusal as refusal:
                    if refusal.failure is not MutationFailure.STALE:
                        raise
                self._core.look_again(None)
                return self._run(plan)
            except Refusal as refusal:
                return MutationResult.refused(refusal.failure, refusal.detail)
            except RepositoryUnavailable as error:
                return MutationResult.refused(MutationFailure.UNAVAILABLE, error.reason)

    def _run(self, plan: Planner) -> MutationResult:
        desk = Desk(core=self._core, clock=self._clock, token=self._token)
        try:
            planned = plan(desk)
        except OSError as error:
            raise refusal_of(error) from None
        if not planned.plan.steps:
            return self._result(planned, Change())
        paths = {path for step in planned.plan.steps for path in _paths(step)}
        try:
            self._journal.carry_out(planned.plan)
        except OSError as error:
            self._core.look_again(paths)
            raise refusal_of(error) from None
        except BaseException:
            self._core.look_again(paths)
            raise
        return self._result(planned, self._core.publish(paths, planned.plan.moves))

    def _result(self, planned: Planned, change: Change) -> MutationResult:
        area = planned.area
        if planned.path is not None:
            area = area_of(self._core.tree(), planned.path)
        return MutationResult(
            ok=True,
            area=area,
            area_changes=change.moved,
            resource_id_changes=change.resource_id_changes,
            resource_id=planned.resource,
            trash_token=planned.trash_token,
        )


def _paths(step: Step) -> tuple[str, ...]:
    paths = (step.source, step.target) if isinstance(step, Rename) else (step.path,)
    private = names.PRIVATE_DIRECTORY
    return tuple(path for path in paths if not names.is_below(path, private))
