/**
 * Measures the time from the start of the process to the first 200 of `/readyz`, by parts. Measures first and later
 * starts on the embedded database and on PostgreSQL, compared with a bare `node:http`. Run with `node src/start.ts`.
 */
import { loadavg } from "node:os"
import { median, runConditions, table, writeSection } from "./report.ts"
import type { Part, Started } from "./rest/server.ts"
import { pause, startBare, startTapeline, withPlaces } from "./rest/subjects.ts"

const starts = 5
const goalReadyMs = 2_000
const loadBefore = loadavg()[0]!.toFixed(1)

interface Start {
  readonly readyMs: number
  readonly parts: ReadonlyArray<Part>
}

/** Starts a server, measures the start and stops the server. */
const once = async (begin: () => Promise<Started>): Promise<Start> => {
  const started = await begin()
  const { readyMs } = started
  // The server logs its parts shortly after it is ready.
  await pause(500)
  const { parts } = started
  await started.stop()
  return { readyMs, parts }
}

const rows = await withPlaces(async ({ newDatabase, newFolder }) => {
  const rows = new Map<string, Array<Start>>()
  const note = (name: string, start: Start) => {
    console.log(`${name}: ready after ${start.readyMs.toFixed(0)} ms`)
    rows.set(name, [...rows.get(name) ?? [], start])
  }
  for (let round = 0; round < starts; round++) {
    const [embedded, beside] = [newFolder(), newFolder()]
    const url = await newDatabase()
    note("embedded, the first start in an empty folder", await once(() => startTapeline(embedded)))
    note("embedded, a later start", await once(() => startTapeline(embedded)))
    note("PostgreSQL, the first start on an empty database", await once(() => startTapeline(beside, url)))
    note("PostgreSQL, a later start", await once(() => startTapeline(beside, url)))
    note("`node:http`, bare", await once(startBare))
  }
  return rows
})

const names = ["node", "imports", "market", "database", "migrations", "engine", "http", "welcome"]
const startTable = table(
  ["start", "ready after, ms", "slowest, ms", `of ${goalReadyMs} ms`, ...names],
  [...rows].map(([name, all]) => {
    const ready = median(all.map(({ readyMs }) => readyMs))
    const partOf = (part: string): string => {
      const found = all.flatMap(({ parts }) =>
        parts.filter((one) => one.name === part).map(({ from, to }) => to - from)
      )
      return found.length === 0 ? "" : median(found).toFixed(0)
    }
    return [
      name,
      ready.toFixed(0),
      Math.max(...all.map(({ readyMs }) => readyMs)).toFixed(0),
      (ready / goalReadyMs).toFixed(2),
      ...names.map(partOf)
    ]
  })
)

const section = `## Start

${runConditions(new Date())}, load average before the run ${loadBefore}. Medians of ${starts} starts, from the start of
the process to the first 200 of \`/readyz\`; parts in ms of which some run beside one another.

${startTable}
`
console.log(section)
writeSection("start", section)
