"""What a server imports of the MCP SDK: the half that it needs, or all of it where that fails."""

import os
import subprocess
import sys
from pathlib import Path

import skillbuild
from skillbuild.serve import sdk_import

UNUSED = {"mcp.client", "mcp.client.client", "mcp.server.mcpserver", "mcp.cli"}
REPORT = (
    "import sys; mcp = sys.modules.get('mcp');"
    "print(*sorted(sys.modules), 'whole' if hasattr(mcp, 'Client') else '')"
)


def loaded(code: str) -> set[str]:
    """Names of the modules that are there after some code, and `whole` if the SDK is."""
    packages = str(Path(skillbuild.__file__).parents[1])
    command = [sys.executable, "-c", f"from skillbuild.serve import sdk_import\n{code}\n{REPORT}"]
    environment = {**os.environ, "PYTHONPATH": packages}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    return set(done.stdout.split())


def test_a_server_imports_no_client_and_no_other_kind_of_server() -> None:
    modules = loaded(
        "sdk_import.import_server_half()\n"
        "import skillbuild.serve.run, skillbuild.serve.transport.http\n"
        "from pydantic import BaseModel\n"
        "assert 'defer_build' not in BaseModel.model_config"
    )
    assert "mcp.server.lowlevel.server" in modules
    assert modules & {*UNUSED, "whole"} == set()


HTTP = {"starlette", "uvicorn", "sse_starlette", "click", "mcp.server.streamable_http_manager"}


def test_on_standard_streams_no_http_server_is_imported() -> None:
    modules = loaded(
        "sdk_import.import_server_half(with_http=False)\n"
        "import skillbuild.serve.run, skillbuild.serve.transport.sdk\n"
        "from pydantic import BaseModel\n"
        "assert 'defer_build' not in BaseModel.model_config"
    )
    assert "mcp.server.lowlevel.server" in modules
    assert modules & {*UNUSED, *HTTP, *sdk_import._FOR_HTTP, "whole"} == set()


def test_the_first_answer_needs_neither_the_sdk_nor_the_models_of_a_message() -> None:
    """To import them takes longer than all the rest."""
    modules = loaded("import skillbuild.serve.run")
    assert "skillbuild.serve.direct" in modules
    assert modules & {"mcp.server", "mcp_types", "mcp.shared", "pydantic"} == set()


def test_a_version_of_the_sdk_that_uses_its_http_half_is_imported_whole() -> None:
    """As one would that makes an application at import."""
    modules = loaded(
        "enter = sdk_import._enter_packages\n"
        "def fail():\n"
        "    enter()\n"
        "    sdk_import._Absent.__getattr__ = lambda module, name: object(1)\n"
        "sdk_import._enter_packages = fail\n"
        "sdk_import.import_server_half(with_http=False)\n"
        "import skillbuild.serve.run, skillbuild.serve.transport.sdk"
    )
    assert {"mcp.server.streamable_http_manager", "mcp.client", "whole"} <= modules


def test_a_version_of_the_sdk_that_needs_its_packages_is_imported_whole() -> None:
    """Here the packages are there, but an import from one fails as it would in such a version."""
    modules = loaded(
        "enter = sdk_import._enter_packages\n"
        "def fail():\n"
        "    enter()\n"
        "    from mcp import Client\n"
        "sdk_import._enter_packages = fail\n"
        "sdk_import.import_server_half()\n"
        "import skillbuild.serve.run, skillbuild.serve.transport.sdk"
    )
    assert {"mcp.server.lowlevel.server", "mcp.client", "whole"} <= modules


def test_an_sdk_that_is_there_already_stays_as_it_is() -> None:
    assert "whole" in loaded("import mcp\nsdk_import.import_server_half()")
