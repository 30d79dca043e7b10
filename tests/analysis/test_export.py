"""Files give back what was saved, to the last bit."""

import csv
import dataclasses

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.analysis.export import load, save
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.writing import written_aside

DTYPES = ("bool", "int8", "uint64", "int64", "float16", "float32", "float64")
SENTENCE = ["鲁提辖", "拳打", "镇关西", "，", "=1+1", "'quoted'", "a,b;\t", 'say "hi"', "\n", "", "\0", "😀"]


def labels(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def same(one: Labelled, two: Labelled) -> None:
    def described(result):
        axes = [(axis.name, axis.unit) for axis in result.axes]
        return result.id, result.name, result.unit, result.note, axes

    assert described(one) == described(two)
    assert one.values.dtype == two.values.dtype
    np.testing.assert_array_equal(one.values, two.values, strict=True)
    for left, right in zip(one.axes, two.axes, strict=True):
        if left.values.dtype.kind in "biuf":
            np.testing.assert_array_equal(left.values, right.values, strict=True)
        else:
            assert [str(label) for label in left.values] == list(right.values)


@st.composite
def results(draw, max_axes=4):
    shape = draw(st.lists(st.integers(1, 3), max_size=max_axes).map(tuple))
    dtype = draw(st.sampled_from(DTYPES))
    values = draw(hnp.arrays(dtype, shape))
    axes = []
    for length in shape:
        if draw(st.booleans()):
            axis_values = labels(draw(st.lists(st.text(max_size=6), min_size=length, max_size=length)))
        else:
            axis_values = draw(hnp.arrays(draw(st.sampled_from(("int64", "float64"))), length))
        axes.append(Axis(Text(draw(st.text(max_size=5)), "轴"), axis_values, Text("tokens", "词元")))
    return Labelled(
        "one", Text("a, result", "结果"), values, tuple(axes), Text("rad", "弧度"), Text("seed 0", "种子 0")
    )


@given(one=results())
@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_any_result_survives_a_round_trip(ending, tmp_path_factory, one):
    path = tmp_path_factory.getbasetemp() / f"one.{ending}"
    assert save(path, one) == path
    (back,) = load(path)
    same(one, back)


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_several_results_and_awkward_tokens(ending, tmp_path):
    tokens = Axis(Text("key", "键"), labels(SENTENCE))
    heads = Axis(Text("head", "注意力头"), np.arange(2))
    weights = Labelled(
        "weights",
        Text("attention weights", "注意力权重"),
        np.random.default_rng(0).random((2, len(SENTENCE), len(SENTENCE)), dtype=np.float32),
        (heads, tokens, tokens),
    )
    number = Labelled("loss", Text("loss", "损失"), np.array(0.1), ())
    path = save(tmp_path / f"data.{ending}", weights, number)
    first, second = load(path)
    same(weights, first)
    same(number, second)


def test_arrays_in_npz_are_plain_numpy(tmp_path):
    axis = Axis(Text("distance", "距离"), np.array([0, 5]))
    path = save(tmp_path / "k.npz", Labelled("kernel", Text("k", "核"), np.array([1.0, 0.5]), (axis,)))
    with np.load(path, allow_pickle=False) as arrays:
        assert arrays["kernel"].tolist() == [1.0, 0.5]
        assert arrays["kernel.axis0"].tolist() == [0, 5]


def test_csv_of_a_matrix_reads_as_a_matrix(tmp_path):
    axes = (
        Axis(Text("position", "位置"), np.array([7, 8])),
        Axis(Text("token", "词元"), labels(["史进", "=x"])),
    )
    path = save(
        tmp_path / "m.csv", Labelled("m", Text("m", "矩阵"), np.array([[0.1, 2.0], [1 / 3, np.nan]]), axes)
    )
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")  # spreadsheets need it to read Chinese
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    assert "矩阵" in lines[0][0]  # names are there to be read
    assert lines[1:] == [["position", "史进", "'=x"], ["7", "0.1", "2.0"], ["8", "0.3333333333333333", "nan"]]


@pytest.mark.parametrize("start", "=+-@\t\r\n'＝＋－＠")
def test_no_label_starts_a_formula(start, tmp_path):
    one = Labelled("m", Text("m", "m"), np.ones(1), (Axis(Text("token", "词元"), labels([start + "cmd()"])),))
    path = save(tmp_path / "m.csv", one)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[2][0] == "'" + start + "cmd()"
    same(one, load(path)[0])


def plain(id="m", values=(1.0,)):
    return Labelled(id, Text("m", "m"), np.asarray(values), (Axis(Text("x", "x"), np.arange(len(values))),))


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("m.xlsx", (plain(),), "npz or .csv"),
        ("m", (plain(),), "npz or .csv"),
        ("missing/m.npz", (plain(),), "can't be written"),
        ("m.npz", (plain(), plain()), "share one id"),
        ("m.npz", (plain(values=()),), "empty"),
        ("m.csv", (plain(values=("a",)),), "only bool, int and float"),
    ],
)
def test_refusals_say_why(name, given, words, tmp_path):
    with pytest.raises(ClockhandsError, match=words) as caught:
        save(tmp_path / name, *given)
    assert caught.value.text.zh != caught.value.text.en
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_a_folder_in_the_way_is_refused(ending, tmp_path):
    (tmp_path / f"m.{ending}").mkdir()
    with pytest.raises(ClockhandsError, match="can't be written"):
        save(tmp_path / f"m.{ending}", plain())
    assert len(list(tmp_path.iterdir())) == 1


def test_a_failed_write_leaves_the_old_file_whole(tmp_path):
    path = save(tmp_path / "m.npz", plain())
    before = path.read_bytes()

    def interrupted():
        with written_aside(path) as aside:
            aside.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ["npz", "csv"])
@pytest.mark.parametrize("content", [b"", b"not,ours\n1,2\n", b"PK\x03\x04broken", b"\xff\xfe\x00"])
def test_other_files_are_refused(ending, content, tmp_path):
    path = tmp_path / f"other.{ending}"
    path.write_bytes(content)
    if ending == "csv" and not content:
        assert load(path) == ()
        return
    with pytest.raises(ClockhandsError, match="not written by clockhands"):
        load(path)
    with pytest.raises(ClockhandsError, match="can't be read"):
        load(tmp_path / f"absent.{ending}")


class Trap:
    """Unpickling it would run code of the file's choice."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was loaded",)


def test_pickles_are_never_loaded(tmp_path):
    path = save(tmp_path / "m.npz", plain())
    with np.load(path, allow_pickle=False) as arrays:
        about = arrays["about"]
    trap = np.array([Trap()], dtype=object)
    np.savez(path, about=about, **{"m": trap, "m.axis0": np.arange(1)})
    with pytest.raises(ClockhandsError, match="not written by clockhands"):
        load(path)


def test_a_cut_csv_is_refused(tmp_path):
    path = save(tmp_path / "m.csv", plain(values=(1.0, 2.0, 3.0)))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(ClockhandsError, match="damaged"):
        load(path)


def test_results_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain().id = "other"
