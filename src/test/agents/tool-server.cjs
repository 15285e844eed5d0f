// A tool server (MCP) with one tool. It writes down what it found: its secret, and whether that
// secret can be read in the arguments of any process.
const fs = require("fs");
const readline = require("readline");

const secret = process.env.TOOL_SECRET || "";
const exposed = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(secret);
  } catch {
    return false;
  }
});
fs.writeFileSync(process.argv[2], JSON.stringify({ secret, exposed }));

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) {
    return;
  }
  const result =
    method === "initialize"
      ? {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "tool-server", version: "1" },
        }
      : method === "tools/list"
        ? {
            tools: [
              {
                name: "runnel_ping",
                description: "Answers",
                inputSchema: { type: "object", properties: {} },
              },
            ],
          }
        : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
});
