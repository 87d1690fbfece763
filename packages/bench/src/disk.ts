/**
 * Measures the bytes that a call adds to PostgreSQL's disk, without and with an idempotency key. `node src/disk.ts`
 * runs the bench; `--quick` shortens the run and omits the report.
 */
import { startPostgres } from "@tapeline/testing/postgresServer"
import { Agent, request } from "node:http"
import postgres from "postgres"
import { startTapeline } from "./call/servers.ts"
import type { ServerUnderTest } from "./load/serverUnderTest.ts"
import { runConditions, table, writeSection } from "./report.ts"

const isQuick = process.argv.includes("--quick")
const callers = 64
const calls = isQuick ? 4_000 : 30_000

const body = JSON.stringify({ coin: "BTC" })

const call = ({ url }: ServerUnderTest, agent: Agent, key: string, idempotencyKey: string | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
      ...idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }
    }
    const clientRequest = request(url, { agent, method: "POST", headers }, (response) => {
      response.resume().on(
        "end",
        () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`A call returned the status ${response.statusCode}`))
      )
    })
    clientRequest.on("error", reject).end(body)
  })

const makeCalls = async (subject: ServerUnderTest, hasIdempotencyKeys: boolean): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  let remainingCalls = calls
  const caller = async () => {
    while (remainingCalls > 0) {
      const n = --remainingCalls
      const key = subject.keys[n % subject.keys.length]!
      await call(subject, agent, key, hasIdempotencyKeys ? crypto.randomUUID() : undefined)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  agent.destroy()
}

interface DiskUsage {
  /** The bytes of credit reservations. The service keeps credit reservations for months. */
  readonly reservations: number
  /** The bytes of idempotency keys and their stored responses. The service deletes idempotency keys after a day. */
  readonly answers: number
  /**
   * The bytes of the balance tables. The number of balance rows depends on accounts, months and tools, and not on
   * calls.
   */
  readonly balances: number
  readonly log: number
  readonly transactions: number
}

const readDiskUsage = async (sql: postgres.Sql): Promise<DiskUsage> => {
  // Frees the space of rewritten rows for new rows, as in continuous operation.
  await sql.unsafe("vacuum")
  await sql.unsafe("checkpoint")
  const [row] = await sql<Array<Record<keyof DiskUsage, string>>>`
    with sizes as (
      select coalesce(pg_partition_root(oid), oid)::regclass::text as name, sum(pg_total_relation_size(oid)) as bytes
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' group by 1
    )
    select (select bytes from sizes where name = 'credit_reservations') as reservations,
      (select bytes from sizes where name = 'credit_idempotency') as answers,
      (select sum(bytes) from sizes where name in ('credit_months', 'credit_usage_days', 'request_windows'))
        as balances,
      pg_current_wal_lsn() - '0/0'::pg_lsn as log,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as transactions`
  const { answers, balances, log, reservations, transactions } = row!
  return {
    reservations: Number(reservations),
    answers: Number(answers),
    balances: Number(balances),
    log: Number(log),
    transactions: Number(transactions)
  }
}

/** Measures how many bytes one call adds to the database. The measurement starts after warm-up calls. */
const measurePerCall = async (
  sql: postgres.Sql,
  subject: ServerUnderTest,
  hasIdempotencyKeys: boolean
): Promise<DiskUsage> => {
  await makeCalls(subject, hasIdempotencyKeys)
  const before = await readDiskUsage(sql)
  await makeCalls(subject, hasIdempotencyKeys)
  const after = await readDiskUsage(sql)
  const perCallOf = (column: keyof DiskUsage): number => (after[column] - before[column]) / calls
  return {
    reservations: perCallOf("reservations"),
    answers: perCallOf("answers"),
    balances: perCallOf("balances"),
    log: perCallOf("log"),
    transactions: perCallOf("transactions")
  }
}

const makeReport = (withoutKeys: DiskUsage, withKeys: DiskUsage): string => {
  const cells = (name: string, { answers, balances, log, reservations, transactions }: DiskUsage) => [
    name,
    ...[reservations, answers, balances, log].map((bytes) => bytes.toFixed(0)),
    (1_000 * transactions).toFixed(0)
  ]
  return [
    "## Disk space of calls",
    "",
    `${runConditions(new Date())}. ${
      calls.toLocaleString("en-US")
    } calls of \`get_price\` by ${callers} callers over HTTP,`,
    "after as many calls for warm-up. The table shows bytes per call, of tables with their indexes after a vacuum, and of",
    "the write-ahead log. Reservations are kept for months, and responses of idempotency keys for a day. Balances have a",
    "row for each account, month and tool. Only writing transactions are counted.",
    "",
    table(
      [
        "calls",
        "reservations, bytes",
        "answers, bytes",
        "balances, bytes",
        "write-ahead log, bytes",
        "transactions of 1,000 calls"
      ],
      [cells("without an idempotency key", withoutKeys), cells("with an idempotency key", withKeys)]
    )
  ].join("\n")
}

const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
const running: Array<ServerUnderTest> = []
try {
  running.push(...await startTapeline(server, 1))
  const url = new URL(server.url)
  url.pathname = "/bench_tapeline"
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined })
  const subject = running[0]!
  const text = makeReport(await measurePerCall(sql, subject, false), await measurePerCall(sql, subject, true))
  await sql.end()
  console.log(text)
  if (!isQuick) writeSection("disk", text)
} finally {
  for (const subject of running) await subject.stop()
  await server.stop()
}
