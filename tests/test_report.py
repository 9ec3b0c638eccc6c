"""Reports in every format, and files that are whole or not there."""

import doctest
import gzip
import io
import json
import math
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from pitchsim import report, storage
from pitchsim.errors import InputError, RunError
from pitchsim.report import Report, Table, check_out_path, percent, plain, signed
from pitchsim.storage import LineFile, line_file


@dataclass
class Answer(Report):
    """A report as the rooms make them."""

    several: bool = False
    notices = ("a small sample",)

    def to_dict(self):
        return {"value": np.float64(0.5), "nothing": math.nan, "deals": np.int64(3), "seats": (1, 2)}

    def tables(self):
        calls = Table("calls", ["call", "value", "made"], [["pass", 0.25, None], ["2", -1.5, True]], "Calls")
        leads = Table("leads", ["lead", "value"], [["A|S", np.float64(1) / 3], ["TC", math.inf]])
        return [calls, leads] if self.several else [calls]

    def headline(self, symbols=False):
        return f"Bid 2 {'♠' if symbols else 'S'} <b>"

    def notes(self, symbols=False):
        return ["3 deals", "seed 1"]


def test_text_has_the_answer_first_then_tables_then_the_method():
    table = "call   value  made\n----  ------  ----\npass   0.250\n2     -1.500  yes"
    assert Answer().to_text() == f"Bid 2 S <b>\n\nCalls\n\n{table}\n\n3 deals\nseed 1\n"
    assert str(Answer()) == Answer().to_text()
    assert Answer().to_text(symbols=True).startswith("Bid 2 ♠")


def test_markdown_is_github_s_and_a_bar_does_not_end_a_cell():
    text = Answer(several=True).to_markdown()
    assert "| call |  value | made |" in text
    assert "|:-----|-------:|:-----|" in text
    assert "| A\\|S" in text


def test_csv_is_raw_and_read_back_by_pandas():
    frame = pd.read_csv(io.StringIO(Answer().to_csv()))
    assert list(frame.columns) == ["call", "value", "made"]
    assert list(frame["value"]) == [0.25, -1.5]
    assert Answer().to_csv().splitlines()[1] == "pass,0.25,"


def test_several_tables_become_one_long_csv_with_a_kind():
    frame = pd.read_csv(io.StringIO(Answer(several=True).to_csv()))
    assert list(frame.columns) == ["kind", "call", "value", "made", "lead"]
    assert list(frame["kind"]) == ["calls", "calls", "leads", "leads"]
    assert frame["value"][2] == 1 / 3  # To the last bit.


def test_json_is_one_object_without_nan():
    text = Answer().to_json()
    assert text.count("\n") == 1
    assert json.loads(text, parse_constant=pytest.fail) == {"value": 0.5, "nothing": None, "deals": 3, "seats": [1, 2]}


def test_plain_takes_numpy_and_leaves_no_infinity():
    assert plain({"a": np.arange(3), 2: [np.nan, np.True_], "c": (math.inf, None)}) == {
        "a": [0, 1, 2],
        "2": [None, True],
        "c": [None, None],
    }
    assert type(plain(np.int8(3))) is int


def test_html_is_a_whole_page_with_nothing_unescaped():
    page = Answer().to_html()
    assert page.startswith("<!DOCTYPE html>")
    assert "Bid 2 S &lt;b&gt;" in page
    assert "<b>Bid" in page
    assert "http" not in page
    assert '<td style="text-align: right;"> 0.250</td>' in Answer()._repr_html_()


def test_frames_by_kind():
    assert list(Answer(several=True).to_frame()["call"]) == ["pass", "2"]
    assert list(Answer(several=True).to_frame("leads")["lead"]) == ["A|S", "TC"]
    with pytest.raises(InputError, match="no table 'bids'; there are calls, leads"):
        Answer(several=True).to_frame("bids")


@pytest.mark.parametrize("several", [False, True])
def test_every_suffix_is_written(tmp_path, several):
    answer = Answer(several=several)
    for suffix in report.OUT_SUFFIXES:
        answer.write(tmp_path / f"result{suffix.upper()}")
    assert json.loads((tmp_path / "result.JSON").read_text()) == json.loads(answer.to_json())
    assert (tmp_path / "result.CSV").read_text() == answer.to_csv()
    assert (tmp_path / "result.MD").read_text() == answer.to_markdown()
    assert (tmp_path / "result.HTML").read_text() == answer.to_html()
    frame = pd.read_parquet(tmp_path / "result.PARQUET")
    assert list(frame["value"][:2]) == [0.25, -1.5]
    assert len(list(tmp_path.iterdir())) == len(report.OUT_SUFFIXES)


def test_parquet_takes_columns_of_words_and_numbers_and_lists(tmp_path):
    class Mixed(Answer):
        def tables(self):
            return [Table("all", ["a", "b", "c"], [["x", [1, 2], 1], [3, None, 2.5]])]

    Mixed().write(tmp_path / "mixed.parquet")
    frame = pd.read_parquet(tmp_path / "mixed.parquet")
    assert list(frame["a"]) == ["x", "3"]
    assert frame["b"][0] == "1 2"
    assert list(frame["c"]) == [1.0, 2.5]


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "_have_parquet", lambda: False)
    with pytest.raises(InputError, match=r"install pitchsim\[parquet\]"):
        check_out_path(tmp_path / "result.parquet")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("result.xls", r"give \.csv, \.json, \.md, \.html or \.parquet"),
        ("result", "no suffix to go by"),
        ("missing/result.csv", "no folder"),
        ("folder.csv", "is a folder"),
        ("zero\0.csv", "cannot be the name of a file"),
    ],
)
def test_places_that_cannot_be_are_refused_before_anything_is_computed(tmp_path, monkeypatch, name, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=why):
        Answer().write(name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


def test_a_file_is_whole_or_not_there(tmp_path):
    target = tmp_path / "result.csv"
    target.write_text("before")
    with pytest.raises(ZeroDivisionError), storage.whole_file(target) as file:
        file.write("half" + str(1 // 0))
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["result.csv"]


def test_tables_align_numbers_right_words_left_or_as_told():
    class Aligned(Answer):
        def tables(self):
            rows = [["spades", "61.0%", "mine", 200000], ["h", "<0.1%", "5%", 1]]
            return [Table("t", ["trump", "high", "jack", "deals"], rows, align={"jack": "right"})]

    assert Aligned().to_text().splitlines()[2:6] == [
        "trump    high  jack    deals",
        "------  -----  ----  -------",
        "spades  61.0%  mine  200,000",
        "h       <0.1%    5%        1",
    ]


def test_shares_and_score_changes_as_a_player_says_them():
    assert [percent(x) for x in (0, 1, 0.5, 0.0004, 0.9996, math.nan)] == ["0%", "100%", "50.0%", "<0.1%", ">99.9%", ""]
    assert [percent(x, 0) for x in (0.005, 0.006, 0.996)] == ["<1%", "1%", ">99%"]
    assert [signed(x) for x in (0.0, -0.001, 2, None)] == ["0.00", "0.00", "+2.00", ""]


def test_a_table_without_rows_still_has_its_columns():
    class Empty(Answer):
        def tables(self):
            return [Table("none", ["a", "b"], [])]

    assert Empty().to_csv() == "a,b\n"
    assert "a  b" in Empty().to_text()


# Files of lines -------------------------------------------------------------------------------------


def test_line_file_writes_at_once_and_packs_gz(tmp_path):
    with line_file(tmp_path / "a.jsonl") as file:
        file.write("one\n")
        assert (tmp_path / "a.jsonl").read_bytes() == b"one\n"
    with line_file(tmp_path / "a.jsonl.gz") as file:
        file.write("one\n")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b"one\n"


@pytest.mark.parametrize("trouble", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_line_file_takes_half_a_line_back(tmp_path, trouble):
    class Disk(io.FileIO):
        def write(self, piece):
            if self.tell() > 4:
                raise trouble
            return super().write(bytes(piece)[:3])

    path = tmp_path / "a.jsonl"
    with Disk(path, "w") as raw:
        file = LineFile(path, raw)
        file.write("1\n")
        with pytest.raises((RunError, KeyboardInterrupt)):
            file.write("second line\n")
    assert path.read_bytes() == b"1\n"


def test_line_file_that_cannot_be_opened(tmp_path):
    with pytest.raises(RunError, match="cannot write"), line_file(tmp_path / "missing" / "a.jsonl"):
        pass


@pytest.mark.parametrize("room", ["", ".api", ".counting", ".question", ".report", ".verdicts"])
def test_examples_in_docstrings_are_true(room):
    outcome = doctest.testmod(import_module(f"pitchsim{room}"))
    assert outcome.failed == 0
    assert outcome.attempted > 0
