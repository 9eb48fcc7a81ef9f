"""scikit-learn's callback protocol, which came with version 1.9; before it there is nothing to support."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from exactree.solve import Callback, Progress

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    SUPPORTED = True
except ImportError:  # scikit-learn before 1.9
    SUPPORTED = False

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method, behind as many stack frames as scikit-learn's own decorator puts before it."""

        @wraps(method)
        def plain(estimator: Any, *args: Any, **kwargs: Any) -> Any:
            return method(estimator, *args, **kwargs)

        return plain


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
