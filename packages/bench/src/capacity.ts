/**
 * Computes the hardware that a given number of calls per minute needs, and writes the tables of `docs/capacity.md`. The
 * costs of one call come from `docs/benchmarks.md`. `node src/capacity.ts` must run after the benches `call`,
 * `processes`, `disk` and `rest`.
 */
import { join } from "node:path"
import { reportPath, table, writeSection } from "./report.ts"
import { readNumber, readTables } from "./reportTables.ts"

const rates = [1_000, 100_000, 10_000_000]

/** The planned CPU utilisation as a share of 1. Spare CPU capacity covers load peaks and the failure of a process. */
const targetUtilisation = 0.5
/** The maximum number of database connections of each process, according to `docs/postgresql.md`. */
const connectionsPerProcess = 20
const defaultRetentionMonths = 13
const minRetentionMonths = 2
const daysPerMonth = 30.4
/**
 * The number of database transactions of one call of a pure tool, for rate limit and charge. Concurrent calls share
 * transactions.
 */
const transactionsPerCall = 2
/** The default value of PostgreSQL's setting `autovacuum_freeze_max_age`, in transactions. */
const freezeMaxAge = 200_000_000

const readMicroseconds = (column: string) => readNumber("call", "Tapeline", column)
const [serverUs, databaseUs] = [
  readMicroseconds("server CPU, µs per call"),
  readMicroseconds("PostgreSQL CPU, µs per call")
]
/** The cost of a call with ten busy processes on one PostgreSQL. NaN if the bench `processes` has not run yet. */
const databaseUsOfTenProcesses = Number(
  readTables("processes")[1]?.find((row) => row["processes"] === "10")?.["PostgreSQL CPU, µs per call"] || NaN
)
const readDiskBytes = (hasIdempotencyKey: boolean, column: string) =>
  readNumber("disk", `${hasIdempotencyKey ? "with" : "without"} an idempotency key`, column)
const rowBytes = readDiskBytes(false, "reservations, bytes")
const [logBytes, keyedLogBytes] = [false, true].map((isKeyed) => readDiskBytes(isKeyed, "write-ahead log, bytes"))
const answerBytes = readDiskBytes(true, "answers, bytes")
const sharedTransactionsPerCall = readDiskBytes(false, "transactions of 1,000 calls") / 1_000

const units = [" B", " kB", " MB", " GB", " TB", " PB"]

const formatBytes = (value: number): string => {
  let [scaled, unit] = [value, 0]
  while (scaled >= 999.5 && unit < units.length - 1) [scaled, unit] = [scaled / 1_000, unit + 1]
  return `${scaled >= 100 || unit === 0 ? scaled.toFixed(0) : scaled.toPrecision(2)}${units[unit]}`
}
const formatCount = (value: number): string =>
  (value >= 100 ? Number(value.toPrecision(3)) : Number(value.toPrecision(2))).toLocaleString("en-US", {
    maximumFractionDigits: 3
  })

/**
 * Returns the number of processes that can handle `perSecond` calls per second. At least two processes are planned, so
 * that one process may fail.
 */
const processCount = (perSecond: number): number =>
  Math.max(2, Math.ceil((perSecond * serverUs) / 1_000_000 / targetUtilisation))

const secondsPerDay = 86_400
const resourceRows: ReadonlyArray<readonly [what: string, of: (perSecond: number) => string]> = [
  ["calls a second", formatCount],
  ["busy cores of the serving processes", (s) => formatCount((s * serverUs) / 1_000_000)],
  ["processes (at most half busy, at least two)", (s) => formatCount(processCount(s))],
  ["busy cores of PostgreSQL", (s) => formatCount((s * databaseUs) / 1_000_000)],
  [
    "cores of PostgreSQL (at most half busy)",
    (s) => formatCount(Math.ceil((s * databaseUs) / 1_000_000 / targetUtilisation))
  ],
  ["maximum number of connections to PostgreSQL", (s) => formatCount(processCount(s) * connectionsPerProcess)],
  ["write-ahead log a second", (s) => formatBytes(s * logBytes!)],
  ["write-ahead log a day", (s) => formatBytes(s * logBytes! * secondsPerDay)],
  [
    "write-ahead log a day, if every call has an idempotency key",
    (s) => formatBytes(s * keyedLogBytes! * secondsPerDay)
  ],
  ["reservations a day", (s) => formatBytes(s * rowBytes * secondsPerDay)],
  [
    `reservations of ${defaultRetentionMonths} months`,
    (s) => formatBytes(s * rowBytes * secondsPerDay * daysPerMonth * defaultRetentionMonths)
  ],
  [
    `reservations of ${minRetentionMonths} months`,
    (s) => formatBytes(s * rowBytes * secondsPerDay * daysPerMonth * minRetentionMonths)
  ],
  [
    "stored responses of a day, if every call has an idempotency key",
    (s) => formatBytes(s * answerBytes * secondsPerDay)
  ],
  [
    "writing transactions a second, if calls share them as with 64 callers",
    (s) => formatCount(s * sharedTransactionsPerCall)
  ],
  ["writing transactions a second, if no calls share one", (s) => formatCount(s * transactionsPerCall)],
  [
    "days until PostgreSQL must freeze all tables, if calls share transactions",
    (s) => formatCount(freezeMaxAge / (s * sharedTransactionsPerCall * secondsPerDay))
  ]
]

const capacityRows: ReadonlyArray<readonly [what: string, callsAMinute: number]> = [
  ["one process, half of its core", (targetUtilisation * 60_000_000) / serverUs],
  ...[2, 8, 32].map((cores) =>
    [`a PostgreSQL of ${cores} cores, half busy`, (cores * targetUtilisation * 60_000_000) / databaseUs] as const
  ),
  ...(Number.isNaN(databaseUsOfTenProcesses) ? [] : [
    [
      "a PostgreSQL of 32 cores, half busy, at the cost of a call with ten processes",
      (32 * targetUtilisation * 60_000_000) / databaseUsOfTenProcesses
    ] as const
  ]),
  ["a disk that takes 100 MB of write-ahead log a second", (100_000_000 * 60) / logBytes!],
  [
    `10 TB of reservations kept for ${defaultRetentionMonths} months`,
    10e12 / (rowBytes * 1440 * daysPerMonth * defaultRetentionMonths)
  ],
  [
    `10 TB of reservations kept for ${minRetentionMonths} months`,
    10e12 / (rowBytes * 1440 * daysPerMonth * minRetentionMonths)
  ]
]

const memorySentence = (): string => {
  const row = readTables("rest").flat().find((row) => row["process"] === "on PostgreSQL")
  const [atRestMb, loadedMb] = [row?.["at rest"], row?.["minute 10"]].map((cell) => Number.parseFloat(cell ?? ""))
  const kbOfConnection = Number(row?.["kB a connection"] || NaN)
  if (Number.isNaN(atRestMb! + loadedMb! + kbOfConnection)) {
    return "Memory of a process and of a connection: not measured yet (bench `rest`)."
  }
  return `A process on PostgreSQL takes ${formatBytes(atRestMb! * 1e6)} at rest, ${
    formatBytes(loadedMb! * 1e6)
  } after ten minutes of ` +
    `a mix of tools, and ${formatBytes(kbOfConnection * 1e3)} for each idle connection (${
      formatBytes(kbOfConnection * 1e7)
    } for 10,000).`
}

const text = [
  `The unit costs of a call in [benchmarks.md](benchmarks.md) are ${serverUs} µs of a serving core and ${databaseUs} µs of`,
  `PostgreSQL, ${formatBytes(rowBytes)} of reservations, and ${formatBytes(logBytes!)} of write-ahead log`,
  `(${formatBytes(keyedLogBytes!)} with an idempotency key, and ${formatBytes(answerBytes)} for its stored response).`,
  "",
  table(
    ["calls a minute", ...rates.map((rate) => rate.toLocaleString("en-US"))],
    resourceRows.map(([label, total]) => [label, ...rates.map((rate) => total(rate / 60))])
  ),
  "",
  table(["resource", "calls a minute"], capacityRows.map(([label, calls]) => [label, formatCount(calls)])),
  "",
  memorySentence()
].join("\n")

console.log(text)
writeSection("capacity", text, join(reportPath, "..", "capacity.md"))
