"""The processes that benchmarks are timed in: turns, failures, crashes."""

import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "benchmarks" / "compiler"

CASES = """
import os, signal, time
import numpy as np

def sum_to(n):
    a = np.arange(n)
    return lambda: [a.sum(), (a * 2.0, [a])]

def checked():
    return (lambda: None), (lambda: np.array([7.0]))

def refused():
    raise ValueError("no such form")

def killed():
    os.kill(os.getpid(), signal.SIGKILL)

def slow():
    time.sleep(30)

def hungry():
    return lambda: np.ones(1 << 30)

def sleeper(seconds):
    return lambda: time.sleep(seconds)

def setting(name):
    return os.environ.get(name)
"""


@pytest.fixture(scope="module")
def contest():
    sys.path.insert(0, str(SCRIPTS))
    import contest

    yield contest
    sys.path.remove(str(SCRIPTS))


@pytest.fixture
def worker(contest, tmp_path, monkeypatch):
    (tmp_path / "contest_cases.py").write_text(CASES)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    with contest.Worker(sys.executable, 1, memory=2 << 30, paths=[str(tmp_path)]) as worker:
        yield worker


def test_values_of_nested_results_come_back_in_order(worker):
    worker.make("sum", "contest_cases:sum_to", 30.0, {"n": 5})
    total, doubled, a = worker.value("sum")
    assert total == 10
    np.testing.assert_array_equal(doubled, [0, 2, 4, 6, 8])
    np.testing.assert_array_equal(a, np.arange(5))


def test_a_case_may_compare_something_else_than_it_times(worker):
    worker.make("pair", "contest_cases:checked", 30.0, {})
    assert worker.value("pair")[0] == 7.0


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("refused", "ValueError: no such form"),
        ("killed", "its process died .SIGKILL."),
        ("slow", "no answer within 1 s"),
        ("hungry", "MemoryError"),
    ],
)
def test_a_case_that_fails_fails_alone(contest, worker, case, message):
    worker.make("sum", "contest_cases:sum_to", 30.0, {"n": 5})
    with pytest.raises(contest.Failed, match=message):
        worker.make(case, f"contest_cases:{case}", 1.0 if case == "slow" else 30.0, {})
    assert worker.value("sum")[0] == 10  # in the same process, or in a new one that built it again


def test_processes_are_told_their_threads_and_keep_the_true_processor(worker):
    assert worker.call("contest_cases:setting", name="OMP_NUM_THREADS") == "1"
    assert worker.call("contest_cases:setting", name="OPENBLAS_CORETYPE") is None


def test_times_are_seconds_of_a_step(contest, worker):
    cases = [
        contest.Contestant("short", worker, "contest_cases:sleeper", {"seconds": 0.01}),
        contest.Contestant("four", worker, "contest_cases:sleeper", {"seconds": 0.04}, steps=4),
        contest.Contestant("none", worker, "contest_cases:refused", {}),
    ]
    results = contest.contest(cases, rounds=7)
    assert len(results["short"].wall) == 7
    assert results["none"].failed
    for label in ("short", "four"):  # asleep for at least as long as asked, and not for seconds more
        assert all(0.01 <= seconds < 2.0 for seconds in results[label].wall)
    assert contest.fastest(results, ["none"]) is None


def test_deviations_are_relative_to_the_largest_entry(contest):
    reference = [np.array([1.0, -4.0]), np.zeros(2)]
    assert contest.deviation([np.array([1.0, -4.4]), np.zeros(2)], reference) == pytest.approx(0.1)
    assert contest.deviation([np.array([np.nan, -4.0]), np.zeros(2)], reference) == np.inf
    assert contest.deviation([np.ones(3), np.zeros(2)], reference) == np.inf


def test_bars_are_missed_only_by_the_whole_interval(contest, capsys):
    import report

    verdicts = report.Verdicts()
    verdicts.at_least("ahead", contest.Figure(2.0, 1.5, 2.5), 1.0)
    verdicts.at_least("near", contest.Figure(0.9, 0.7, 1.1), 1.0)
    assert verdicts.close() == 0
    verdicts.at_least("behind", contest.Figure(0.5, 0.4, 0.6), 1.0)
    verdicts.at_most("long", contest.Figure(2.0, 1.5, 2.5), 1.0)
    assert verdicts.close() == 1
    assert "2 of 4 bars met" in capsys.readouterr().out
