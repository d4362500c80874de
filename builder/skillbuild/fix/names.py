"""Mends of names: of SKILL.md, of a skill and of its directory; and of executable bits."""

from __future__ import annotations

from itertools import product

from skillbuild.check.fields import suggest_name
from skillbuild.fix.changes import Answer, Edit, Refusal, Rename, SetBit
from skillbuild.fix.subject import Subject
from skillbuild.paths import SKILL_FILE, inside, is_skill_name, parent
from skillbuild.text.yaml.written import Style

_LETTERS = [{char.lower(), char.upper()} for char in SKILL_FILE]


def spell_file(subject: Subject) -> Answer:
    """Name the file SKILL.md."""
    path = subject.finding.path
    spellings = (inside(parent(path), "".join(letters)) for letters in product(*_LETTERS))
    if any(other in subject.paths for other in spellings if other != path):
        return Refusal("another file has this name in other letters")
    return Rename(path, inside(parent(path), SKILL_FILE))


def rename_directory(subject: Subject) -> Answer:
    """Give the directory the name of the skill, where its own can be none."""
    directory, text = parent(subject.finding.path), subject.skill_text
    name = (text.fields or {}).get("name") if text else None
    if subject.folder or not directory or not isinstance(name, str) or not is_skill_name(name):
        return None
    new = inside(parent(directory), name)
    if new in subject.paths:
        return Refusal(f"{new} exists")
    return Rename(directory, new, is_safe=False)


def take_folder_name(subject: Subject) -> Answer:
    """Give a skill with a title the name of its directory, where that is the title as a name."""
    text, value, folder = subject.skill_text, subject.value(), subject.folder
    if text is None or value is None or not folder or suggest_name(value.text) != folder:
        return None
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
