"""How many points does mcpscore give the server behind a proxy that speaks TLS?

    python tests/clients/mcpscore.py REPO|OUT...

Needs nginx and openssl. Three points are out of reach: over HTTP no list change can be sent to
clients of 2025-11-25. Others depend on the skills, and on settings such as `website_url`.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import arrivals
import hosts
import tools
import webhost
from arrivals import Output, Row

_MOST_LOST = 5


def judge(output: Output, work: Path) -> Iterator[Row]:
    client = tools.pypi("mcpscore", "mcpscore==1.29.0")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    certificate = webhost.certificate(work, "localhost")
    for options in ((), ("--tools",)):
        allowed = ("--allow-host", f"localhost:{port}", *options)
        with (
            hosts.serving(output, work, "http", *allowed) as server,
            _proxy(work, port, server.url, certificate),
        ):
            arguments = ("--json", f"https://localhost:{port}/mcp")
            trust = {"SSL_CERT_FILE": str(certificate.authority)}
            report = json.loads(tools.run(client, work, *arguments, cwd=work, more=trust).out)
        score, most = report["score"], report["max_score"]
        lost = [item["rule_id"] for item in report["results"] if not item["passed"]]
        case = f"{' '.join(['serve', *options])}: {score} of {most}, without {', '.join(lost)}"
        yield arrivals.holds(case, truth=most - score <= _MOST_LOST)


@contextmanager
def _proxy(work: Path, port: int, url: str, certificate: webhost.Certificate) -> Iterator[None]:
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {work}/{kind};" for kind in kinds)
    settings = work / "nginx.conf"
    settings.write_text(f"""\
daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log;
events {{}}
http {{
  access_log off; {folders}
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {certificate.chain}; ssl_certificate_key {certificate.key};
    location / {{
      proxy_pass {url.removesuffix("/mcp")}; proxy_http_version 1.1; proxy_buffering off;
      proxy_set_header Host $http_host;
    }}
  }}
}}
""")
    command = ["nginx", "-p", str(work), "-e", str(work / "nginx.log"), "-c", str(settings)]
    with subprocess.Popen(command) as proxy:
        try:
            hosts.wait_for(port, proxy)
            yield
        finally:
            proxy.terminate()


if __name__ == "__main__":
    sys.exit(arrivals.main(__doc__ or "", "mcpscore 1.29.0 (PyPI)", judge))
