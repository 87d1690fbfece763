/**
 * Measures the time from the start of the MCP bridge to the list of all tools, and the memory of the bridge. `node
 * src/mcp.ts` runs the bench.
 */
import { bundleBin } from "@tapeline/scripts/bundleBin"
import { listPublishedPackages } from "@tapeline/scripts/manifest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { median, runConditions, table, writeSection } from "./report.ts"
import { startTapeline } from "./rest/startServers.ts"

const startCount = process.argv.includes("--quick") ? 3 : 11
const goalListMs = 1_000
const goalMemoryMb = 120
const loadBefore = loadavg()[0]!.toFixed(1)

interface BridgeStart {
  readonly listMs: number
  readonly tools: number
  readonly rss: number
  readonly peak: number
}

/** Returns a value of Linux's `/proc` in MB, or NaN if the operating system does not report the value. */
const readProcStatus = (pid: number, name: string): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1.024e-3
  } catch {
    return NaN
  }
}

/** Starts the MCP bridge, requests the list of tools as an MCP client does, and stops the bridge. */
const startOnce = async (file: string, url: string, key: string): Promise<BridgeStart> => {
  const startedAt = performance.now()
  const bridge = spawn(process.execPath, [file], {
    env: { PATH: process.env["PATH"] ?? "", TAPELINE_URL: url, TAPELINE_API_KEY: key },
    stdio: ["pipe", "pipe", "inherit"]
  })
  const exitEvent = once(bridge, "exit")
  const sendMessage = (message: object) => bridge.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  sendMessage({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } }
  })
  for await (const line of createInterface({ input: bridge.stdout })) {
    // The cast is safe, because every line is the response to one of the two requests.
    const { id, result } = JSON.parse(line) as { readonly id?: number; readonly result?: { readonly tools?: [] } }
    if (id === 1) {
      sendMessage({ method: "notifications/initialized" })
      sendMessage({ id: 2, method: "tools/list" })
    }
    if (id !== 2) continue
    const listMs = performance.now() - startedAt
    const { pid = 0 } = bridge
    const start = {
      listMs,
      tools: result?.tools?.length ?? 0,
      rss: readProcStatus(pid, "VmRSS"),
      peak: readProcStatus(pid, "VmHWM")
    }
    bridge.stdin.end()
    await exitEvent
    return start
  }
  throw new Error(`${file} ended before it listed its tools`)
}

/** Builds the published package of the MCP bridge, in a folder from which Node resolves the bridge's dependencies. */
const buildBridge = async (): Promise<string> => {
  const packages = listPublishedPackages()
  const mcp = packages.find(({ folderName }) => folderName === "mcp")
  if (mcp === undefined) throw new Error("the bridge is not published")
  const output = join(import.meta.dirname, "../dist/bridge")
  await bundleBin(mcp, output, packages)
  return join(output, "bin/main.js")
}

const folder = mkdtempSync(join(tmpdir(), "tapeline-mcp-"))
const service = await startTapeline(folder)
try {
  const key = service.lines.join("\n").match(/tl_live_\w+/)?.[0]
  if (key === undefined) throw new Error("the service printed no key")
  const bridges = new Map([
    ["as published", await buildBridge()],
    ["from its sources", join(import.meta.dirname, "../../mcp/src/bin/main.ts")]
  ])
  const rows: Array<ReadonlyArray<string>> = []
  for (const [name, file] of bridges) {
    const all: Array<BridgeStart> = []
    for (let n = 0; n < startCount; n++) all.push(await startOnce(file, service.address, key))
    const listMs = median(all.map((start) => start.listMs))
    const peak = median(all.map((start) => start.peak))
    rows.push([
      name,
      String(all[0]!.tools),
      listMs.toFixed(0),
      Math.max(...all.map((start) => start.listMs)).toFixed(0),
      (listMs / goalListMs).toFixed(2),
      median(all.map(({ rss }) => rss)).toFixed(0),
      peak.toFixed(0),
      (peak / goalMemoryMb).toFixed(2)
    ])
  }
  const section = `## The MCP bridge

${
    runConditions(new Date())
  }, load average before the run ${loadBefore}. Medians of ${startCount} starts over standard input and
output, from the start of the process to its response to \`tools/list\`, with a service on the same machine.

${
    table(
      [
        "bridge",
        "tools",
        "list after, ms",
        "slowest, ms",
        `of ${goalListMs} ms`,
        "RSS, MB",
        "peak, MB",
        `of ${goalMemoryMb} MB`
      ],
      rows
    )
  }
`
  console.log(section)
  writeSection("mcp", section)
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
