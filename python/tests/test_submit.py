"""Calls that nobody waits for: order, events, failures, callbacks."""

import gc
import os
import signal
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import heddle

DOUBLE = """
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %y = stablehlo.add %x, %x : tensor<256xf32>
  return %y : tensor<256xf32>
}
"""

SLOW = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = stablehlo.custom_call @slow(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""


@pytest.fixture(scope="module")
def double(tmp_path_factory):
    return heddle.compile(DOUBLE.encode(), tmp_path_factory.mktemp("double") / "double.heddle")


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return heddle.compile(SLOW.encode(), tmp_path_factory.mktemp("slow") / "slow.heddle", custom_calls="slow")


X = np.arange(256, dtype=np.float32)


def test_result_is_that_of_a_call(double):
    model = heddle.load(double)
    submitted = model.submit(X)
    np.testing.assert_array_equal(submitted.result()["out0"], model(X)["out0"])
    assert submitted.done() and submitted.wait(0)
    np.testing.assert_array_equal(submitted.result(0)["out0"], 2 * X)


def test_submitted_calls_run_in_order_and_before_later_calls(double):
    model, chain = heddle.load(double), np.ones(256, np.float32)
    buffers = [chain.copy() for _ in range(9)]
    for before, behind in zip(buffers, buffers[1:]):
        model.submit(before, out={"out0": behind})
    np.testing.assert_array_equal(model(buffers[-1])["out0"], np.full(256, 512, np.float32))


def test_arrays_live_until_the_call_is_done(slow):
    go, seen = threading.Event(), []

    def wait(x):
        go.wait(30)
        seen.append(x.copy())
        return x + 1

    model = heddle.load(slow, custom_calls={"slow": wait})
    first, second = (model.submit(np.full(8, number, np.float32)) for number in (1, 2))
    assert not first.done() and not first.wait(0.01) and not second.done()
    with pytest.raises(TimeoutError):
        second.result(0.01)
    del model
    go.set()
    np.testing.assert_array_equal(second.result()["out0"], np.full(8, 3, np.float32))
    assert first.done() and [array[0] for array in seen] == [1, 2]


def test_what_is_submitted_and_forgotten_is_done(slow):
    seen = []
    model = heddle.load(slow, custom_calls={"slow": lambda x: seen.append(x[0]) or x})
    for number in range(5):
        model.submit(np.full(8, number, np.float32))
    del model
    assert seen == [0, 1, 2, 3, 4]


def test_events_order_models_and_hand_failures_on(slow, double):
    go, order = threading.Event(), []

    def first(x):
        go.wait(30)
        order.append("first")
        return x

    def second(x):
        order.append("second")
        return x

    one, two = heddle.load(slow, custom_calls={"slow": first}), heddle.load(slow, custom_calls={"slow": second})
    ones = np.ones(8, np.float32)
    behind = two.submit(ones, after=[one.submit(ones)])
    go.set()
    behind.result()
    assert order == ["first", "second"]

    def fail(x):
        raise KeyError("lost")

    failed = heddle.load(slow, custom_calls={"slow": fail}).submit(ones)
    waiter = heddle.load(double).submit(X, after=[failed])
    with pytest.raises(heddle.HeddleError, match="lost") as error:
        failed.result()
    assert error.value.code == "HDL-0821" and isinstance(error.value.__cause__, KeyError)
    with pytest.raises(heddle.HeddleError, match="lost"):
        waiter.result()


def test_each_call_has_its_own_error(slow):
    """Two models over one program fail at the same time, each with what its own call raised."""
    meet = threading.Barrier(2, timeout=30)

    def fail(x):
        error = KeyError(float(x[0]))
        meet.wait()
        raise error

    one = heddle.load(slow, custom_calls={"slow": fail})
    submitted = [model.submit(np.full(8, number, np.float32)) for number, model in enumerate((one, one.entry("main")))]
    for number, call in enumerate(submitted):
        for _ in range(2):
            with pytest.raises(heddle.HeddleError) as error:
                call.result()
            assert error.value.__cause__.args == (number,)


def test_time_counts_while_another_thread_calls(slow):
    go, inside = threading.Event(), threading.Event()

    def wait(x):
        inside.set()
        go.wait(30)
        return x

    model, ones = heddle.load(slow, custom_calls={"slow": wait}), np.ones(8, np.float32)
    thread = threading.Thread(target=model, args=(ones,))
    thread.start()
    assert inside.wait(30)
    for use in model, model.submit:
        with pytest.raises(heddle.HeddleError, match="the model is in another call") as error:
            use(ones, timeout=0.05)
        assert error.value.code == "HDL-0815" and not go.is_set()
    go.set()
    thread.join()
    np.testing.assert_array_equal(model(ones, timeout=30)["out0"], ones)


def test_calls_that_their_functions_hold_are_collected(slow):
    def start():
        held = {}

        def fail(x):
            raise KeyError(len(held))

        model = heddle.load(slow, custom_calls={"slow": fail})
        held["call"] = model.submit(np.ones(8, np.float32))
        with pytest.raises(heddle.HeddleError) as error:
            held["call"].result()
        held["error"] = error.value
        return weakref.ref(held["call"]), weakref.ref(model)

    gone = start()
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def ends_well(program):
    """What a program of its own writes; some faults are only seen in a process that ends, or does not."""
    ended = subprocess.run([sys.executable, "-X", "faulthandler", "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.mark.parametrize("threads", [1, 2])
def test_a_model_is_not_collected_inside_its_own_call(slow, threads):
    """Both calls are made although nothing but a function of the program's, another one than runs, holds the model."""
    assert ends_well(f"""
import gc, time, weakref, numpy as np, heddle
gc.disable()
seen, results = [], [np.zeros(8, np.float32) for _ in range(2)]
def slow(x):
    gc.collect()
    seen.append(x[0])
    return x + 1
def start():
    held = []
    held.append(heddle.load({str(slow)!r}, threads={threads}, custom_calls={{"slow": slow, "other": lambda x: held}}))
    for number, result in enumerate(results):
        held[0].submit(np.full(8, number, np.float32), out={{"out0": result}})
    return weakref.ref(held[0])
gone = start()
while gone() and not len(seen) == 2:
    time.sleep(0.01)
while gone():
    gc.collect()
print(seen == [0, 1], [result[0] for result in results] == [1, 2])
""") == "True True\n"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("collected", [False, True])
def test_the_last_hold_of_a_model_is_dropped_inside_its_call(slow, threads, collected):
    """By hand, or by the garbage collector, which finds a cycle that the program is no part of. The calls behind it are made all the same."""
    assert ends_well(f"""
import gc, threading, weakref, numpy as np, heddle
gc.disable()
heddle._runtime.report_leaks()
held, seen, go, dropped = [], [], threading.Event(), threading.Event()
class Kept: pass
def slow(x):
    go.wait(30)
    held.clear()
    gc.collect()
    seen.append((x[0], gone()))
    dropped.set()
    return x + 1
def start():
    model = heddle.load({str(slow)!r}, threads={threads}, custom_calls={{"slow": slow}})
    for number in range(3):
        submission = model.submit(np.full(8, number, np.float32))
    if {collected}:
        kept = Kept()
        kept.held = kept, model, submission
    else:
        held.append(submission)
    return weakref.ref(submission)
gone = start()
go.set()
dropped.wait(30)
assert heddle._runtime.finish_left(30)
print(seen == [(0, None), (1, None), (2, None)])
""") == "True\n"


def test_a_program_waits_for_the_calls_of_models_that_are_gone(slow):
    assert ends_well(f"""
import threading, time, numpy as np, heddle
held, go, dropped = [], threading.Event(), threading.Event()
def slow(x):
    go.wait(30)
    held.clear()
    dropped.set()
    time.sleep(0.3)
    print("called")
    return x
model = heddle.load({str(slow)!r}, custom_calls={{"slow": slow}})
held.append(model.submit(np.ones(8, np.float32)))
del model
go.set()
dropped.wait(30)
""") == "called\n"


def test_callbacks(slow):
    go, called, ready = threading.Event(), [], threading.Event()
    model = heddle.load(slow, custom_calls={"slow": lambda x: go.wait(30) and x})
    submitted = model.submit(np.ones(8, np.float32))

    def note(done):
        called.append(done)
        ready.set()

    submitted.add_done_callback(note)
    assert not called
    go.set()
    assert ready.wait(30) and called == [submitted]
    submitted.add_done_callback(called.append)
    assert called == [submitted, submitted]
    with pytest.raises(TypeError, match="a function is wanted"):
        submitted.add_done_callback(3)


def test_cancel_and_timeout(slow):
    begun, go = threading.Event(), threading.Event()

    def wait(x):
        begun.set()
        return go.wait(30) and x

    model = heddle.load(slow, custom_calls={"slow": wait})
    cancelled = model.submit(np.ones(8, np.float32))
    assert begun.wait(30)
    late = model.submit(np.ones(8, np.float32), timeout=0.01)
    cancelled.cancel()
    assert not late.wait(0.05)
    go.set()
    with pytest.raises(heddle.HeddleError) as error:
        cancelled.result()
    assert error.value.code == "HDL-0816"
    with pytest.raises(heddle.HeddleError) as error:
        late.result()
    assert error.value.code == "HDL-0815"


def test_a_custom_call_does_not_submit_to_its_own_model(slow):
    models, errors = [], []

    def again(x):
        try:
            models[0].submit(x)
        except heddle.HeddleError as error:
            errors.append(error.code)
        return x

    models.append(heddle.load(slow, custom_calls={"slow": again}))
    models[0].submit(np.ones(8, np.float32)).result()
    assert errors == ["HDL-0817"]
    models.clear()


def test_mistakes(double):
    model = heddle.load(double)
    with pytest.raises(heddle.HeddleError) as error:
        model.submit(np.ones(3, np.float32)).result()
    assert error.value.code == "HDL-0807"
    with pytest.raises(ValueError, match="seconds from 0"):
        model.submit(X, timeout=-1)
    np.testing.assert_array_equal(model(X)["out0"], 2 * X)


@pytest.mark.parametrize("kept", ["model", "submission", "model, submission"])
def test_a_program_that_ends_lets_its_calls_end(slow, kept):
    program = f"""
import time, numpy as np, heddle
heddle._runtime.report_leaks()
def call():
    model = heddle.load({str(slow)!r}, custom_calls={{"slow": lambda x: (time.sleep(0.3), print("called"), x)[2]}})
    submission = model.submit(np.ones(8, np.float32))
    return {kept}
kept = call()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "called\n", "")


def test_what_is_no_submission_is_nothing_to_wait_for(double):
    model = heddle.load(double)
    for after, found in (("ab", "is a str"), (None, "is a NoneType"), (model.submit(X), "is a Submission"), ([3], "holds a int")):
        with pytest.raises(TypeError, match=f"after {found}; .*what Model.submit gives is wanted"):
            model.submit(X, after=after)


def in_child(check):
    """What `check` gives in a forked child, which has 20 seconds, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            said = str(check())
        except BaseException as error:
            said = f"{type(error).__name__} {getattr(error, 'code', '')}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        said = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return said


def test_a_forked_child_is_told_of_calls_that_nobody_will_do(slow, double):
    go = threading.Event()
    model, other, ones = heddle.load(slow, custom_calls={"slow": lambda x: go.wait(30) and x}), heddle.load(double), np.ones(8, np.float32)
    submitted, done = model.submit(ones), other.submit(X)
    done.wait()
    uses = [lambda: model(ones), lambda: model.submit(ones), submitted.wait, submitted.result, lambda: other.submit(X, after=[submitted]).result()]
    for use in uses:
        said = in_child(use)
        assert said.startswith("HeddleError HDL-0817") and "were not done when this process was forked" in said
    # What was done, and other models, serve the child.
    assert in_child(submitted.done) == "False"
    for use in done.result, lambda: other(X), lambda: other.submit(X).result():
        assert in_child(lambda: np.array_equal(use()["out0"], 2 * X)) == "True"
    go.set()
    np.testing.assert_array_equal(submitted.result()["out0"], ones)


def test_a_forked_child_does_not_wait_for_calls_of_other_threads(slow):
    go, inside = threading.Event(), threading.Event()
    model, ones = heddle.load(slow, custom_calls={"slow": lambda x: (inside.set(), go.wait(30), x)[2]}), np.ones(8, np.float32)
    thread = threading.Thread(target=model, args=(ones,))
    thread.start()
    assert inside.wait(30)
    assert in_child(lambda: model(ones)).startswith("HeddleError HDL-0817")
    go.set()
    thread.join()


def test_a_forked_child_ends_with_unfinished_calls_of_its_parent(slow):
    program = f"""
import os, sys, threading, numpy as np, heddle
go = threading.Event()
model = heddle.load({str(slow)!r}, custom_calls={{"slow": lambda x: (go.wait(30), x)[1]}})
submitted = model.submit(np.ones(8, np.float32))
if os.fork() == 0:
    try:
        model.submit(np.ones(8, np.float32))
    except heddle.HeddleError as error:
        print(error.code, flush=True)
    sys.exit(0)
status = os.wait()[1]
go.set()
submitted.result()
print(status)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "HDL-0817\n0\n", "")


@pytest.fixture
def interrupts():
    """Interrupts raise, also where who runs the tests in the background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupts_end_a_wait(slow, interrupts):
    go = threading.Event()
    model = heddle.load(slow, custom_calls={"slow": lambda x: go.wait(30) and x})
    submitted = model.submit(np.ones(8, np.float32))
    for wait in submitted.wait, lambda: submitted.wait(20), submitted.result:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            wait()
        # The call goes on.
        assert not submitted.done()
    go.set()
    np.testing.assert_array_equal(submitted.result()["out0"], np.ones(8, np.float32))


def test_a_program_with_objects_that_nothing_ends_is_silent(double):
    program = f"""
import ctypes, heddle
model = heddle.load({str(double)!r})
ctypes.pythonapi.Py_IncRef(ctypes.py_object(model._program))
"""
    report = program.replace("model =", "heddle._runtime.report_leaks()\nmodel =", 1)
    for text, silent in (program, True), (report, False):
        ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
        assert ended.returncode == 0 and (ended.stderr == "") == silent
