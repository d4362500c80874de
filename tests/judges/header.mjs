// The frontmatter of a SKILL.md for fixes.mjs and frontmatter.mjs, which share no code with
// skillbuild: the lines between its first two fences.
export function header(text) {
  const lines = text.split("\n");
  const isFence = (line) => line === "---" || line === "---\r";
  if (!isFence(lines[0])) throw new Error("no opening ---");
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (end < 0) throw new Error("no closing ---");
  return lines.slice(1, end).join("\n") + "\n";
}
