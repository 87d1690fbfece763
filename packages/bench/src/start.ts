/**
 * Measures the time from process start until `/readyz` first returns 200. The bench starts the service with the
 * embedded database and with PostgreSQL. For comparison, the bench also starts a bare `node:http` server.
 * `node src/start.ts` runs the bench.
 */
import { loadavg } from "node:os"
import { median, runConditions, table, writeSection } from "./report.ts"
import type { MeasuredServer, StartupPart } from "./rest/measuredServer.ts"
import { sleep, startBareServer, startTapeline, withTemporaryResources } from "./rest/startServers.ts"

const startCount = 5
const goalReadyMs = 2_000
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

const rows = await withTemporaryResources(async ({ newDatabase, newFolder }) => {
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
  return rows
})

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
`
console.log(section)
writeSection("start", section)
