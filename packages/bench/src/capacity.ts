/**
 * Computes the resources for a number of calls per minute from the unit costs in docs/benchmarks.md: the tables of
 * docs/capacity.md. Measures nothing. Run with `node src/capacity.ts`, after the benches `call`, `disk` and `rest`.
 */
import { join } from "node:path"
import { reportPath, table, writeSection } from "./report.ts"
import { numberIn, tablesOf } from "./tables.ts"

const rates = [1_000, 100_000, 10_000_000]

/** The planned utilisation of a core. The rest is for peaks and for the load of a lost process. */
const busy = 0.5
/** The connections of each process, as docs/operating.md counts them. */
const connectionsOfProcess = 17
const keptMonths = 13
const fewestMonths = 2
const daysOfMonth = 30.4
/** Rate-limit window, reservation and settlement, if no other calls run at the same time. */
const transactionsAlone = 3
/** PostgreSQL's default `autovacuum_freeze_max_age`, after which every table is scanned completely. */
const freezeAfter = 200_000_000

const usOf = (column: string) => numberIn("call", "Tapeline", column)
const [serverUs, databaseUs] = [usOf("its processor, us a call"), usOf("PostgreSQL's, us a call")]
const diskOf = (withKey: boolean, column: string) =>
  numberIn("disk", `${withKey ? "with" : "without"} an idempotency key`, column)
const rowBytes = diskOf(false, "reservations, bytes")
const [logBytes, keyedLogBytes] = [false, true].map((keyed) => diskOf(keyed, "write-ahead log, bytes"))
const answerBytes = diskOf(true, "answers, bytes")
const shared = diskOf(false, "transactions of 1,000 calls") / 1_000

const units = [" B", " kB", " MB", " GB", " TB", " PB"]

/** Formats bytes with a decimal unit. */
const bytes = (value: number): string => {
  let [scaled, unit] = [value, 0]
  while (scaled >= 999.5 && unit < units.length - 1) [scaled, unit] = [scaled / 1_000, unit + 1]
  return `${scaled >= 100 || unit === 0 ? scaled.toFixed(0) : scaled.toPrecision(2)}${units[unit]}`
}
const count = (value: number): string =>
  (value >= 100 ? Number(value.toPrecision(3)) : Number(value.toPrecision(2))).toLocaleString("en-US", {
    maximumFractionDigits: 3
  })

/** Processes for a number of calls per second: at least two, so that one may be lost or replaced. */
const processes = (perSecond: number): number => Math.max(2, Math.ceil((perSecond * serverUs) / 1_000_000 / busy))

const perDay = 86_400
const lines: ReadonlyArray<readonly [what: string, of: (perSecond: number) => string]> = [
  ["calls a second", count],
  ["cores that serving keeps busy", (s) => count((s * serverUs) / 1_000_000)],
  ["processes, each half busy at most, two at least", (s) => count(processes(s))],
  ["cores that PostgreSQL keeps busy", (s) => count((s * databaseUs) / 1_000_000)],
  ["cores of PostgreSQL, half busy at most", (s) => count(Math.ceil((s * databaseUs) / 1_000_000 / busy))],
  ["connections to PostgreSQL, at most", (s) => count(processes(s) * connectionsOfProcess)],
  ["write-ahead log a second", (s) => bytes(s * logBytes!)],
  ["write-ahead log a day", (s) => bytes(s * logBytes! * perDay)],
  ["the same when every call has an idempotency key", (s) => bytes(s * keyedLogBytes! * perDay)],
  ["reservations a day", (s) => bytes(s * rowBytes * perDay)],
  [`reservations of ${keptMonths} months`, (s) => bytes(s * rowBytes * perDay * daysOfMonth * keptMonths)],
  [`reservations of ${fewestMonths} months`, (s) => bytes(s * rowBytes * perDay * daysOfMonth * fewestMonths)],
  ["answers of a day, when every call has an idempotency key", (s) => bytes(s * answerBytes * perDay)],
  ["writing transactions a second, as they share them at 64 callers", (s) => count(s * shared)],
  ["the same when no two share one", (s) => count(s * transactionsAlone)],
  ["days until all tables are frozen anew, as they share them", (s) => count(freezeAfter / (s * shared * perDay))]
]

/** The reverse: the calls that one unit of a resource carries. */
const carries: ReadonlyArray<readonly [what: string, callsAMinute: number]> = [
  ["one process, half of its core", (busy * 60_000_000) / serverUs],
  ...[2, 8, 32].map((cores) =>
    [`a PostgreSQL of ${cores} cores, half busy`, (cores * busy * 60_000_000) / databaseUs] as const
  ),
  ["a disk that takes 100 MB of write-ahead log a second", (100_000_000 * 60) / logBytes!],
  [`10 TB of reservations kept for ${keptMonths} months`, 10e12 / (rowBytes * 1440 * daysOfMonth * keptMonths)],
  [`10 TB of reservations kept for ${fewestMonths} months`, 10e12 / (rowBytes * 1440 * daysOfMonth * fewestMonths)]
]

/** The memory of a process, if its bench has run. */
const memory = (): string => {
  const row = tablesOf("rest").flat().find((row) => row["process"] === "on PostgreSQL")
  const [atRestMb, loadedMb] = [row?.["at rest"], row?.["minute 10"]].map((cell) => Number.parseFloat(cell ?? ""))
  const kbOfConnection = Number(row?.["kB a connection"] || NaN)
  if (Number.isNaN(atRestMb! + loadedMb! + kbOfConnection)) {
    return "Memory of a process and of a connection: not measured yet (bench `rest`)."
  }
  return `A process on PostgreSQL takes ${bytes(atRestMb! * 1e6)} at rest, ${
    bytes(loadedMb! * 1e6)
  } after ten minutes of ` +
    `a mix of tools, and ${bytes(kbOfConnection * 1e3)} for each idle connection: ${
      bytes(kbOfConnection * 1e7)
    } of 10,000.`
}

const text = [
  `From the unit costs of [benchmarks.md](benchmarks.md): ${serverUs} us of a serving core and ${databaseUs} us of`,
  `PostgreSQL's a call; ${bytes(rowBytes)} of reservations, ${bytes(logBytes!)} of write-ahead log`,
  `(${bytes(keyedLogBytes!)} with an idempotency key, and ${bytes(answerBytes)} for its answer).`,
  "",
  table(
    ["calls a minute", ...rates.map((rate) => rate.toLocaleString("en-US"))],
    lines.map(([what, of]) => [what, ...rates.map((rate) => of(rate / 60))])
  ),
  "",
  table(["this", "carries so many calls a minute"], carries.map(([what, calls]) => [what, count(calls)])),
  "",
  memory()
].join("\n")

console.log(text)
writeSection("capacity", text, join(reportPath, "..", "capacity.md"))
