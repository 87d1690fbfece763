// Tests the bridge with the protocol's own tools: the inspector's command line, the client of the first SDK, and the
// conformance suite. Most hosts use the first SDK. One key has every scope, and another only Korea's. The suite runs
// the scenarios that apply to a server of tools; docs/mcp.md explains the others. These tools need two hundred
// packages, so they are installed in a separate folder for this check only.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { root } from "./manifest.ts"
import { run } from "./packages/pack.ts"
import { emptyProject, quiet } from "./packages/stranger.ts"

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

/** Returns the first line that matches. */
const lineOf = async (stream: Readable, form: RegExp): Promise<string> => {
  for await (const line of createInterface({ input: stream })) {
    const found = form.exec(line)?.[1]
    if (found !== undefined) return found
  }
  throw new Error(`it ended, and said nothing of ${form}`)
}

const start = (file: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [join(root, file), ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  return { child, stop }
}

/** Creates an account and returns a key with these scopes. */
const issue = async (url: string, scopes: ReadonlyArray<string>): Promise<string> => {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" }
  const asked = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await fetch(`${url}/admin/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    // The admin API answers with objects.
    return await response.json() as Readonly<Record<string, unknown>>
  }
  const { id } = await asked("/accounts", { name: "check", plan: "pro" })
  return String((await asked(`/accounts/${String(id)}/keys`, { name: "check", scopes }))["key"])
}

const all = ["read:market", "read:personal", "write:personal", "agent:chat"]

/**
 * Returns the inspector's output for a method, once through the bridge as a program and once through the service's own
 * address.
 */
const inspected = (project: string, url: string, key: string, method: ReadonlyArray<string>): ReadonlyArray<string> => {
  const inspector = join(project, "node_modules/.bin/mcp-inspector")
  const program = ["-e", `TAPELINE_URL=${url}`, "-e", `TAPELINE_API_KEY=${key}`, process.execPath]
  const ways = [
    [...program, join(root, "packages/mcp/src/bin/main.ts")],
    [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`]
  ]
  return ways.map((way) =>
    execFileSync(process.execPath, [inspector, "--cli", ...way, "--method", ...method], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: project, MCP_INSPECTOR_SECRET_STORE: "memory" },
      stdio: ["ignore", "pipe", "ignore"]
    })
  )
}

/** The number of tools and operations that the service lists for a key. */
const listed = async (url: string, key: string): Promise<number> => {
  const response = await fetch(`${url}/v1/tools?view=parameters`, { headers: { authorization: `Bearer ${key}` } })
  // The shape of the catalogue.
  const { operations, tools } = await response.json() as { readonly tools: []; readonly operations: [] }
  return tools.length + operations.length
}

const inspect = async (project: string, url: string): Promise<string> => {
  const keys = [await issue(url, all), await issue(url, ["read:korea"])]
  const counts: Array<number> = []
  for (const key of keys) {
    const expected = await listed(url, key)
    counts.push(expected)
    for (const told of inspected(project, url, key, ["tools/list"])) {
      // The shape that the protocol defines.
      const { tools } = JSON.parse(told) as { readonly tools: [] }
      if (tools.length !== expected) throw new Error(`The inspector lists ${tools.length} tools of ${expected}`)
    }
  }
  const call = ["tools/call", "--tool-name", "get_kr_stock", "--tool-arg", "symbol=005930"]
  for (const key of keys) {
    for (const told of inspected(project, url, key, call)) {
      if (!told.includes("\"source\": \"simulated\"")) throw new Error(`The inspector was told:\n${told}`)
    }
  }
  return `the inspector lists ${counts.join(" tools, and of Korea alone ")}, and calls them, by program and by address`
}

/**
 * Lists tools, calls one and asks the analyst, by program and by address, as hosts with a client of the first SDK do.
 */
const firstSdk = `
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

const speakFirst = async (project: string, url: string): Promise<string> => {
  const file = join(project, "first.mjs")
  writeFileSync(file, firstSdk)
  for (const [scopes, mayAsk] of [[all, true], [["read:korea"], false]] as const) {
    const key = await issue(url, scopes)
    const expected = await listed(url, key)
    const told = execFileSync(process.execPath, [file], {
      cwd: project,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"] ?? "",
        PROGRAM: join(root, "packages/mcp/src/bin/main.ts"),
        URL: url,
        KEY: key
      }
    })
    const lines = told.trim().split("\n")
    if (lines.length !== 3) throw new Error(`The first SDK's client was told:\n${told}`)
    for (const line of lines) {
      // The program above writes this shape.
      const [count, source, answer, progress] = JSON.parse(line) as [number, string, { isError?: boolean }, number]
      const isAnswered = answer.isError !== true && progress > 0
      if (count !== expected || source !== "simulated" || isAnswered !== mayAsk) {
        throw new Error(`The first SDK's client was told:\n${line}`)
      }
    }
  }
  return "the first SDK's client lists, calls and asks by both too"
}

const conform = async (project: string, url: string): Promise<string> => {
  const env = { TAPELINE_URL: url, TAPELINE_API_KEY: await issue(url, all) }
  const bridge = start("packages/mcp/src/bin/main.ts", ["--http", "0"], env)
  try {
    const at = await lineOf(bridge.child.stderr, /listens on (\S+)/)
    for (const scenario of scenarios) {
      run(process.execPath, [
        join(project, "node_modules/.bin/conformance"),
        "server",
        "--url",
        at,
        "--scenario",
        scenario
      ], project)
    }
  } finally {
    await bridge.stop()
  }
  return `conformance: ${scenarios.join(", ")}`
}

const elsewhere = mkdtempSync(join(tmpdir(), "tapeline-mcp-check-"))
const service = start("packages/server/src/main.ts", [], {
  PORT: "0",
  TAPELINE_DATA_DIR: join(elsewhere, "data"),
  TAPELINE_ADMIN_TOKEN: adminToken
})
try {
  const project = emptyProject(join(elsewhere, "clients"))
  run("npm", ["install", ...quiet, ...clients], project)
  const url = await lineOf(service.child.stdout, /^Tapeline listens on (\S+)/)
  console.log(await inspect(project, url))
  console.log(await speakFirst(project, url))
  console.log(await conform(project, url))
} finally {
  await service.stop()
  rmSync(elsewhere, { recursive: true, maxRetries: 3 })
}
