"""What starts a bot: programs found, files seen, and a fingerprint that changes exactly when the bot does."""

import os
import shlex
import shutil
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.config.entrants import (
    NAME_MAX,
    BotKeys,
    CommandKeys,
    Located,
    enter,
    fingerprint,
    locate,
    name_fault,
    normalised,
)
from arena.errors import SettingsError
from tests.commands import executable, problems


@pytest.fixture
def base(tmp_path):
    """A folder of bots: bots/greedy.py, and bots/run, which can be executed."""
    folder = tmp_path / "config"
    (folder / "bots").mkdir(parents=True)
    (folder / "bots" / "greedy.py").write_text("print('greedy')\n")
    executable(folder / "bots" / "run")
    return folder


def _settings_problems(command: object, environment: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    with pytest.raises(SettingsError) as caught:
        CommandKeys(command, environment=environment or {})  # type: ignore[arg-type]
    return list(caught.value.problems)


@pytest.mark.parametrize(
    "name",
    [
        "greedy",
        "two words",
        'it\'s "quoted"',
        "шах",
        "קוף",
        "مرحبا",
        "🦊",
        "👩‍💻",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "a/b",
        "-x",
        "日本　語",
        "x" * NAME_MAX,
        "no",
    ],
)
def test_names_may_be_anything_that_can_be_seen(name):
    assert name_fault(name) == ""
    assert BotKeys(name).name == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "\u00a0",
        "\u200d",
        "a\nb",
        "a\tb",
        "\x1b[31m",
        "a\u202eb",
        "a\u2066b",
        "a\u2028b",
        "\ud800",
        "\ufeffa",
        "x" * 101,
    ],
)
def test_names_that_cannot_be_seen_are_refused(name):
    assert name_fault(name)
    with pytest.raises(SettingsError):
        BotKeys(name)


@given(st.text(max_size=12))
def test_a_normalised_name_stays_as_it_is(name):
    assert normalised(normalised(name)) == normalised(name)
    assert normalised(unicodedata.normalize("NFD", name)) == normalised(name)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("python bot.py", ("python", "bot.py")),
        ("./bot --name 'two words'", ("./bot", "--name", "two words")),
        ('./bot "it\'s" a\\ b', ("./bot", "it's", "a b")),
        (
            "./bot $HOME *.py ; reboot | x && y `z`",
            ("./bot", "$HOME", "*.py", ";", "reboot", "|", "x", "&&", "y", "`z`"),
        ),
        ("./bot ''", ("./bot", "")),
        ("./ロボット 🦊", ("./ロボット", "🦊")),
    ],
)
def test_a_line_is_split_like_a_shell_would_but_nothing_is_expanded(line, words):
    assert CommandKeys(line).words == words


@given(st.lists(st.text(), min_size=1).filter(lambda words: words[0] != ""))
def test_a_line_and_a_list_are_the_same_bot(tmp_path_factory, words):
    line, listed = CommandKeys(shlex.join(words)), CommandKeys(tuple(words))
    assert line.words == listed.words
    assert fingerprint(line, Path("/nowhere")) == fingerprint(listed, Path("/nowhere"))


@pytest.mark.parametrize("command", [(), ("",), "", "  ", "''", 'python "bot.py', "python bot.py\\"])
def test_commands_that_name_nothing_are_refused(command):
    assert [path for path, _ in _settings_problems(command)] == ["command"]


def test_variables_that_no_process_can_have_are_refused():
    assert [path for path, _ in _settings_problems(("x",), {"ARENA_TOKEN": "", "A=B": "", "": "", "OK": ""})] == [
        "environment.ARENA_TOKEN",
        "environment",
        "environment",
    ]


def test_python_is_the_interpreter_of_the_arena(base):
    for name in ("python", "python3"):
        located = locate(CommandKeys((name, "bots/greedy.py")), base)
        assert located.command == (sys.executable, "bots/greedy.py")
        assert located.directory == str(base.resolve())


@pytest.mark.parametrize("environment", [".venv", "venv"])
def test_python_is_that_of_the_bots_own_folder_if_it_has_one(base, environment):
    own = executable(base / "bots" / environment / "bin" / "python")
    assert locate(CommandKeys(("python", "-u", "bots/greedy.py")), base).command[0] == str(own)
    assert locate(CommandKeys("python3 greedy.py", directory="bots"), base).command[0] == str(own)
    assert locate(CommandKeys("python -m greedy", directory="bots"), base).command[0] == str(own)
    assert locate(CommandKeys("python -m greedy"), base).command[0] == sys.executable


def test_an_environments_link_to_the_interpreter_is_not_followed(base):
    """A virtual environment is known by where its interpreter is called from."""
    link = base / "bots" / ".venv" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(sys.executable)
    assert locate(CommandKeys("python bots/greedy.py"), base).command[0] == str(link)


def test_the_environment_of_the_configs_folder_is_not_the_bots(base):
    executable(base / ".venv" / "bin" / "python")
    assert locate(CommandKeys("python bots/greedy.py"), base).command[0] == sys.executable


def test_programs_are_found_by_path_or_on_the_path(base, monkeypatch):
    assert locate(CommandKeys("bots/run --fast"), base).command == (str(base / "bots" / "run"), "--fast")
    assert locate(CommandKeys("./run", directory="bots"), base).command == (str(base / "bots" / "run"),)
    assert locate(CommandKeys(str(base / "bots" / "run")), Path("/")).command == (str(base / "bots" / "run"),)
    tool = executable(base / "tools" / "tool")
    monkeypatch.setenv("PATH", str(tool.parent))
    assert locate(CommandKeys("tool"), base).command == (str(tool),)
    other = executable(base / "other" / "tool")
    assert locate(CommandKeys("tool", environment={"PATH": str(other.parent)}), base).command == (str(other),)
    assert problems(CommandKeys("sh"), base)


def test_arguments_stay_as_they_were_written(base):
    words = ("bots/run", "../config/bots/greedy.py", "--x=bots/greedy.py", "~", "$HOME", "", "a b", "🦊")
    assert locate(CommandKeys(words), base).command[1:] == words[1:]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (CommandKeys("bots/runn"), 'command: there is no file "bots/runn" (did you mean run?)'),
        (CommandKeys(("./bots",)), 'command[0]: "./bots" is a directory, not a program'),
        (CommandKeys("bots/greedy.py"), 'command: "bots/greedy.py" is not executable (write [python, bots/greedy.py])'),
        (CommandKeys("pyhton x"), 'command: there is no program "pyhton" on the PATH (did you mean python?)'),
        (CommandKeys("run", directory="bots"), 'command: there is no program "run" on the PATH (write ./run)'),
        (CommandKeys("qqqq-qqqq"), '"qqqq-qqqq" on the PATH (install it, or write its path)'),
        (CommandKeys("python bots/gredy.py 3"), 'command: there is no file "bots/gredy.py" (did you mean greedy.py?)'),
        (
            CommandKeys(("python", "-u", "x.py")),
            'command[2]: there is no file "x.py" (paths start at the folder of the con',
        ),
        (CommandKeys("sh greedy.sh", directory="bots"), "(did you mean greedy.py?)"),
        (CommandKeys("python bots", directory="bot"), 'directory: there is no directory "bot" (did you mean bots?)'),
        (CommandKeys("python x", directory="bots/greedy.py"), "directory: there is no directory"),
        (CommandKeys("~/x.sh"), "~ is not expanded"),
        (CommandKeys("a/" * 3000 + "x"), "command: there is no file"),
        (CommandKeys("./" + "x" * 3000), "command: there is no file"),
    ],
)
def test_what_is_missing_is_named_with_what_may_be_meant(base, keys, problem):
    (said,) = problems(keys, base)
    assert problem in said


def test_program_and_script_are_both_looked_for(base):
    assert len(problems(CommandKeys("pyhton bots/gredy.py"), base)) == 2


@pytest.mark.parametrize(
    "command",
    ["python -m greedy out.py", "python -c pass x.py", "python bots", "bots/run notes.txt", "python --x=y.py"],
)
def test_only_plain_scripts_must_exist(base, command):
    locate(CommandKeys(command), base)


def test_loops_of_links_and_closed_folders_are_only_missing_files(base):
    (base / "loop").symlink_to("loop")
    assert problems(CommandKeys("loop/run"), base)
    assert problems(CommandKeys("python x", directory="loop"), base)
    assert problems(CommandKeys("python loop/x.py"), base)


def test_moving_the_folder_keeps_the_fingerprint(base, tmp_path):
    keys = CommandKeys("bots/run bots/greedy.py", environment={"A": "1"}, version="2")
    before = locate(keys, base).fingerprint
    moved = tmp_path / "somewhere else"
    shutil.copytree(base, moved)
    assert locate(keys, moved).fingerprint == before
    assert len(before) == 64


def test_whatever_the_bot_is_made_of_changes_the_fingerprint(base):
    (base / "weights.bin").write_bytes(b"\0" * 10)
    keys = CommandKeys("bots/run bots/greedy.py weights.bin")
    seen = {fingerprint(keys, base)}

    def is_new(changed: CommandKeys = keys) -> bool:
        before = len(seen)
        seen.add(fingerprint(changed, base))
        return len(seen) > before

    assert not is_new()
    assert is_new(CommandKeys("bots/run bots/greedy.py weights.bin --deep"))
    assert is_new(CommandKeys("bots/run bots/greedy.py"))
    assert is_new(CommandKeys(keys.command, version="2"))
    assert is_new(CommandKeys(keys.command, version=""))
    assert is_new(CommandKeys(keys.command, environment={"A": "1"}))
    assert is_new(CommandKeys(keys.command, environment={"A": "2"}))
    for name in ("bots/run", "bots/greedy.py", "weights.bin"):
        with (base / name).open("a") as file:
            file.write("#")
        assert is_new()


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["a", "b", "ab", "", "a b"]), min_size=1, max_size=3).map(
                lambda words: ("x", *words)
            ),
            st.dictionaries(st.sampled_from(["A", "B"]), st.sampled_from(["", "A", "a"]), max_size=2),
            st.none() | st.sampled_from(["", "1", "a"]),
        ),
        min_size=2,
        max_size=2,
    )
)
def test_two_bots_have_one_fingerprint_only_if_they_are_the_same(pair):
    keys = [CommandKeys(words, environment=environment, version=version) for words, environment, version in pair]
    fingerprints = [fingerprint(key, Path("/nowhere")) for key in keys]
    assert (fingerprints[0] == fingerprints[1]) == (pair[0] == pair[1])


def test_the_order_of_variables_is_no_change(base):
    environment = {"A": "1", "B": "2"}
    backwards = dict(reversed(environment.items()))
    assert fingerprint(CommandKeys("x", environment=environment), base) == fingerprint(
        CommandKeys("x", environment=backwards), base
    )


def test_a_program_from_the_path_is_not_seen_and_what_is_no_file_is_not_read(base):
    (base / "python").write_text("not this one")
    os.mkfifo(base / "pipe")
    before = fingerprint(CommandKeys("python pipe bots"), base)
    (base / "python").write_text("nor that")
    assert fingerprint(CommandKeys("python pipe bots"), base) == before


def test_a_file_that_cannot_be_read_is_a_problem(base, monkeypatch):
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    (said,) = problems(CommandKeys("python bots/greedy.py"), base)
    assert said.endswith("bots/greedy.py cannot be read: Permission denied")


def test_an_entered_bot_has_it_all():
    keys = BotKeys(" cafe\u0301 ", protocol="stdio", restart="match", instances_matches=7)
    command = CommandKeys("x y", environment={"A": "1"})
    bot = enter(keys, command, Located(("/bin/x", "y"), "/bots", "abc"))
    assert (bot.name, bot.command, bot.directory, bot.fingerprint) == ("caf\u00e9", ("/bin/x", "y"), "/bots", "abc")
    assert (bot.environment, bot.restart, bot.instances_matches) == ({"A": "1"}, "match", 7)
    assert bot.protocol == "stdio"


def test_a_process_plays_at_least_one_match():
    with pytest.raises(SettingsError):
        BotKeys("a", instances_matches=0)
