import { PgClient } from "@effect/sql-pg"
import { assert, layer, type Vitest } from "@effect/vitest"
import {
  AccountDataStore,
  AdminStore,
  type ErasureStep,
  type ExportedRow,
  type ExportPage,
  type ExportReader
} from "@tapeline/core/engine"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Exit, Latch } from "effect"
import { exportedTables, pageSql } from "../src/access/accountExport.ts"
import { accountTables } from "../src/access/accountTables.ts"
import { findText, insertAccountRows } from "./support/accountRows.ts"
import { makeFreshPglite, makeFreshPostgres, type Stores, withStores } from "./support/databases.ts"

const options = { settleMs: 0, maxRows: 4, backupDays: 30 }

const runStep = Effect.flatMap(
  Effect.all([AdminStore, AccountDataStore]),
  ([adminStore, store]) => adminStore.transact(store.continueErasure(options))
)

/** Runs a step and rolls it back, like a crash before the commit. */
const crashInStep = Effect.flatMap(
  Effect.all([AdminStore, AccountDataStore]),
  ([adminStore, store]) =>
    Effect.exit(adminStore.transact(Effect.andThen(store.continueErasure(options), Effect.die("crash"))))
)

const eraseAccount = Effect.fnUntraced(function*(account: number, beforeStep: Effect.Effect<unknown, never, never>) {
  const store = yield* AccountDataStore
  yield* store.requestErasure(account, "admin")
  assert.isTrue(yield* store.hasDueErasure)
  const steps: Array<ErasureStep> = []
  for (;;) {
    yield* beforeStep
    const step = yield* runStep
    // Another test may have left an erasure of another account.
    if (step === null || step.account !== account) continue
    steps.push(step)
    if (step._tag === "Finished") return { steps, report: step.report! }
  }
})

const exportRows = Effect.fnUntraced(function*(account: number, kind: string, reader: ExportReader) {
  const store = yield* AccountDataStore
  const rows: Array<ExportedRow> = []
  for (let after: string | null = null;;) {
    const page: ExportPage = yield* store.exportPage({ account, kind, reader, after })
    rows.push(...page.rows)
    if (page.next === null) return rows
    after = page.next
  }
})

const countRows = Effect.fnUntraced(function*(account: number) {
  const sql = yield* PgClient.PgClient
  const counts: Record<string, number> = {}
  for (const { account: column, kind, table } of accountTables) {
    if (column === null) continue
    const [row] = yield* sql.unsafe<{ readonly rows: number }>(
      `select count(*)::integer as rows from ${table} where ${column} = ${account}`
    )
    counts[kind] = row!.rows
  }
  return counts
})

type Tests = Vitest.MethodsNonLive<Stores | PgClient.PgClient>

const testExport = (it: Tests) =>
  it.effect("is exported completely, in pages, without hashes, and for users without the operator's data", () =>
    Effect.gen(function*() {
      const [account, marker] = [901, "m4rkerOfExport"]
      const inserted = yield* insertAccountRows(account, marker, 9)
      yield* insertAccountRows(902, "otherAccount", 2)
      const store = yield* AccountDataStore
      for (const { columns, kind, omitted = {}, operatorColumns = [] } of accountTables) {
        if (columns === null) {
          assert.notInclude(store.exportKinds, kind)
          continue
        }
        const rows = yield* exportRows(account, kind, "operator")
        assert.strictEqual(rows.length, inserted[kind] ?? 0, kind)
        for (const row of rows) assert.sameMembers(Object.keys(row), Object.keys(columns), kind)
        const text = JSON.stringify(rows)
        assert.notInclude(text, "otherAccount")
        for (const column of Object.keys(omitted)) assert.notInclude(text, `${marker} ${kind} ${column} `)
        const own = yield* exportRows(account, kind, "owner")
        assert.strictEqual(own.length, rows.length, kind)
        for (const column of operatorColumns) assert.notProperty(own[0], column)
      }
      const [message] = yield* exportRows(account, "message", "operator")
      assert.deepInclude(message, {
        body: { text: `${marker} messages body 0` },
        created_at: "1970-01-01T00:00:00.001Z"
      })
      const [image] = yield* exportRows(account, "message_image", "operator")
      assert.include(Buffer.from(JSON.stringify(image!["bytes"]), "base64").toString(), marker)
    }))

interface PlanNode {
  readonly "Node Type": string
  readonly Plans?: ReadonlyArray<PlanNode>
}

const nodeTypes = (node: PlanNode): ReadonlyArray<string> => [
  node["Node Type"],
  ...(node.Plans ?? []).flatMap(nodeTypes)
]

const testExportPlans = (it: Tests) =>
  it.effect("is exported in the order of an index, so that a page does not sort the rest of the rows", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const explain = Effect.fnUntraced(function*(text: string) {
        yield* sql`set local enable_seqscan = off`
        yield* sql`set local enable_bitmapscan = off`
        const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": unknown }>(`explain (format json) ${text}`).unprepared
        const plan = row!["QUERY PLAN"]
        // The cast is correct, because PostgreSQL returns one plan for one statement.
        const [{ Plan }] = (typeof plan === "string" ? JSON.parse(plan) : plan) as [{ readonly Plan: PlanNode }]
        return nodeTypes(Plan)
      })
      // The keys of sign-in links and identities do not begin with the account, because an account has few of both.
      const tables = exportedTables.filter(({ table }) => !["sign_in_links", "identities"].includes(table))
      assert.isAbove(tables.length, 20)
      for (const table of tables) {
        const values = ["1", "200", ...Object.keys(table.key).map(() => "'1'")]
        const text = pageSql(table, "owner", values.length > 2).replace(/\$(\d+)/g, (_, n) => values[Number(n) - 1]!)
        assert.notInclude(yield* sql.withTransaction(explain(text)), "Sort", table.table)
      }
    }))

const testServiceEvents = (it: Tests) =>
  it.effect("loses the user's address and request in events of the service, and keeps those of operators", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      for (const actor of ["service", "admin"]) {
        yield* sql`insert into events (time, type, actor, account, request_id, address)
          values (1, 'account.created', ${actor}, 941, 'request', '203.0.113.7')`
      }
      yield* eraseAccount(941, Effect.void)
      assert.deepStrictEqual(
        yield* sql`select actor, request_id, address from events where account = 941 order by actor`,
        [{ actor: "admin", request_id: "request", address: "203.0.113.7" }, {
          actor: "service",
          request_id: null,
          address: null
        }]
      )
    }))

const testSteps = (it: Tests) =>
  it.effect("leaves no text behind, and the report counts each row once, if a process crashes in every step", () =>
    Effect.gen(function*() {
      const [account, marker, other] = [911, "m4rkerOfErasure", 912]
      const inserted = yield* insertAccountRows(account, marker, 3)
      yield* insertAccountRows(other, "otherMarker", 2)
      const others = [yield* findText("otherMarker"), yield* countRows(other)]
      assert.isAbove((yield* findText(marker)).length, 25)
      const crash = Effect.provide(crashInStep, yield* Effect.context<AdminStore | AccountDataStore>())
      const { report, steps } = yield* eraseAccount(
        account,
        Effect.tap(crash, (exit) => Effect.sync(() => assert.isTrue(Exit.isFailure(exit))))
      )
      assert.isAbove(steps.length, 10)
      assert.deepStrictEqual(yield* findText(marker), [])
      assert.deepStrictEqual([yield* findText("otherMarker"), yield* countRows(other)], others)
      for (const { deleted, kept, kind, reason, redacted } of report.kinds) {
        const { erasure } = accountTables.find((table) => table.kind === kind)!
        const rows = inserted[kind] ?? 0
        switch (erasure.action) {
          case "delete":
            assert.deepStrictEqual([kind, deleted, redacted, kept, reason], [kind, rows, 0, 0, null])
            break
          case "redact":
            assert.deepStrictEqual([kind, deleted, redacted, kept], [kind, 0, rows, rows])
            break
          case "keep":
            assert.deepStrictEqual([kind, deleted, redacted, kept], [kind, 0, 0, kind === "erasure" ? 1 : rows])
        }
        assert.strictEqual(reason === null, erasure.action === "delete")
      }
      assert.strictEqual(report.leavesBackupsAt! - report.finishedAt!, 30 * 86_400_000)
      const store = yield* AccountDataStore
      assert.deepStrictEqual(yield* store.erasure(account), report)
      const [entry] = yield* exportRows(account, "entry", "operator")
      assert.deepInclude(entry, { tool: "get_price", credits: 1, idempotency_key: null })
    }))

const testWaiting = (it: Tests) =>
  it.effect("waits for answers and for calls that hold a reservation", () =>
    Effect.gen(function*() {
      const [account, marker] = [921, "m4rkerOfWaiting"]
      const sql = yield* PgClient.PgClient
      const store = yield* AccountDataStore
      yield* insertAccountRows(account, marker, 1)
      const awaitStep = Effect.gen(function*() {
        yield* sql`update erasures set check_at = 0 where account = ${String(account)}::bigint`
        return yield* runStep
      })
      yield* sql`update generations set state = 'running' where account = ${String(account)}::bigint`
      yield* store.requestErasure(account, "admin")
      assert.deepStrictEqual(yield* awaitStep, { _tag: "Waiting", account })
      yield* sql`update generations set state = 'closed' where account = ${String(account)}::bigint`
      yield* sql`update credit_months set reserved = 1 where account = ${String(account)}::bigint`
      assert.deepStrictEqual(yield* awaitStep, { _tag: "Waiting", account })
      assert.isNotEmpty(yield* findText(marker))
      yield* sql`update credit_months set reserved = 0 where account = ${String(account)}::bigint`
      assert.strictEqual((yield* awaitStep)?._tag, "Erased")
    }))

const testBlockedErasure = (it: Tests) =>
  it.effect("continues for other accounts while the steps of one account fail", () =>
    Effect.gen(function*() {
      const [blocked, other] = [951, 952]
      const sql = yield* PgClient.PgClient
      const store = yield* AccountDataStore
      yield* insertAccountRows(blocked, "blocked", 1)
      yield* insertAccountRows(other, "other", 1)
      yield* store.requestErasure(blocked, "admin")
      yield* store.requestErasure(other, "admin")
      const isLocked = yield* Latch.make(false)
      const holdRows = sql.withTransaction(
        Effect.andThen(sql`select from journal_notes where account = ${blocked} for update`, () =>
          Effect.andThen(isLocked.open, Effect.never))
      )
      yield* Effect.forkChild(holdRows)
      yield* isLocked.await
      const isFinished = Effect.map(store.erasure(other), (report) =>
        report?.finishedAt !== null)
      for (let steps = 0; steps < 50 && !(yield* isFinished); steps++) yield* Effect.exit(runStep)
      assert.isTrue(yield* isFinished)
      assert.isNull((yield* store.erasure(blocked))!.finishedAt)
    }), 90_000)

const testLateWrites = (it: Tests) =>
  it.effect("is erased again if it was written after the end, by a later check or a repeated request", () =>
    Effect.gen(function*() {
      const [account, marker] = [931, "m4rkerOfLateWrite"]
      const sql = yield* PgClient.PgClient
      yield* insertAccountRows(account, "early", 1)
      const first = (yield* eraseAccount(account, Effect.void)).report
      const writeLate = sql`insert into journal_notes (account, id, text, written_at)
          values (${String(account)}::bigint, 1, ${JSON.stringify(marker)}, 1)`
      yield* writeLate
      assert.deepStrictEqual(yield* findText(marker), ["journal_notes: 1"])
      const { report, steps } = yield* eraseAccount(account, Effect.void)
      assert.deepStrictEqual(steps.map(({ _tag }) => _tag), ["Erased", "Finished"])
      assert.deepStrictEqual(yield* findText(marker), [])
      const countNotes = ({ kinds }: typeof report) => kinds.find(({ kind }) => kind === "note")!.deleted
      assert.strictEqual(countNotes(report), countNotes(first) + 1)
      assert.isAtLeast(report.finishedAt!, first.finishedAt!)
      const readPause = Effect.map(
        sql<{ readonly pause: number }>`select (check_at - finished_at)::float8 as pause from erasures
          where account = ${String(account)}::bigint`,
        ([row]) => row!.pause
      )
      assert.strictEqual(yield* readPause, 60_000)
      // The later checks of other tests' accounts may be due, too.
      yield* sql`update erasures set
        check_at = case when account = ${String(account)}::bigint then 0 else check_at + 86400000 end`
      assert.deepStrictEqual(yield* runStep, { _tag: "Finished", account, report: null })
      assert.isAtLeast(yield* readPause, 600_000)
    }))

const makeStores = (client: ReturnType<typeof makeFreshPglite>) => withStores(client)

const testErasure = (name: string, stores: ReturnType<typeof makeStores>, canLock: boolean) =>
  layer(stores, { excludeTestServices: true })(`the account data on ${name}`, (it) => {
    testExport(it)
    testExportPlans(it)
    testServiceEvents(it)
    testSteps(it)
    testWaiting(it)
    testLateWrites(it)
    if (canLock) testBlockedErasure(it)
  })

testErasure("PostgreSQL", makeStores(makeFreshPostgres()), true)
if (isFullRun) testErasure("PGlite", makeStores(makeFreshPglite()), false)
