/**
 * Measures the time from process start until `/readyz` first returns 200. The bench starts the service with the
 * embedded database and with PostgreSQL. For comparison, the bench also starts a bare `node:http` server. The bench
 * also measures the first calls of tools whose first call computes much. `node src/start.ts` runs the bench.
 */
import { loadavg } from "node:os"
import { createKeys } from "./load/setup.ts"
import { median, runConditions, table, writeSection } from "./report.ts"
import type { MeasuredServer, StartupPart } from "./rest/measuredServer.ts"
import { sleep, startBareServer, startTapeline, withTemporaryResources } from "./rest/startServers.ts"

const startCount = 5
const goalReadyMs = 2_000
const firstCallTools = ["get_signal_outcomes", "get_market_overview", "get_us_market"]
const goalFirstCallMs = 200
const loadBefore = loadavg()[0]!.toFixed(1)

interface StartTimes {
  readonly readyMs: number
  readonly parts: ReadonlyArray<StartupPart>
}

const measureStart = async (start: () => Promise<MeasuredServer>): Promise<StartTimes> => {
  const started = await start()
  const { readyMs } = started
  // The server logs the phases of its start shortly after it is ready, so the bench waits for the log.
  await sleep(500)
  const { parts } = started
  await started.stop()
  return { readyMs, parts }
}

interface CallTimes {
  readonly firstMs: number
  readonly secondMs: number
}

/** Measures the first and the second call of a tool on a new server, after the server's work in the background. */
const measureFirstCall = async (dataDir: string, tool: string): Promise<CallTimes> => {
  const server = await startTapeline(dataDir)
  const [key] = await createKeys(server.address, 1)
  await server.waitForLog("The first answers are computed")
  const measureCall = async (): Promise<number> => {
    const startedAt = performance.now()
    const response = await fetch(`${server.address}/v1/tools/${tool}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: "{}"
    })
    if (!response.ok) throw new Error(`${tool} returned ${response.status}: ${await response.text()}`)
    await response.text()
    return performance.now() - startedAt
  }
  const times = { firstMs: await measureCall(), secondMs: await measureCall() }
  await server.stop()
  return times
}

const { firstCalls, rows } = await withTemporaryResources(async ({ newDatabase, newFolder }) => {
  const rows = new Map<string, Array<StartTimes>>()
  const recordStart = (name: string, start: StartTimes) => {
    console.log(`${name}: ready after ${start.readyMs.toFixed(0)} ms`)
    rows.set(name, [...rows.get(name) ?? [], start])
  }
  for (let round = 0; round < startCount; round++) {
    const [embeddedDir, postgresDir] = [newFolder(), newFolder()]
    const url = await newDatabase()
    recordStart("embedded, the first start in an empty folder", await measureStart(() => startTapeline(embeddedDir)))
    recordStart("embedded, a later start", await measureStart(() => startTapeline(embeddedDir)))
    recordStart(
      "PostgreSQL, the first start on an empty database",
      await measureStart(() => startTapeline(postgresDir, url))
    )
    recordStart("PostgreSQL, a later start", await measureStart(() => startTapeline(postgresDir, url)))
    recordStart("`node:http`, bare", await measureStart(startBareServer))
  }
  const firstCalls = new Map<string, Array<CallTimes>>()
  for (let round = 0; round < startCount; round++) {
    for (const tool of firstCallTools) {
      const times = await measureFirstCall(newFolder(), tool)
      console.log(`${tool}: first call ${times.firstMs.toFixed(0)} ms`)
      firstCalls.set(tool, [...firstCalls.get(tool) ?? [], times])
    }
  }
  return { rows, firstCalls }
})

const firstCallTable = table(
  ["first call", "median ms", "slowest ms", `of ${goalFirstCallMs} ms`, "second call, ms"],
  [...firstCalls].map(([tool, times]) => {
    const firstMs = times.map(({ firstMs }) => firstMs)
    return [
      `\`${tool}\``,
      median(firstMs).toFixed(0),
      Math.max(...firstMs).toFixed(0),
      (median(firstMs) / goalFirstCallMs).toFixed(2),
      median(times.map(({ secondMs }) => secondMs)).toFixed(0)
    ]
  })
)

const partNames = ["node", "imports", "market", "database", "migrations", "engine", "http", "welcome"]
const startTable = table(
  ["start", "ready after, ms", "slowest, ms", `of ${goalReadyMs} ms`, ...partNames],
  [...rows].map(([name, all]) => {
    const ready = median(all.map(({ readyMs }) => readyMs))
    const medianPartMs = (part: string): string => {
      const durations = all.flatMap(({ parts }) =>
        parts.filter((one) => one.name === part).map(({ from, to }) => to - from)
      )
      return durations.length === 0 ? "" : median(durations).toFixed(0)
    }
    return [
      name,
      ready.toFixed(0),
      Math.max(...all.map(({ readyMs }) => readyMs)).toFixed(0),
      (ready / goalReadyMs).toFixed(2),
      ...partNames.map(medianPartMs)
    ]
  })
)

const section = `## Start

${
  runConditions(new Date())
}, load average before the run ${loadBefore}. Medians of ${startCount} starts, from the start of
the process to the first status 200 of \`/readyz\`. The parts are in ms, and some of them run at the same time.

${startTable}

First calls of a new server with the embedded database, after its work in the background. Medians of ${startCount}
servers for each tool.

${firstCallTable}
`
console.log(section)
writeSection("start", section)
