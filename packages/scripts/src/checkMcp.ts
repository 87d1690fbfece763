// Tests the bridge with the MCP inspector, the client of the first SDK, which most hosts use, and the conformance
// suite. `docs/mcp.md` explains why some scenarios of the conformance suite do not apply.
import { startProgram } from "@tapeline/testing/programs"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./manifest.ts"
import { runCommand } from "./packages/pack.ts"
import { createEmptyProject, quietNpmFlags } from "./packages/userProject.ts"

const clients = [
  "@modelcontextprotocol/inspector@2.12.0",
  "@modelcontextprotocol/conformance@0.1.16",
  "@modelcontextprotocol/sdk@1.32.2"
]
const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-error",
  "resources-list",
  "dns-rebinding-protection"
]
const adminToken = "administration-token-of-this-check"

const startListener = (file: string, args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv) =>
  startProgram({ args: [join(root, file), ...args], environment, pattern: /^\S+ listens on (\S+)/m })

const issueKey = async (url: string, scopes: ReadonlyArray<string>): Promise<string> => {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
  const postAdmin = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${url}/admin/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    // The cast is safe, because the admin API responds with JSON objects.
    return await response.json() as Readonly<Record<string, unknown>>
  }
  const { id } = await postAdmin("/accounts", { name: "check", plan: "pro" })
  return String((await postAdmin(`/accounts/${String(id)}/keys`, { name: "check", scopes }))["key"])
}

/**
 * Runs the MCP inspector twice: through the bridge program, and through the service's MCP endpoint. Returns both
 * outputs.
 */
const runInspector = (
  project: string,
  url: string,
  key: string,
  method: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const inspector = join(project, "node_modules/.bin/mcp-inspector")
  const program = ["-e", `TAPELINE_URL=${url}`, "-e", `TAPELINE_API_KEY=${key}`, process.execPath]
  const targets = [
    [...program, join(root, "packages/mcp/src/bin/main.ts")],
    [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`]
  ]
  return targets.map((target) =>
    execFileSync(process.execPath, [inspector, "--cli", ...target, "--method", ...method], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: project, MCP_INSPECTOR_SECRET_STORE: "memory" },
      stdio: ["ignore", "pipe", "ignore"]
    })
  )
}

const allScopes = ["read:market", "read:personal", "write:personal", "agent:chat"]

/** Keys of which one lists everything, and one lists tools of its area only, without the tools of the analyst. */
const keyKinds = [
  { scopes: allScopes, analystTools: 2 },
  { scopes: ["read:korea"], analystTools: 0 }
]

/** Returns the number of tools that MCP must list: those of the catalogue, and those of the analyst. */
const countTools = async (url: string, key: string, analystTools: number): Promise<number> => {
  const response = await fetch(`${url}/v1/tools?view=parameters`, { headers: { authorization: `Bearer ${key}` } })
  // The cast is safe, because the response is a catalogue.
  const { tools } = await response.json() as { readonly tools: [] }
  return tools.length + analystTools
}

const checkWithInspector = async (project: string, url: string): Promise<string> => {
  const keys: Array<string> = []
  const counts: Array<number> = []
  for (const { scopes, analystTools } of keyKinds) {
    const key = await issueKey(url, scopes)
    keys.push(key)
    const expected = await countTools(url, key, analystTools)
    counts.push(expected)
    for (const output of runInspector(project, url, key, ["tools/list"])) {
      // The cast is safe, because the protocol defines the form of the output.
      const { tools } = JSON.parse(output) as { readonly tools: [] }
      if (tools.length !== expected) throw new Error(`The inspector lists ${tools.length} tools instead of ${expected}`)
    }
  }
  const call = ["tools/call", "--tool-name", "get_kr_stock", "--tool-arg", "symbol=005930"]
  for (const key of keys) {
    for (const output of runInspector(project, url, key, call)) {
      if (!output.includes("\"source\": \"simulated\"")) {
        throw new Error(`The inspector received an unexpected result:\n${output}`)
      }
    }
  }
  return `the inspector lists ${
    counts.join(" tools, and with a key for Korea only ")
  }, and calls a tool, both over the bridge and over HTTP`
}

/**
 * A program that connects the MCP client of `@modelcontextprotocol/sdk` through the bridge program, and through the
 * service's URL.
 */
const firstSdkProgram = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

const { KEY: key, PATH, PROGRAM: program, URL: url } = process.env
const env = { PATH, TAPELINE_URL: url, TAPELINE_API_KEY: key }
const ways = [
  new StdioClientTransport({ command: process.execPath, args: [program], env }),
  // It checks results by the schemas that are listed.
  new StdioClientTransport({ command: process.execPath, args: [program, "--whole-outputs"], env }),
  new StreamableHTTPClientTransport(new URL(url + "/mcp"), {
    requestInit: { headers: { authorization: "Bearer " + key } }
  })
]
for (const way of ways) {
  const client = new Client({ name: "first", version: "1.0.0" })
  await client.connect(way)
  const { tools } = await client.listTools()
  const stock = await client.callTool({ name: "get_kr_stock", arguments: { symbol: "005930" } })
  const progress = []
  const question = { name: "ask_analyst", arguments: { question: "How is BTC doing?" } }
  const answer = await client.callTool(question, undefined, {
    onprogress: ({ message }) => void progress.push(message),
    resetTimeoutOnProgress: true
  })
  console.log(JSON.stringify([tools.length, stock.structuredContent?.source, answer, progress.length]))
  await client.close()
}
`

const checkWithFirstSdk = async (project: string, url: string): Promise<string> => {
  const file = join(project, "first.mjs")
  writeFileSync(file, firstSdkProgram)
  for (const { scopes, analystTools } of keyKinds) {
    const key = await issueKey(url, scopes)
    const expected = await countTools(url, key, analystTools)
    const output = execFileSync(process.execPath, [file], {
      cwd: project,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"] ?? "",
        PROGRAM: join(root, "packages/mcp/src/bin/main.ts"),
        URL: url,
        KEY: key
      }
    })
    const lines = output.trim().split("\n")
    if (lines.length !== 3) throw new Error(`The client of the first SDK printed unexpected output:\n${output}`)
    for (const line of lines) {
      // The cast is safe, because `firstSdkProgram` prints an object of this form.
      const [count, source, answer, progress] = JSON.parse(line) as [number, string, { isError?: boolean }, number]
      const isAnswered = answer.isError !== true && progress > 0
      if (count !== expected || source !== "simulated" || isAnswered !== (analystTools > 0)) {
        throw new Error(`The client of the first SDK received unexpected results:\n${line}`)
      }
    }
  }
  return "the client of the first SDK lists tools, calls a tool and asks the analyst in both ways"
}

const runConformance = async (project: string, url: string): Promise<string> => {
  const env = { TAPELINE_URL: url, TAPELINE_API_KEY: await issueKey(url, allScopes) }
  const bridge = startListener("packages/mcp/src/bin/main.ts", ["--http", "0"], env)
  try {
    const address = (await bridge.started)[1]!
    for (const scenario of scenarios) {
      runCommand(process.execPath, [
        join(project, "node_modules/.bin/conformance"),
        "server",
        "--url",
        address,
        "--scenario",
        scenario
      ], project)
    }
  } finally {
    await bridge.end("SIGTERM")
  }
  return `conformance: ${scenarios.join(", ")}`
}

const tempDir = mkdtempSync(join(tmpdir(), "tapeline-mcp-check-"))
const service = startListener("packages/server/src/main.ts", [], {
  PORT: "0",
  TAPELINE_DATA_DIR: join(tempDir, "data"),
  TAPELINE_ADMIN_TOKEN: adminToken
})
try {
  const project = createEmptyProject(join(tempDir, "clients"))
  runCommand("npm", ["install", ...quietNpmFlags, ...clients], project)
  const url = (await service.started)[1]!
  console.log(await checkWithInspector(project, url))
  console.log(await checkWithFirstSdk(project, url))
  console.log(await runConformance(project, url))
} finally {
  await service.end("SIGTERM")
  rmSync(tempDir, { recursive: true, maxRetries: 3 })
}
