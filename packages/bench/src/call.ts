/**
 * Measures complete tool calls per second over HTTP on PostgreSQL: key, rate limit, reservation, `get_price` and
 * settlement. Compares them with a bare Fastify echo, and with a hand-written Fastify handler that makes the same two
 * durable statements per call. Runs one process of each, then two on one database, then calls of a single account. All
 * servers use the same PostgreSQL in the same run, each in its own process. Run with `node src/call.ts`. `--quick`
 * shortens the run. `--profile` loads only one process of the service and writes its CPU profile to the current folder.
 */
import { type PostgresServer, startPostgres } from "@tapeline/testing/postgresServer"
import { availableParallelism, loadavg } from "node:os"
import { startEcho, startHandwritten, startTapeline } from "./call/servers.ts"
import { generator, loadTogether, type Measured } from "./load/load.ts"
import type { Subject } from "./load/subject.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const quick = process.argv.includes("--quick")
const profile = process.argv.includes("--profile")
const connections = 64
const rounds = quick ? 1 : 3
const seconds = quick ? 3 : 6
const warmupSeconds = quick ? 3 : 8
const goal = 2

/** Servers under load at the same time, with their measurements. */
interface Contender {
  readonly name: string
  readonly subjects: ReadonlyArray<Subject>
  readonly samples: Array<Measured>
}

const contender = (name: string, subjects: ReadonlyArray<Subject>): Contender => ({ name, subjects, samples: [] })

/** The same servers with calls of a single account. */
const ofOneAccount = ({ name, subjects }: Contender): Contender =>
  contender(`${name}, one account`, subjects.map((subject) => ({ ...subject, keys: subject.keys.slice(0, 1) })))

/** Loads the contenders in turns, because the speed of a disk varies over time. */
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
const orNone = (us: number): string => Number.isNaN(us) ? "" : us.toFixed(0)

const figuresOf = ({ name, samples, subjects }: Contender) => {
  const middle = (of: (measured: Measured) => number | null) => median(samples.map((measured) => of(measured) ?? NaN))
  const [perSecond, serverUs] = [middle((of) => of.perSecond), middle((of) => of.serverUs)]
  const databaseUs = middle((of) => of.databaseUs)
  return {
    perSecond,
    cells: [
      name,
      String(subjects.length),
      format(perSecond),
      middle((of) => of.p50Ms).toFixed(1),
      middle((of) => of.p99Ms).toFixed(1),
      orNone(serverUs),
      orNone(databaseUs),
      ((perSecond * (serverUs + (Number.isNaN(databaseUs) ? 0 : databaseUs))) / 1_000_000).toFixed(2)
    ]
  }
}

const head = [
  "server",
  "processes",
  "calls/s",
  "p50, ms",
  "p99, ms",
  "its processor, us a call",
  "PostgreSQL's, us a call",
  "cores of both"
]

interface Report {
  readonly tapeline: readonly [one: Contender, two: Contender]
  readonly byHand: readonly [one: Contender, two: Contender]
  readonly echo: Contender
  readonly oneAccount: ReadonlyArray<Contender>
}

const loadBefore = loadavg()[0]!.toFixed(1)

const report = ({ byHand, echo, oneAccount, tapeline }: Report): { readonly text: string; readonly ratio: number } => {
  const [one, two] = tapeline.map(figuresOf)
  const rows = [one!, two!, ...[...byHand, echo].map(figuresOf)]
  const beside = (row: (typeof rows)[number]): string =>
    `${((row.cells[1] === "2" ? two! : one!).perSecond / row.perSecond).toFixed(2)} x`
  const text = [
    "## Whole tool calls over HTTP",
    "",
    `${runConditions(new Date())}, load average before the run ${loadBefore}. ${connections} connections by`,
    `${generator} over 64 accounts; \`get_price\`, with its key, ceiling,`,
    "reservation and settlement on PostgreSQL. The handler by hand does the same two durable statements a call; its ceiling is counted in memory.",
    "",
    table([...head, "Tapeline with as many processes is"], rows.map((row) => [...row.cells, beside(row)])),
    "",
    `Two processes are on one database, each with half of the connections; their p50 is the mean of both, their p99 the`,
    `worse of both. All of it, PostgreSQL and ${generator} too, shares ${availableParallelism()} cores: where "cores of`,
    "both\" comes near them the machine is the limit, so calls/s of two processes say what is left over and not what two",
    "machines would do. What a call takes of the processor is what to read.",
    "",
    "Calls of one account alone, whose month, usage and window are one row each:",
    "",
    table(head, oneAccount.map((contender) => figuresOf(contender).cells))
  ].join("\n")
  return { text, ratio: one!.perSecond / rows[2]!.perSecond }
}

const compare = async (tapeline: ReadonlyArray<Subject>, server: PostgresServer, running: Array<Subject>) => {
  const byHand = await startHandwritten(server, 2, connections)
  running.push(...byHand)
  const echo = await startEcho()
  running.push(echo)
  const pair = (name: string, subjects: ReadonlyArray<Subject>) =>
    [contender(name, subjects.slice(0, 1)), contender(name, subjects)] as const
  const contenders = {
    tapeline: pair("Tapeline", tapeline),
    byHand: pair("Fastify + postgres, by hand", byHand),
    echo: contender("Fastify echo, no database", [echo])
  }
  const { byHand: [oneByHand], tapeline: [one, two] } = contenders
  const oneAccount = [one, two, oneByHand].map(ofOneAccount)
  for (const subject of running) await loadTogether([subject], connections, warmupSeconds)
  await loadInTurns([...contenders.tapeline, ...contenders.byHand, contenders.echo], rounds)
  await loadInTurns(oneAccount, rounds)
  const { ratio, text } = report({ ...contenders, oneAccount })
  console.log(`\n${text}\n`)
  console.log(`Goal: ${goal} x the hand-written handler; ${ratio >= goal ? "reached" : "not reached"}.`)
  if (!quick) writeSection("call", text)
}

const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
const running: Array<Subject> = []
try {
  const tapeline = await startTapeline(server, profile ? 1 : 2, profile ? ["--cpu-prof"] : [])
  running.push(...tapeline)
  if (profile) {
    await loadTogether(tapeline, connections, warmupSeconds)
    await loadInTurns([contender("Tapeline", tapeline)], rounds)
  } else await compare(tapeline, server, running)
} finally {
  for (const subject of running) await subject.stop()
  await server.stop()
}
