"""Tests of a run that goes on with one that was ended: what passed then, with the same sources, passes.

`tools/dev/test` names the folder of what passed with --param passed=FOLDER; without it each test runs.
"""

import json
import os
import shutil
import time
import urllib.parse

import lit.formats
import lit.Test

import longest


class PassedBefore(lit.Test.Result):
    """Its time is that of the run in which the test passed, because lit starts the longest tests first."""

    def __init__(self, seconds):
        self.seconds = seconds
        super().__init__(lit.Test.PASS, "passed before, with the same sources")

    @property
    def elapsed(self):
        return self.seconds

    @elapsed.setter
    def elapsed(self, seconds):
        pass


class Resumed:
    """Execution of a format's tests that keeps which passed. `passed` is the folder, or None."""

    def __init__(self, passed, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passed = passed

    def execute(self, test, lit_config):
        if not self.passed:
            return super().execute(test, lit_config)
        kept = os.path.join(self.passed, urllib.parse.quote(test.getFullName(), safe=""))
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as file:
                return self.take(test, json.load(file), kept)
        start = time.time()
        result = super().execute(test, lit_config)
        code = result.code if isinstance(result, lit.Test.Result) else result[0]
        if code is lit.Test.PASS:
            self.keep(test, kept)
            # What is there is whole, whenever the run ends.
            with open(kept + ".new", "w", encoding="utf-8") as file:
                json.dump(time.time() - start, file)
            os.replace(kept + ".new", kept)
        return result

    def keep(self, test, kept):
        """Keeps what the report needs beside the test's time."""

    def take(self, test, seconds, kept):
        return PassedBefore(seconds)


class ShTest(Resumed, lit.formats.ShTest):

    def getTestsForPath(self, *arguments):
        return longest.start_first(super().getTestsForPath(*arguments))


class GoogleTest(Resumed, lit.formats.GoogleTest):
    """lit counts the cases of a program by the report that the program writes."""

    def getTestsInDirectory(self, *arguments):
        return longest.start_first(super().getTestsInDirectory(*arguments))

    def keep(self, test, kept):
        shutil.copyfile(test.gtest_json_file, kept + ".cases")

    def take(self, test, seconds, kept):
        shutil.copyfile(kept + ".cases", test.gtest_json_file)
        return super().take(test, seconds, kept)

