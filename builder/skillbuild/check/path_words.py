"""Defines words and names that show whether a path in a text should exist in the skill."""

from __future__ import annotations

import re

# Texts, headings, skills and file names that say nothing about existing files.

NO_INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:evals?|tests?|examples?|logs?|specs?|research|fixtures?|vendor|adrs?|rfcs?)/"
    r"|(?:^|/)(?:claude|agents|gemini|upstream-[^/]*|prd|ard|adr|rfc|verification)\.[^/]*$"
    r"|(?:readme|change-?log|faq|contributing|todo|roadmap|history|migrat|example|sample|template"
    r"|skill-card|spec\.|\blogs?\b|\btests?\b|results?|report|\bplans?\b|proposal|ledger)[^/]*$",
    re.IGNORECASE,
)
"""Texts that seldom name files for an agent to open."""
NO_INSTRUCTIONS_BELOW = re.compile(
    r"\b(?:examples?|samples?|anti-?patterns?|migrat\w+|layout|directory\s+structure"
    r"|(?:file|folder|project|repo\w*)\s+structure|naming|conventions?|planned|future|roadmap"
    r"|history|bad|wrong)\b",
    re.IGNORECASE,
)
"""Headings of sections that seldom name files for an agent to open."""
WORD = re.compile(r"[A-Za-z]{2}")
"""Text that a heading must have besides the path to say anything."""
ABOUT_SKILLS = re.compile(
    r"\b(?:creat|writ|build|author|develop|mak|scaffold|generat|improv|packag|evaluat)"
    r"\w*+\W++(?:\w[\w,-]*+\W++){0,4}?(?:agent\W++)?skills?\b",
    re.IGNORECASE,
)
"""Descriptions of skills about skills, whose texts have paths of other skills."""
SKILL_ABOUT_SKILLS = re.compile(
    r"(?:^|[-_.])(?:skills?|plugins?)[-_.]|(?:^|[-_.])(?:skills|plugins)$|^(?:skill|plugin)$"
    r"|(?:^|/)plugin-dev(?:/|$)",
    re.IGNORECASE,
)
"""Names of skills about skills."""
STAND_IN = re.compile(
    r"(?:^|[-_.])(?:your|my|examples?|sample|foo|bar|new|name|custom|nn+|xx+|0*x|n)(?:[-_.]|$)"
    r"|^(?:file|script|demo|hello|helper|main|phase)-?(?:\d+|N|X)?\.|^(?:test_)?script_?name"
    r"|[a-z_]X\.|(?<![A-Za-z])(?:X{2,}|N{2,})(?![A-Za-z])|YYYY|\d{4}-\d\d-\d\d"
)
"""Placeholder file names that readers must replace."""
STATE = re.compile(
    r"\.(?:log|db|sqlite3?|session|pid|lock|tmp|bak|cache|env|tfvars|key|pem|jsonl)$"
    r"|(?:^|/)(?:results?|state|history|cache|memory|progress)\.(?:json|csv|tsv|txt|ya?ml)$"
    r"|(?:^|/)(?:scripts|data|output|outputs|results|state|memory|cache|logs|config|configs|tmp)/"
    r"[^/]*\.(?:json|csv|tsv|txt|ya?ml|toml|html|pdf|png)$"
    r"|(?:^|/)\.[\w-]+/"
)
"""Files that programs write, and settings that users create."""

PROJECT = frozenset(["src", "test", "tests", "app"])
"""Folders of projects; a placeholder before them stands for the project directory."""

OF_OTHERS = re.compile(
    r"\b(?:prerequisites?|upstream|third[- ]party|official|(?:source|original)\s+code"
    r"|(?:the|your|target|user'?s?)\s+(?:repo|repository|project)|codex|copilot|cursor|windsurf"
    r"|gemini|aider|cline|opencode|openclaw|kiro)\b",
    re.IGNORECASE,
)
"""Headings about another project, or about a tool other than the one that reads the skill."""
REPORTED = re.compile(r"^\W*(?:files?|location|source)\W*:\W*\Z", re.IGNORECASE)
REPORTED_BELOW = re.compile(r"\W*lines?\W*:", re.IGNORECASE)
"""Text around a path in a report about a file, followed by the reported line."""

# Words around any mention of the path in the texts of the skill.

_VERBS = r"(?:creat|writ|sav|generat|put|export|add)(?:e|es|ed|ing|s)?"
_OBJECTS = (
    r"(?:the|a|an|it|them|this|to|as|in|into|at|new|files?|scripts?|output|results?|your|its)"
)
MADE = re.compile(
    rf"(?:(?<![->A-Za-z_])>>?\s*|\s-o\s+|--out[\w-]*[=\s]\s*|\btee\s+(?:-a\s+)?|\btouch\s+"
    rf"|\b(?:cp|mv|ln)\s+(?:-\w+\s+)*\S+\s+|\bWrite\(|\b{_VERBS}\s+(?:{_OBJECTS}\s+){{0,5}})"
    r"[\"'`(*]*(?:[\w.$<{}>-]*/)?\Z",
    re.IGNORECASE,
)
"""Text that ends at a path which something creates."""
GUARDED = re.compile(
    r"(?:-[fexd]\s+[\"'`]*|\bif\s+[\"'`]*|\b(?:find|ls)\s[^\n|;&]{0,80})(?:[\w.$<{}>-]*/)?\Z",
    re.IGNORECASE,
)
"""Text that ends at a path whose existence is checked."""
GUARDED_AFTER = re.compile(
    r"[\"'`*)\]]*\s*(?:exists?\b|(?:does\s+not|doesn't)\s+exist|is\s+(?:missing|absent|present)"
    r"|\((?:optional|planned|not\b|if\b|todo|future|coming|create)|[-\u2013\u2014:]+\s*(?:optional|planned)\b)",
    re.IGNORECASE,
)
OF_ANOTHER = re.compile(r"(?:\$\{?\w+\}?|<[^<>\n]{1,60}>|\{\{?[\w.-]{1,60}\}?\})[\"']?/\Z")
"""Text that ends at a path in a directory that the reader knows."""
OWN = re.compile(r"skill|base_?dir", re.IGNORECASE)
"""Placeholders for the directory of the skill."""
PLUGIN = re.compile(r"plugin|extension_path", re.IGNORECASE)
"""Placeholders for the directory of the plugin."""
CODE_OF = re.compile(
    r"(?:^|\n)[ \t>]*```[\w+-]+[^\n]{0,80}\Z"
    r"|(?:^|\n)[ \t>]*```[\w+-]+[^\n]*\n[ \t>]*(?:#|//|--|<!--|/\*)\s*\Z"
)
"""Text that ends at a path in the first line of a fence, or in its info string."""
CODE_FOLLOWS = re.compile(r"[^\n]{0,80}\n\s{0,40}```(?!(?:ba|z)?sh\b|shell|console|text)\w")
"""Text after a path that is followed by a fence without commands."""

# Words around a command.

ELSEWHERE_IN_LINE = re.compile(r"\b(?:ssh|docker|kubectl|sbatch|git|curl|scp|rsync)\b")
"""A command in the line that concerns another machine or repository."""
ELSEWHERE = frozenset(["docker", "docker-compose", "kubectl", "helm", "ssh", "sbatch"])
"""Commands for other machines; with one of these, the whole fence is about another machine."""
RUN_ELSEWHERE = re.compile(
    r"\b(?:run|runs|execute|from|in|inside|at)\b[^.\n]{0,60}?"
    r"(?:\broot\b|~/\w|\bvault\b|\bproject\b|\bcheckout\b|\brepo\b|\brepository\b|\bclone\b"
    r"|\bworkspace\b)"
    r"|\b(?:repo|repository|checkout)\s+is\s+available\b|\brelative\s+to\b"
    r"|\bfrom\s+(?:the|its)\s+[`*]*[a-z\d]+(?:-[a-z\d]+)+[`*]*\s+skill\b",
    re.IGNORECASE,
)
"""Text next to a command saying that the command runs in another directory."""
RUN_FROM = re.compile(
    r"\b(?:run|execute)\w*\b[^.\n]{0,40}?\b(?:from|in|inside)\s(?:[^.\n`]{0,40}?"
    r"\b(?:repo|repository|checkout|clone|workspace)\b"
    r"|[^.\n`]{0,20}`(?!scripts|references?|assets|templates|resources)[\w.-]+/?`"
    r"\s+(?:directory|folder)\b)",
    re.IGNORECASE,
)
"""Text saying that all commands of a section run in another directory."""
SIGNS_OF_REPOSITORY = re.compile(
    r"\bgit\s+clone\b|\bgit\+https:|\brepo(?:sitory)?\s+root\b|\broot\s+of\s+(?:the|this)\s+repo|\bcheckout\s+of\b"
    r"|\bupstream\b|\bcodebase\b|\bproject\s+root\b|REPO_ROOT|\bin\s+your\s+project\b"
    r"|\bcd\s+[\"']?[/~$<]|(?<![\w/])(?:src|packages|apps|deploy|3rdparty|internal)/\w",
    re.IGNORECASE,
)
"""Text in SKILL.md saying that an agent works in a repository, which has its own scripts."""
TRANSLATION = re.compile(
    r"(?:^|/)(?:ar|de|es|fr|hi|it|ja|ko|nl|pl|pt|ru|th|tr|uk|vi|zh)(?:[-_][a-z]{2,4})?(?:/|$)",
    re.IGNORECASE,
)
"""Directories of translations, such as `docs/ja-JP/` or `zh/`."""
INSTALLED = re.compile(r"(?:~|\$HOME|\$\{HOME\})/")
"""The beginning of a path to an installed skill."""
INSTALLS = re.compile(r"(?:^|[/_-])(?:install|convert|setup|bootstrap|uninstall)[^/]*$")
"""Scripts of a repository that set up something outside of the skill."""

# Words around a path in a code span or in prose.

CUE = re.compile(
    r"(?:\b(?:see|read|reads|load|loads|refer|refers|consult|use|uses|using|run|runs|running|follow"
    r"|follows|following|open|check|review|execute|invoke|call|calls|in|from|per|with|via|by"
    r"|template|script|file|reference|guide|and|or)"
    r"(?:\s+(?:the|this|also|to|at|in|first|all of))*\s*|[:\u2192(+\u2014\u2013]\s*|->\s*)"
    r"[*_`\[(\"'\u201c]*\Z"
)
NEIGHBOR = re.compile(r"`[^`]*`(?:\s*\([^()]*\))?\s*(?:,|and|or|&|\+|/|,\s*and|,\s*or)\s*[*_`]*\Z")
"""Another path before this one in the same enumeration."""
MAKES = re.compile(
    r"\b(?:creat|writ|wrote|sav|stor|generat|add|edit|mov|copy|copies|produc|output|emit|renam|delet"
    r"|remov|put|keep|record|append|updat|export|download|clon|propos|extract|build|built"
    r"|would|could|might|not\b|no\b|never|missing|was\b|were\b|must\s+contain|expects?\b"
    r"|configure\b|customi[sz]e\b|author\b)"
)
NOT_OURS = re.compile(
    r"\b(?:examples?\b|e\.?g\b|such\s+as|like\b|project|repos?\b|repository|codebase"
    r"|workspace|app\b|package\b|upstream|legacy|fallback|gitignored?|optional|its\b|theirs?\b"
    r"|other|your|his\b|hers?\b|user'?s\b)"
)
CONDITION = re.compile(r"\b(?:if|when|unless|whether)\b")
SENT_THERE = re.compile(
    r"(?<!\bnot )\b(?:(?:see|read|open|refers?|consult|follow|from|per|using|load)"
    r"(?:\s+(?:the|this|also|to|at|in))*"
    r"|(?:follow|read|use|load|apply)\s+(?:[\w-]+\s+){1,3}(?:in|from|at))\s*[*_`\[(\"'\u201c]*\Z"
)
"""Text that sends the reader to a file, even if the sentence is about something else."""
READ = re.compile(
    r"\b(?:see|read|open|refer|refers|consult|follow|per|load|use)(?:\s+(?:the|this|also|to|at|in|file"
    r"|reference|guide|template))*\s*[*_`\[(\"'\u201c]*\Z"
)
RUN = re.compile(
    r"\b(?:run|runs|execute|invoke|call|via|use|using|with)(?:\s+(?:the|this|also|script|file))*"
    r"\s*[*_`\[(\"'\u201c]*\Z"
)
RUN_IT = re.compile(
    r"(?<!would )(?<!could )(?<!not )\b(?:run|execute|invoke|call)(?:\s+the)?\s*[*_`(\"'\u201c]*\Z"
)
"""Text that says to run the following command, even if the sentence also gives a purpose."""
INTRODUCES_OUTPUT = re.compile(
    r"\b(?:creat|outputs?\b|generat|writes?\b|produc|sav(?:e|es|ing)\b|deliverable|must\s+contain"
    r"|repo(?:sitory)?\b|your\s+project|add\b|new\s+files?|author\b|ensure\s+you\s+have)"
)
COLUMN_OF_OTHERS = re.compile(
    r"\b(?:outputs?|stor(?:age|ed)|destination|generate[ds]?|create[ds]?|saved?|deliverables?"
    r"|cop(?:y|ied)|adapted|ported|upstream|origin(?:al)?)\b",
    re.IGNORECASE,
)
"""Heads of table columns with files that are created or taken from elsewhere."""
NOT_AFTER = re.compile(
    r"^\W*(?:(?:file|script|document)\s+)?(?:(?:does\s+not\s+|doesn't\s+)?exists?\b"
    r"|is\s+(?:missing|not|absent|created|generated|written|gitignored)|would|could|(?:will|to)\s+be"
    r"|if\s|ran\b|was\b|were\b|had\b|(?:re)?moved\b|renamed\b|deleted\b|dropped\b)"
    r"|\?\s*$"
    r"|^.{0,90}?\b(?:in|of|from|inside)\s+(?:the|your|their|each|a|any)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:repo|repository|project|codebase|workspace|app|package|checkout|clone|image|container)\b"
    r"|^.{0,40}?\b(?:not\s+(?:yet|included|shipped|bundled)|planned|optional|gitignored|cdn\b)"
    r"|^\W*(?:is\s+)?(?:copied|located)\b|^.{0,60}?\bin\s+the\s+(?:[*`\w-]+\s+){1,4}skills?\b"
)
"""Text after a path that may not exist, or that belongs to something else."""
GONE = re.compile(r"\|\s*(?:removed|deleted|dropped|deprecated|renamed)\b", re.IGNORECASE)
"""A table row about a former file."""
SAMPLE_BEFORE = re.compile(
    r"(?:\bexamples?:|\be\.?g\.?,?|\u5982|\u4f8b\u3048\u3070|\b(?:good|bad|before|wrong|right|(?:in)?correct)\b[*_]*:?)"
    r"\s*[*_`(\[\"']*\Z|\b(?:structure|layout):[*_]*\s*(?:`[^`]*`[\s,]{1,3})*`?\Z",
    re.IGNORECASE,
)
"""Text that ends at a path which is an example of a path."""
SAMPLES = re.compile(r"^\W*(?:(?:in)?(?:valid|correct)|good|bad|wrong)\W*$")
"""Text that introduces a list of right or wrong paths."""
VARIABLE = re.compile(r"(?:\$\{?\w+\}?|<[^<>\n]{1,60}>)\Z")
"""Text that ends at a folder in a directory that a variable stands for."""
OF_ANY_SKILL = re.compile(r"\bskill\.md\b")
"""Text before a path that any skill may have."""
