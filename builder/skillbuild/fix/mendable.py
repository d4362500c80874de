"""Which rules can be mended. Apart from the functions that do it, which most checks never need."""

from __future__ import annotations

from skillbuild.rules import fields, files, frontmatter, source

MENDABLE = frozenset(
    rule.code
    for rule in (
        fields.ALLOWED_TOOLS_TYPE,
        fields.COMPATIBILITY_TYPE,
        fields.DESCRIPTION_TOO_LONG,
        fields.DESCRIPTION_TYPE,
        fields.FIELD_TYPE,
        fields.METADATA_TYPE,
        fields.NAME_INVALID,
        fields.NAME_MISMATCH,
        fields.NAME_MISSING,
        fields.NAME_TYPE,
        files.EXEC_MARKDOWN,
        files.SCRIPT_MODE,
        files.SCRIPT_NOT_EXECUTABLE,
        frontmatter.BYTE_ORDER_MARK,
        frontmatter.FRONTMATTER_FENCE,
        frontmatter.FRONTMATTER_UNCLOSED,
        frontmatter.YAML_AMBIGUOUS,
        frontmatter.YAML_FLOAT,
        frontmatter.YAML_INTEGER,
        frontmatter.YAML_INVALID,
        frontmatter.YAML_KEY_TYPE,
        frontmatter.YAML_NUMBER,
        frontmatter.YAML_UNQUOTED_COLON,
        source.SKILL_FILE_CASE,
    )
)
"""Their codes; `fix.table` has a function for each."""
