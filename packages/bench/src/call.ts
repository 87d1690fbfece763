/**
 * Compares tool calls per second on PostgreSQL with a bare Fastify echo, and with hand-written handlers that run one or
 * two durable statements per call. `node src/call.ts` runs the bench. `--quick` shortens the run. `--profile` loads
 * only one process of the service, and writes the CPU profile to the current folder.
 */
import { type PostgresServer, startPostgres } from "@tapeline/testing/postgresServer"
import { availableParallelism, loadavg } from "node:os"
import { startEcho, startHandwritten, startTapeline } from "./call/servers.ts"
import { loadGenerator, type LoadResult, loadTogether } from "./load/loadServers.ts"
import type { ServerUnderTest } from "./load/serverUnderTest.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const isQuick = process.argv.includes("--quick")
const isProfile = process.argv.includes("--profile")
const connections = 64
const rounds = isQuick ? 1 : 3
const seconds = isQuick ? 3 : 6
const warmupSeconds = isQuick ? 3 : 8
const targetRatio = 2

interface Contender {
  readonly name: string
  readonly subjects: ReadonlyArray<ServerUnderTest>
  readonly samples: Array<LoadResult>
}

const contender = (name: string, subjects: ReadonlyArray<ServerUnderTest>): Contender => ({
  name,
  subjects,
  samples: []
})

const withOneAccount = ({ name, subjects }: Contender): Contender =>
  contender(`${name}, one account`, subjects.map((subject) => ({ ...subject, keys: subject.keys.slice(0, 1) })))

/** Loads the servers alternately, because the speed of a disk varies over time. */
const loadInTurns = async (contenders: ReadonlyArray<Contender>, rounds: number) => {
  for (let round = 1; round <= rounds; round++) {
    for (const { name, samples, subjects } of contenders) {
      const measured = await loadTogether(subjects, connections, seconds)
      samples.push(measured)
      console.log(`round ${round}, ${name}: ${format(measured.perSecond)} calls/s, p99 ${measured.p99Ms} ms`)
    }
  }
}

const format = (value: number): string => Math.round(value).toLocaleString("en-US")
const formatUs = (us: number): string => Number.isNaN(us) ? "" : us.toFixed(0)

const computeFigures = ({ name, samples, subjects }: Contender) => {
  const medianOf = (select: (measured: LoadResult) => number | null) =>
    median(samples.map((measured) => select(measured) ?? NaN))
  const [perSecond, serverUs] = [medianOf((select) => select.perSecond), medianOf((select) => select.serverUs)]
  const databaseUs = medianOf((select) => select.databaseUs)
  return {
    perSecond,
    cells: [
      name,
      String(subjects.length),
      format(perSecond),
      medianOf((select) => select.p50Ms).toFixed(1),
      medianOf((select) => select.p99Ms).toFixed(1),
      formatUs(serverUs),
      formatUs(databaseUs),
      ((perSecond * (serverUs + (Number.isNaN(databaseUs) ? 0 : databaseUs))) / 1_000_000).toFixed(2)
    ]
  }
}

const columnNames = [
  "server",
  "processes",
  "calls/s",
  "p50, ms",
  "p99, ms",
  "server CPU, µs per call",
  "PostgreSQL CPU, µs per call",
  "CPU cores used"
]

interface Report {
  readonly tapeline: readonly [one: Contender, two: Contender]
  readonly handwritten: readonly [one: Contender, two: Contender]
  readonly single: readonly [one: Contender, two: Contender]
  readonly echo: Contender
  readonly oneAccount: ReadonlyArray<Contender>
}

const loadBefore = loadavg()[0]!.toFixed(1)

const makeReport = (
  { echo, handwritten, oneAccount, single, tapeline }: Report
): { readonly text: string; readonly ratio: number } => {
  const [one, two] = tapeline.map(computeFigures)
  const rows = [one!, two!, ...[...handwritten, ...single, echo].map(computeFigures)]
  const ratioCell = (row: (typeof rows)[number]): string =>
    `${((row.cells[1] === "2" ? two! : one!).perSecond / row.perSecond).toFixed(2)} x`
  const text = [
    "## Whole tool calls over HTTP",
    "",
    `${runConditions(new Date())}, load average before the run ${loadBefore}. ${connections} connections by`,
    `${loadGenerator} with 64 accounts call \`get_price\`. Key, rate limit and charge are on PostgreSQL. The hand-written`,
    "handlers execute one or two durable statements per call, but count their rate limit in memory.",
    "",
    table([...columnNames, "Tapeline with as many processes"], rows.map((row) => [...row.cells, ratioCell(row)])),
    "",
    "Two processes share one database, each with half of the connections. Their p50 is the mean of both, and their p99 the",
    `worse of both. All programs, including PostgreSQL and ${loadGenerator}, share ${availableParallelism()} cores. If "CPU cores used" is near`,
    "this number, the machine is the limit, and the calls/s of two processes do not show what two machines would do.",
    "Compare the CPU time per call.",
    "",
    "Calls of a single account, whose month, usage and rate-limit window are one row each:",
    "",
    table(columnNames, oneAccount.map((contender) => computeFigures(contender).cells))
  ].join("\n")
  return { text, ratio: one!.perSecond / rows[2]!.perSecond }
}

const runComparison = async (
  tapeline: ReadonlyArray<ServerUnderTest>,
  server: PostgresServer,
  running: Array<ServerUnderTest>
) => {
  const handwritten = await startHandwritten(server, "two", 2, connections)
  running.push(...handwritten)
  const single = await startHandwritten(server, "one", 2, connections)
  running.push(...single)
  const echo = await startEcho()
  running.push(echo)
  const makePair = (name: string, subjects: ReadonlyArray<ServerUnderTest>) =>
    [contender(name, subjects.slice(0, 1)), contender(name, subjects)] as const
  const contenders = {
    tapeline: makePair("Tapeline", tapeline),
    handwritten: makePair("Fastify + postgres, by hand", handwritten),
    single: makePair("Fastify + postgres, by hand, one statement", single),
    echo: contender("Fastify echo, no database", [echo])
  }
  const { handwritten: [oneByHand], tapeline: [one, two] } = contenders
  const oneAccount = [one, two, oneByHand].map(withOneAccount)
  for (const subject of running) await loadTogether([subject], connections, warmupSeconds)
  await loadInTurns([...contenders.tapeline, ...contenders.handwritten, ...contenders.single, contenders.echo], rounds)
  await loadInTurns(oneAccount, rounds)
  const { ratio, text } = makeReport({ ...contenders, oneAccount })
  console.log(`\n${text}\n`)
  console.log(`Goal: ${targetRatio} x the hand-written handler; ${ratio >= targetRatio ? "reached" : "not reached"}.`)
  if (!isQuick) writeSection("call", text)
}

const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
const running: Array<ServerUnderTest> = []
try {
  const tapeline = await startTapeline(server, isProfile ? 1 : 2, isProfile ? ["--cpu-prof"] : [])
  running.push(...tapeline)
  if (isProfile) {
    await loadTogether(tapeline, connections, warmupSeconds)
    await loadInTurns([contender("Tapeline", tapeline)], rounds)
  } else await runComparison(tapeline, server, running)
} finally {
  for (const subject of running) await subject.stop()
  await server.stop()
}
