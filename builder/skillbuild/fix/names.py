"""Mends of names: of SKILL.md, of a skill and of its directory; and of executable bits."""

from __future__ import annotations

from skillbuild.fix.changes import Answer, Edit, Refusal, Rename, SetBit
from skillbuild.fix.subject import Subject
from skillbuild.paths import SKILL_FILE, base_name, inside, is_skill_name, parent
from skillbuild.source.free_names import RESERVED_WORD, suggest_name
from skillbuild.text.yaml.written import Style


def spell_file(subject: Subject) -> Answer:
    """Name the file SKILL.md."""
    path = subject.finding.path
    if subject.whole.namesakes(path):
        return Refusal("another file has this name in other letters")
    return _rename(subject, path, SKILL_FILE, is_safe=True)


def rename_directory(subject: Subject) -> Answer:
    """Give the directory the name of the skill, where its own can be none."""
    directory, text = subject.directory, subject.skill_text
    name = (text.fields or {}).get("name") if text else None
    if not directory or is_skill_name(base_name(directory)):
        return None
    if not isinstance(name, str) or not is_skill_name(name):
        return None
    return _rename(subject, directory, name, is_safe=False)


def _rename(subject: Subject, old: str, name: str, *, is_safe: bool) -> Answer:
    """Give something another name, unless that is taken or others know it by its old name."""
    new = inside(parent(old), name)
    if new in subject.whole.paths:
        return Refusal(f"{new} exists")
    for other in subject.whole.namesakes(new) - {old}:
        return Refusal(f"{other} exists, which some disks take for {new}")
    reason = subject.whole.reason_to_keep(old, new)
    return Refusal(reason) if reason else Rename(old, new, is_safe)


def take_folder_name(subject: Subject) -> Answer:
    """Give a skill with a title the name of its directory, where that is the title as a name."""
    text, value, folder = subject.skill_text, subject.value(), subject.folder
    if text is None or value is None or not folder or suggest_name(value.text) != folder:
        return None
    if word := RESERVED_WORD.search(folder):
        return Refusal(f"{folder} contains {word[0]}, which Claude refuses")
    if not subject.finding.hint.startswith(f"rename it to {folder},"):
        return Refusal(f"{folder} is the name or the directory of another skill, too")
    new = value.style.value + folder + value.style.value
    is_quoted = value.style in (Style.SINGLE, Style.DOUBLE)
    return text.edit(value, new if is_quoted else folder, folder, is_safe=False)


def add_name(subject: Subject) -> Answer:
    """Add the name of the directory as that of the skill."""
    text, folder = subject.skill_text, subject.folder
    if text is None or text.fields is None or "name" in text.fields or not folder:
        return None
    start = text.text.index("\n") + 1
    new = f"name: {folder}{text.line_end}"
    return Edit(start, start, new, folder, value_at=len("name: "), is_safe=False)


def clear_bits(subject: Subject) -> Answer:
    """Make the Markdown files that a finding is about not executable."""
    return SetBit((subject.finding.path, *subject.finding.others), executable=False)


def set_bits(subject: Subject) -> Answer:
    """Make the scripts that a finding is about executable."""
    return SetBit((subject.finding.path, *subject.finding.others), executable=True)
