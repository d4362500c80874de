// Does the TypeScript SDK's client of skills read every listed skill, and verify each of its files?
//
//   node mcp_typescript.mjs MODULES URL|COMMAND...
//
// MODULES has node_modules with @modelcontextprotocol/client. Prints a line for each way to connect;
// ends with status 1 if a file is missing, wrong or not verified.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , modules, ...server] = process.argv;
const require = createRequire(pathToFileURL(`${modules}/package.json`));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
const { SkillsClient } = await load("@modelcontextprotocol/client/ext/skills");

const transport = () =>
  server[0].startsWith("http")
    ? new StreamableHTTPClientTransport(new URL(server[0]))
    : new StdioClientTransport({ command: server[0], args: server.slice(1), stderr: "ignore", env: process.env });

const verified = async (mode) => {
  const client = new Client({ name: "judge", version: "0" }, { versionNegotiation: { mode } });
  await client.connect(transport());
  const skills = new SkillsClient(client);
  const listed = (await skills.list()).skills;
  let files = 0;
  for (const skill of listed) {
    for (const file of skill.resources) {
      if (!(await skills.read(skill, file.uri)).verified) throw new Error(`not verified: ${file.uri}`);
      files += 1;
    }
  }
  const version = client.getNegotiatedProtocolVersion();
  await client.close();
  return `${version}: ${listed.length} skills, ${files} files verified`;
};

for (const mode of ["legacy", "auto", { pin: "2026-07-28" }]) {
  try {
    console.log(await verified(mode));
  } catch (error) {
    console.log(`${JSON.stringify(mode)}: ${error.message}`);
    process.exitCode = 1;
  }
}
