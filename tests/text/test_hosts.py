"""The hosts that a text names and that could be connected to, with the place of the address."""

import pytest

from skillbuild.text.hosts import NamedHost, hosts_in


def names(text: str) -> list[str]:
    return [host.name for host in hosts_in(text)]


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("see https://a.dev/x?y#z.", ["a.dev"]),
        ("http://A.Dev:8080/x", ["a.dev"]),
        (
            "ws://a.dev wss://b.dev ftp://c.dev ssh://git@d.dev/x",
            ["a.dev", "b.dev", "c.dev", "d.dev"],
        ),
        ("https://user:secret@a.dev/", ["a.dev"]),
        ("https://a.dev https://a.dev", ["a.dev", "a.dev"]),
        ("[x](https://a.dev)<https://b.dev>'https://c.dev'", ["a.dev", "b.dev", "c.dev"]),
        ("curl http://10.1.2.3/x", ["10.1.2.3"]),
        ("https://exa_mple.dev https://bücher.dev", ["exa_mple.dev", "bücher.dev"]),
        ("git+https://a.dev/r.git", ["a.dev"]),
        ("http://a.dev/?next=https://b.dev", ["a.dev", "b.dev"]),
        ("https://notexample.com https://example.com.dev", ["notexample.com", "example.com.dev"]),
    ],
)
def test_hosts_of_addresses_are_named_in_order(text: str, hosts: list[str]) -> None:
    assert names(text) == hosts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.dev",
        "//a.dev/x",
        "file://a.dev/x",
        "skill://a.dev/SKILL.md",
        "mailto:x@a.dev",
        "https://a",
        "https://localhost:8000",
        "xhttps://a.dev",
    ],
)
def test_a_text_that_is_no_address_names_no_host(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    "host",
    [
        *("example.com", "EXAMPLE.org", "api.example.net", "my.example", "x.test", "x.invalid"),
        *("db.localhost", "127.0.0.1", "0.0", "1.x.x", "10.0.x.x"),
    ],
)
def test_hosts_for_examples_and_this_machine_are_left_out(host: str) -> None:
    assert names(f"https://{host}/x http://{host}:80 wss://{host}") == []


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ('<svg xmlns="http://www.w3.org/2000/svg">', []),
        ("<x xmlns:xlink = 'http://www.w3.org/1999/xlink'>", []),
        ('<svg href="http://www.w3.org/2000/svg">', ["www.w3.org"]),
    ],
)
def test_the_name_of_a_namespace_names_no_host(text: str, hosts: list[str]) -> None:
    assert names(text) == hosts


def test_a_host_is_where_its_address_begins() -> None:
    text = "é https://a.dev\nssh://git@b.dev"
    assert list(hosts_in(text)) == [NamedHost("a.dev", 2), NamedHost("b.dev", 16)]


def test_a_long_text_without_addresses_takes_no_time() -> None:
    assert names("://" * 100_000 + "a" * 100_000 + "https" * 50_000) == []
