"""Which rules can be mended, and how: one function for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skillbuild.fix import fences, lists, names, scalars
from skillbuild.fix.changes import Answer
from skillbuild.fix.subject import Subject
from skillbuild.rules import fields, files, frontmatter, source

MENDS: Mapping[str, Callable[[Subject], Answer]] = {
    rule.code: mend
    for rule, mend in (
        (frontmatter.BYTE_ORDER_MARK, fences.remove_mark),
        (frontmatter.FRONTMATTER_FENCE, fences.trim_fence),
        (frontmatter.FRONTMATTER_UNCLOSED, fences.close_fence),
        (frontmatter.YAML_UNQUOTED_COLON, scalars.quote_line),
        (frontmatter.YAML_INVALID, scalars.quote_line),
        (frontmatter.YAML_NUMBER, scalars.quote),
        (frontmatter.YAML_KEY_TYPE, scalars.quote),
        (fields.METADATA_TYPE, lists.fit_metadata),
        (fields.FIELD_TYPE, scalars.fit_client),
        (fields.ALLOWED_TOOLS_TYPE, lists.join_tools),
        (fields.NAME_TYPE, scalars.quote_number),
        (fields.DESCRIPTION_TYPE, scalars.quote_number),
        (fields.COMPATIBILITY_TYPE, scalars.quote_number),
        (frontmatter.YAML_AMBIGUOUS, scalars.quote),
        (frontmatter.YAML_FLOAT, scalars.quote),
        (frontmatter.YAML_INTEGER, scalars.quote),
        (fields.DESCRIPTION_TOO_LONG, scalars.cut_description),
        (fields.NAME_MISSING, names.add_name),
        (fields.NAME_INVALID, names.take_folder_name),
        (fields.NAME_MISMATCH, names.rename_directory),
        (source.SKILL_FILE_CASE, names.spell_file),
        (files.EXEC_MARKDOWN, names.clear_bits),
        (files.SCRIPT_NOT_EXECUTABLE, names.set_bits),
        (files.SCRIPT_MODE, names.set_bits),
    )
}
"""By the code of the rule. Where two findings are about one value, the first rule here mends it."""
