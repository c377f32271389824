"""The files we ship for other programs: one version, one command, and their makers accept them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saegim import __version__
from saegim.serve.cli import app
from saegim.serve.clients.hook_entries import EVENTS

ROOT = Path(__file__).parents[2]
SHIPPED = (".claude-plugin", "bundle", "plugin", "server.json", "README.md", "LICENSE")
UVX = f"saegim@{__version__}"
HANGUL = re.compile(r"[가-힣]")


def read(path: str) -> Any:
    """Return a shipped JSON file."""
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


# -- what we can see ourselves --------------------------------------------------------------------


def test_every_shipped_file_has_the_version_of_the_package() -> None:
    """Who installs a plugin, a bundle or a server from the registry gets what it says it is."""
    registry, bundle = read("server.json"), read("bundle/manifest.json")
    project = tomllib.loads((ROOT / "bundle" / "pyproject.toml").read_text(encoding="utf-8"))
    assert {
        read("plugin/.claude-plugin/plugin.json")["version"],
        *(each["version"] for each in read(".claude-plugin/marketplace.json")["plugins"]),
        registry["version"],
        *(each["version"] for each in registry["packages"]),
        bundle["version"],
        project["project"]["version"],
    } == {__version__}
    assert project["project"]["dependencies"] == [f"saegim=={__version__}"]


def test_the_plugin_runs_the_same_commands_as_the_installer() -> None:
    """U15.3: one program with its arguments for every event, with the time limits we install."""
    assert read("plugin/.mcp.json") == {
        "mcpServers": {"saegim": {"command": "uvx", "args": [UVX, "mcp"]}}
    }
    assert read("plugin/hooks/hooks.json")["hooks"] == {
        event: [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "uvx",
                        "args": [UVX, "hook", ours],
                        "timeout": seconds,
                    }
                ]
            }
        ]
        for event, ours, seconds in EVENTS
    }
    assert {"mcp", "hook"} <= set(app.COMMANDS)


def test_the_marketplace_leads_to_the_plugin() -> None:
    """The one entry of the marketplace names the folder that holds the plugin of that name."""
    (entry,) = read(".claude-plugin/marketplace.json")["plugins"]
    manifest = ROOT / entry["source"] / ".claude-plugin" / "plugin.json"
    assert json.loads(manifest.read_text(encoding="utf-8"))["name"] == entry["name"] == "saegim"


def test_the_registry_starts_the_server_with_uvx() -> None:
    """The registry file names our package, the program that runs it and the word `mcp`."""
    told = read("server.json")
    assert told["$schema"].endswith("/2025-12-11/server.schema.json")
    assert told["name"] == "io.github.saegim/saegim"
    assert len(told["description"]) <= 100
    (package,) = told["packages"]
    assert (package["registryType"], package["identifier"]) == ("pypi", "saegim")
    assert (package["runtimeHint"], package["transport"]) == ("uvx", {"type": "stdio"})
    assert package["packageArguments"] == [{"type": "positional", "value": "mcp"}]


def test_the_bundle_starts_what_it_names() -> None:
    """The bundle runs a file that is in it, with the options that `saegim mcp` has."""
    told = read("bundle/manifest.json")
    assert (told["manifest_version"], told["server"]["type"]) == ("0.4", "uv")
    assert (ROOT / "bundle" / told["server"]["entry_point"]).is_file()
    words = told["server"]["mcp_config"]["args"]
    assert words[-3:] == ["server.py", "--profile", "${user_config.profile}"]
    assert told["user_config"]["profile"]["default"] == "default"


def test_the_skill_says_when_it_is_meant_in_both_languages() -> None:
    """A person who asks in Korean is understood too; the description fits its limit."""
    text = (ROOT / "plugin" / "skills" / "memory" / "SKILL.md").read_text(encoding="utf-8")
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields["name"] == "memory"
    assert len(fields["description"]) <= 1024
    assert HANGUL.search(fields["description"])
    assert "Use when" in fields["description"]
    assert len(body.splitlines()) < 500
    named = set(re.findall(r"`(\w+_\w+)`", body))
    assert named == {
        "auto_search",
        "memory_search",
        "memory_save",
        "memory_update",
        "memory_delete",
        "memory_pin",
    }


# -- what their makers say ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[int, str]]:
    """The real validators, fetched into a folder of their own."""
    folder = tmp_path_factory.mktemp("tools")
    home = folder / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "DISABLE_AUTOUPDATER": "1"}

    def run(*words: str | Path, cwd: Path = folder) -> tuple[int, str]:
        done = subprocess.run(
            [str(each) for each in words],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        return done.returncode, done.stdout + done.stderr

    npm, node = shutil.which("npm"), shutil.which("node")
    assert npm, "npm is needed to fetch the validators"
    assert node
    wanted = ("@anthropic-ai/claude-code", "@anthropic-ai/mcpb")
    code, said = run(npm, "install", "--prefix", folder, "--no-fund", "--no-audit", *wanted)
    assert code == 0, said
    # Where npm does not run the scripts of packages, the program is put in place here.
    package = folder / "node_modules" / "@anthropic-ai" / "claude-code"
    if (package / "install.cjs").exists():
        run(node, package / "install.cjs", cwd=package)
    venv.create(folder / "venv", with_pip=True)
    scripts = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    code, said = run(scripts / "pip", "install", "--quiet", "skillsaw", "skills-ref")
    assert code == 0, said

    def called(name: str, *words: str | Path, cwd: Path = folder) -> tuple[int, str]:
        there = folder / "node_modules" / ".bin" / name
        return run(there if there.exists() else scripts / name, *words, cwd=cwd)

    return called


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """A copy of what we ship."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    for name in SHIPPED:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return folder


@pytest.mark.nightly
def test_claude_code_accepts_the_plugin(
    tools: Callable[..., tuple[int, str]], shipped: Path
) -> None:
    """The plugin and the marketplace are valid for Claude Code itself; a broken one is not."""
    for folder in (shipped / "plugin", shipped):
        code, said = tools("claude", "plugin", "validate", folder, "--strict")
        assert code == 0, said
    manifest = shipped / "plugin" / ".claude-plugin" / "plugin.json"
    manifest.write_text('{"name": "Not Kebab", "version": 1}', encoding="utf-8")
    code, said = tools("claude", "plugin", "validate", shipped / "plugin", "--strict")
    assert code != 0, said


@pytest.mark.nightly
def test_the_bundle_is_valid_and_can_be_packed(
    tools: Callable[..., tuple[int, str]], shipped: Path, tmp_path: Path
) -> None:
    """The maker's own tool accepts the manifest and packs it; a broken one it refuses."""
    manifest = shipped / "bundle" / "manifest.json"
    code, said = tools("mcpb", "validate", manifest)
    assert code == 0, said
    code, said = tools("mcpb", "pack", shipped / "bundle", tmp_path / "saegim.mcpb")
    assert code == 0, said
    assert (tmp_path / "saegim.mcpb").stat().st_size > 0
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace('"entry_point"', '"entry"'), encoding="utf-8"
    )
    code, said = tools("mcpb", "validate", manifest)
    assert code != 0, said


@pytest.mark.nightly
def test_the_skill_and_the_registry_file_pass_the_linters(
    tools: Callable[..., tuple[int, str]], shipped: Path
) -> None:
    """The linters of skills and of the registry find nothing; with the name gone they do."""
    code, said = tools("agentskills", "validate", shipped / "plugin" / "skills" / "memory")
    assert code == 0, said
    code, said = tools("skillsaw", "lint", shipped)
    assert code == 0, said
    assert re.search(r"Errors:\s+0", said), said
    assert re.search(r"Warnings:\s+0", said), said
    registry = shipped / "server.json"
    told = json.loads(registry.read_text(encoding="utf-8"))
    registry.write_text(json.dumps({**told, "name": "saegim"}), encoding="utf-8")
    skill = shipped / "plugin" / "skills" / "memory" / "SKILL.md"
    skill.write_text("# no front matter\n", encoding="utf-8")
    assert tools("skillsaw", "lint", shipped)[0] != 0
    assert tools("agentskills", "validate", skill.parent)[0] != 0
