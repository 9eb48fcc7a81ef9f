"""scikit-learn's callback protocol, which came with version 1.9; before it there is nothing to support."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from exactree.solve import Callback, Progress

try:
    from sklearn import callback as protocol
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # scikit-learn before 1.9
    protocol = None

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""


SUPPORTED = protocol is not None
Method = TypeVar("Method", bound=Callable[..., Any])


def with_callbacks(method: Method) -> Method:
    """Let scikit-learn set up its callbacks before ``fit`` and take them down after it, whatever happens."""
    if protocol is not None:
        return cast(Method, protocol.with_callbacks(method))

    @wraps(method)
    def plain(estimator: Any, *args: Any, **kwargs: Any) -> Any:  # as many stack frames as with scikit-learn's own
        return method(estimator, *args, **kwargs)

    return cast(Method, plain)


__all__ = ["SUPPORTED", "CallbackSupportMixin", "FitTask", "with_callbacks"]


class FitTask:
    """The fit as a task of scikit-learn's callbacks, and each progress report as a task within it.

    Hooks are called with the training data at the end of the fit only, together with the fitted estimator: a progress
    report has no model that could be scored. A hook that returns True stops the fit.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        self._data = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        self._context: Any = None
        if SUPPORTED:
            self._context = estimator._init_callback_context(max_subtasks=None)
            self._context.call_on_fit_task_begin(estimator=estimator, **self._data)

    @property
    def callback(self) -> Callback | None:
        """Callback for progress reports; ``None`` if the estimator has no scikit-learn callbacks."""
        return self._report if self._context is not None and hasattr(self._estimator, "_skl_callbacks") else None

    def _report(self, progress: Progress) -> bool:
        task = self._context.subcontext(task_name=progress.stage)
        task.call_on_fit_task_begin(estimator=self._estimator)
        return bool(task.call_on_fit_task_end(estimator=self._estimator))

    def end(self) -> None:
        """Report the end of the fit, with the fitted estimator."""
        if self._context is not None:
            self._context.call_on_fit_task_end(
                estimator=self._estimator, reconstruction_attributes=lambda: vars(self._estimator), **self._data
            )
