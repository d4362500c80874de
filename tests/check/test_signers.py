"""Who signed: what a root proves, and what nothing proves, however it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa

from helpers import signing
from helpers.signing import Holder, holder
from helpers.support import MemorySource, check, skill_md
from skillbuild.check.trust.bundles import BundleError, read_bundle
from skillbuild.check.trust.signatures import Judge, Others, check_signatures
from skillbuild.config import TrustSettings
from skillbuild.diagnostics import Finding, Severity
from skillbuild.model import Digest, File, Signature, Signer
from skillbuild.source.tree import read_config

FILES: Mapping[str, bytes] = {"SKILL.md": b"Do it.\n", "a.md": b"A.\n"}
ROOT = holder("Root", vouches=True)
BETWEEN = holder("Between", ROOT, vouches=True)
ALICE = holder("Alice", BETWEEN)
FORGED_ROOT = holder("Root", vouches=True)
FORGED = holder("Alice", FORGED_ROOT)
MAIL = x509.SubjectAlternativeName([x509.RFC822Name("alice@example.org")])


def judged(
    signature: bytes,
    roots: Sequence[Holder] = (ROOT,),
    identities: tuple[str, ...] = (),
    *,
    required: bool = False,
) -> tuple[Signature, list[Finding]]:
    files = [File(path, data, executable=False) for path, data in FILES.items()]
    settings = TrustSettings(identities=identities, required=required)
    judge = Judge(settings, tuple(root.pem for root in roots))
    others = Others(lambda path: False, lambda path: None)
    every = [*files, File("skill.oms.sig", signature, executable=False)]
    (found,), findings = check_signatures(every, others, "skill", judge)
    return found, findings


def signer(known: Holder, name: str = "", root: Holder | None = None) -> Signer:
    return Signer(Digest(known.fingerprint), name, Digest(root.fingerprint) if root else None)


def test_a_name_is_told_that_a_root_vouches_for() -> None:
    found, findings = judged(signing.signed(FILES, ALICE, BETWEEN))
    assert found == Signature("skill.oms.sig", covered=2, signer=signer(ALICE, "Alice", ROOT))
    assert findings == []


def test_who_signed_is_not_asked_without_roots() -> None:
    found, findings = judged(signing.signed(FILES, FORGED), roots=())
    assert (found.signer, findings) == (None, [])


@pytest.mark.parametrize("others", [(), (FORGED_ROOT,), (ROOT,), (BETWEEN, ROOT)])
def test_a_name_that_anybody_can_write_is_never_told(others: Sequence[Holder]) -> None:
    found, findings = judged(signing.signed(FILES, FORGED, *others))
    assert found.signer == signer(FORGED)
    assert [(item.code, item.severity) for item in findings] == [("signer-unknown", "warning")]
    assert "Alice" not in repr((found, findings))


def test_an_identity_is_the_whole_name_of_a_certificate() -> None:
    signature = signing.signed(FILES, ALICE, BETWEEN)
    assert judged(signature, identities=("Bob", "Alice"))[0].signer == signer(ALICE, "Alice", ROOT)
    found, (item,) = judged(signature, identities=("Ali", "alice"))
    assert found.signer == signer(ALICE)
    assert item.message.endswith("`identities` in [trust] does not allow 'Alice'")


def test_alternative_names_are_the_names_of_a_certificate_that_has_any() -> None:
    known = holder("Anybody", ROOT, extensions=[MAIL])
    found, _ = judged(signing.signed(FILES, known))
    assert found.signer == signer(known, "alice@example.org", ROOT)
    found, _ = judged(signing.signed(FILES, known), identities=("Anybody",))
    assert found.signer == signer(known)


def test_a_key_without_a_name_is_told_as_such() -> None:
    for known in (holder("", ROOT), holder("x" * 64, ROOT, extensions=[long_name()])):
        assert judged(signing.signed(FILES, known))[0].signer == signer(known, "", ROOT)


def long_name() -> x509.SubjectAlternativeName:
    return x509.SubjectAlternativeName([x509.DNSName("x" * 300)])


def test_one_of_several_roots_is_enough_and_a_key_may_be_its_own() -> None:
    own = holder("Own")
    found, _ = judged(signing.signed(FILES, own), roots=(FORGED_ROOT, own))
    assert found.signer == signer(own, "Own", own)


CHAINS: Mapping[str, Callable[[], tuple[Holder, ...]]] = {
    "a key that may not vouch": lambda: (holder("Leaf", ALICE), ALICE, BETWEEN),
    "an authority that may not sign certificates": lambda: under("x", may=["crl_sign"]),
    "a key that may not sign": lambda: (holder("Leaf", ROOT, may=["key_agreement"]),),
    "an authority": lambda: (BETWEEN,),
    "a certificate from before its root": lambda: (
        holder("Leaf", ROOT, start=signing.START - timedelta(days=1)),
    ),
    "a certificate from after its root": lambda: (
        holder("Leaf", ROOT, start=signing.START + timedelta(days=9000)),
    ),
    "an authority that is limited to other names": lambda: under(
        "x", extensions=[x509.NameConstraints([x509.RFC822Name("example.com")], None)]
    ),
}


def under(name: str, **more: object) -> tuple[Holder, ...]:
    limited = holder(name, ROOT, vouches=True, **more)  # type: ignore[arg-type]
    return holder("Leaf", limited, extensions=[MAIL]), limited


@pytest.mark.parametrize("kind", CHAINS)
def test_no_root_vouches_for(kind: str) -> None:
    known, *others = CHAINS[kind]()
    found, (item,) = judged(signing.signed(FILES, known, *others))
    assert found.signer == signer(known)
    assert item.message.endswith("no root in [trust] vouches for this key")


def edited(**material: object) -> bytes:
    bundle = json.loads(signing.signed(FILES, ALICE, BETWEEN))
    bundle["verificationMaterial"] = material
    return json.dumps(bundle).encode()


HOSTILE: Mapping[str, tuple[Callable[[], bytes], str]] = {
    "a statement that was not signed": (
        lambda: signing.signed({}, ALICE, BETWEEN, says=FILES),
        "was not made by the key in its certificate",
    ),
    "the certificate of somebody else": (
        lambda: signing.signed(FILES, Holder(FORGED.key, ALICE.certificate), BETWEEN),
        "was not made by the key in its certificate",
    ),
    "no certificate": (
        lambda: edited(publicKey={"hint": "Alice"}),
        "has no certificate, so the signer is unknown",
    ),
    "a certificate of other bytes": (
        lambda: edited(certificate={"rawBytes": "MIIB"}),
        "has a certificate that cannot be read: ",
    ),
    "an RSA key": (
        lambda: signing.signed(
            FILES, holder("Alice", ROOT, key=rsa.generate_private_key(65537, 2048))
        ),
        "was made with an unsupported kind of key; use an EC key",
    ),
    "a hundred certificates": (
        lambda: signing.signed(FILES, ALICE, *[BETWEEN] * 100),
        "has 101 certificates; the limit is 10",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_signature_proves_nothing_and_is_told_in_one_line(kind: str) -> None:
    make, fault = HOSTILE[kind]
    found, (item,) = judged(make())
    assert found == Signature("skill.oms.sig", fault=found.fault)
    assert found.fault.startswith(fault)
    assert (item.code, item.message) == ("signature-invalid", f"the signature {found.fault}")
    assert "\n" not in item.message


def test_every_fault_is_an_error_where_signatures_are_required() -> None:
    for signature in (signing.signed(FILES, FORGED), signing.signed({}, ALICE, BETWEEN), b"{}"):
        _, findings = judged(signature, required=True)
        assert {item.severity for item in findings} == {Severity.ERROR}
    assert judged(signing.signed(FILES, ALICE, BETWEEN), required=True)[1] == []


def test_what_a_signature_leaves_out_is_an_error_where_signatures_are_required() -> None:
    only = {"SKILL.md": FILES["SKILL.md"]}
    signature = signing.unproved(only, ignored=["a.md"])
    found, findings = judged(signature, roots=())
    assert (found.left_out, findings) == (("a.md",), [])
    _, (item,) = judged(signature, roots=(), required=True)
    assert (item.code, item.message) == ("signature-stale", "the signature leaves out a.md")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b" " * (4 * 1024 * 1024 + 1), "is 4,194,305 bytes long; the limit is 4,194,304"),
        (b'{"a":' * 33, "is nested deeper than 32 levels"),
        (b"[" * 1_000_000, "is nested deeper than 32 levels"),
        (b'{"mediaType": "\\ud800"}', "is not a Sigstore bundle: "),
    ],
)
def test_limits_hold_before_anything_is_read(data: bytes, fault: str) -> None:
    with pytest.raises(BundleError, match=f"^{fault}"):
        read_bundle(data)


def test_a_list_of_too_many_files_is_not_compared() -> None:
    files = {f"{number}": b"" for number in range(10_001)}
    with pytest.raises(BundleError, match="lists 10,001 files"):
        read_bundle(signing.unproved(files))


def test_a_skill_has_a_few_signatures_at_most() -> None:
    signature = signing.unproved(FILES)
    files = [File(path, data, executable=False) for path, data in FILES.items()]
    files += [File(f"{n}.sigstore.json", signature, executable=False) for n in range(10)]
    others = Others(lambda path: False, lambda path: None)
    found, findings = check_signatures(files, others, "", Judge(TrustSettings()))
    assert [bool(each.fault) for each in found] == [False] * 8 + [True] * 2
    assert {item.message for item in findings} == {
        "the signature is ignored because a skill may have at most 8 signatures"
    }


@pytest.mark.parametrize(
    ("required", "found"),
    [("false", [("signature-partial", "note")]), ("true", [("signature-stale", "error")])],
)
def test_settings_of_the_commit_take_no_signed_file_out_of_a_skill(
    required: str, found: list[tuple[str, str]]
) -> None:
    files = {"SKILL.md": skill_md("a"), "safety.md": b"Ask first.\n"}
    settings = f'exclude = ["/a/safety.md"]\ntrust.required = {required}\n'
    source = MemorySource(
        {f"a/{path}": data for path, data in files.items()}
        | {"a/skill.oms.sig": signing.unproved(files), "skillbuild.toml": settings.encode()}
    )
    report = check(source, read_config(source, source.leaves()))
    assert [(item.code, item.severity) for item in report.findings] == found
