/**
 * Measures charges per second, and pairs of reservation and settlement per second, through `Ledger`. For comparison,
 * `pgbench -N` updates one row and inserts one row per transaction. `node src/ledger.ts` runs the bench; `--quick`
 * shortens the run, and `--profile` omits pgbench and the report.
 */
import { KeyStore, Ledger, LedgerStore } from "@tapeline/core/engine"
import { layerMigrations, layerPostgres, PgStores } from "@tapeline/postgres"
import { type PostgresServer, startPostgres } from "@tapeline/testing/postgresServer"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { runConditions, table, writeSection } from "./report.ts"

const isQuick = process.argv.includes("--quick")
const isProfile = process.argv.includes("--profile")
const seconds = isQuick ? 2 : 6
const warmupSeconds = isQuick ? 1 : 2
const clientCounts = [1, 8, 64]
const accountCounts = [10, 10_000]

const execute = promisify(execFile)

/** Returns the transactions per second of `pgbench -N`, or null if pgbench is not installed. */
const runPgbench = async ({ bin, url }: PostgresServer, clients: number): Promise<number | null> => {
  const program = [bin === null ? "" : join(bin, "pgbench"), "/usr/bin/pgbench"].find((path) =>
    path !== "" && existsSync(path)
  )
  if (program === undefined) return null
  const threads = String(Math.min(clients, cpus().length))
  const { stdout } = await execute(program, [
    "-N",
    "-n",
    "-c",
    String(clients),
    "-j",
    threads,
    "-T",
    String(seconds),
    url
  ])
  const tps = /tps = ([\d.]+)/.exec(stdout)?.[1]
  if (tps === undefined) throw new Error(`pgbench printed unexpected output: ${stdout}`)
  return Number(tps)
}

const initPgbench = async ({ bin, url }: PostgresServer): Promise<boolean> => {
  const program = [bin === null ? "" : join(bin, "pgbench"), "/usr/bin/pgbench"].find((path) =>
    path !== "" && existsSync(path)
  )
  if (program === undefined) return false
  // According to the manual of pgbench, the scale must be at least the number of clients.
  await execute(program, ["-i", "-q", "-s", "64", url])
  return true
}

const createAccounts = (count: number) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const ledger = yield* LedgerStore
    const now = Date.now()
    yield* ledger.definePlans({ bench: 1_000_000_000 })
    const accounts = yield* Effect.forEach(
      Array.from({ length: count }),
      () => keys.createAccount({ name: "bench", plan: "bench", now }),
      { concurrency: 256 }
    )
    return accounts.map(({ id }) => id)
  })

const makeCall = (account: number) =>
  ({ account, actor: { _tag: "Key", key: 1 }, tool: "get_price", credits: 1, idempotency: null }) as const

const runPair = Effect.fnUntraced(function*(ledger: Ledger["Service"], account: number) {
  const admission = yield* ledger.reserve({ ...makeCall(account), ttlMs: 40_000 })
  if (admission._tag !== "Admitted") return yield* Effect.die(new Error(`Expected an admission: ${admission._tag}`))
  yield* ledger.settle(admission.reservation, null)
})

const runCharge = Effect.fnUntraced(function*(ledger: Ledger["Service"], account: number) {
  const id = yield* ledger.takeCallId
  const { _tag } = yield* ledger.charge({ ...makeCall(account), id, response: null })
  if (_tag !== "Charged") return yield* Effect.die(new Error(`Expected a charge: ${_tag}`))
})

/** Returns the number of calls per second. */
const measureCalls = (
  runCall: typeof runCharge | typeof runPair,
  clients: number,
  accounts: ReadonlyArray<number>,
  durationSeconds: number
) =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const end = performance.now() + durationSeconds * 1_000
    let callCount = 0
    let callIndex = 0
    const client = Effect.gen(function*() {
      while (performance.now() < end) {
        yield* runCall(ledger, accounts[(callIndex++ * 7_919) % accounts.length]!)
        callCount++
      }
    })
    const started = performance.now()
    yield* Effect.all(Array.from({ length: clients }, () => client), { concurrency: "unbounded", discard: true })
    return callCount / ((performance.now() - started) / 1_000)
  })

interface LedgerFigure {
  readonly clients: number
  readonly accounts: number
  readonly charges: number
  readonly pairs: number
  readonly transactions: number | null
}

const format = (value: number): string => Math.round(value).toLocaleString("en-US")
const formatRatio = (calls: number, { transactions }: LedgerFigure): string =>
  transactions === null ? "-" : (calls / transactions).toFixed(1)

/** The system's load average of the last minute. A high load distorts the comparison with pgbench. */
const loadBefore = loadavg()[0]!.toFixed(1)

const makeSection = (figures: ReadonlyArray<LedgerFigure>): string =>
  [
    "## Ledger",
    "",
    `${runConditions(new Date())}, load average before the run ${loadBefore}. A charge is the only durable`,
    "write of a call of a pure tool through `Ledger`. A pair is the reservation and the settlement of another call, both",
    "durable. For comparison, `pgbench -N` runs on the same PostgreSQL in the same run, with one durable row update and one",
    "insert for each transaction. `node src/ledger.ts`",
    "",
    table(
      [
        "clients",
        "accounts",
        "charges/s",
        "pairs/s",
        "`pgbench -N` transactions/s",
        "ratio of charges",
        "ratio of pairs"
      ],
      figures.map((figure) => [
        String(figure.clients),
        format(figure.accounts),
        format(figure.charges),
        format(figure.pairs),
        figure.transactions === null ? "-" : format(figure.transactions),
        formatRatio(figure.charges, figure),
        formatRatio(figure.pairs, figure)
      ])
    )
  ].join("\n")

const measure = (server: PostgresServer) =>
  Effect.gen(function*() {
    const figures: Array<LedgerFigure> = []
    const hasPgbench = isProfile ? false : yield* Effect.promise(() => initPgbench(server))
    if (!hasPgbench && !isProfile) console.log("pgbench was not found, so the calls are measured without a comparison")
    const accounts = yield* createAccounts(Math.max(...accountCounts))
    yield* measureCalls(runPair, 64, accounts, warmupSeconds)
    yield* measureCalls(runCharge, 64, accounts, warmupSeconds)
    for (const clients of isProfile ? [64] : clientCounts) {
      for (const count of accountCounts) {
        const selectedAccounts = accounts.slice(0, count)
        yield* measureCalls(runCharge, clients, selectedAccounts, warmupSeconds)
        // pgbench runs directly before the measured calls, because the speed of a disk changes over time.
        const transactions = hasPgbench ? yield* Effect.promise(() => runPgbench(server, clients)) : null
        const figure = {
          clients,
          accounts: count,
          charges: yield* measureCalls(runCharge, clients, selectedAccounts, seconds),
          pairs: yield* measureCalls(runPair, clients, selectedAccounts, seconds),
          transactions
        }
        figures.push(figure)
        console.log(
          `${clients} clients, ${format(count)} accounts: ${format(figure.charges)} charges/s, ` +
            `${format(figure.pairs)} pairs/s` +
            (transactions === null
              ? ""
              : `, pgbench -N ${format(transactions)}/s, ratios ${formatRatio(figure.charges, figure)} and ` +
                formatRatio(figure.pairs, figure))
        )
      }
    }
    return figures
  })

const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
try {
  const client = layerMigrations.pipe(Layer.provideMerge(layerPostgres({ url: server.url })))
  const layer = Ledger.layer.pipe(Layer.provideMerge(PgStores.pipe(Layer.provideMerge(client))))
  const figures = await Effect.runPromise(Effect.provide(measure(server), layer))
  if (!isProfile && !isQuick) writeSection("ledger", makeSection(figures))
} finally {
  await server.stop()
}
