import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runCli } from "./support/cli.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/process.ts"
import { adminToken, callAdminApi, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

const fromPage = { "sec-fetch-site": "same-origin", "x-tapeline-console": "1" }

/**
 * Records every update and deletion of events. In the test, only an erasure may update events, and nothing may delete
 * events.
 */
const watchEvents = ({ sql }: TestDatabase) =>
  sql((sql) =>
    Effect.gen(function*() {
      yield* sql.unsafe("create table event_changes (op text not null, type text not null)").unprepared
      yield* sql.unsafe(`create function watch_events() returns trigger language plpgsql as $$
        begin
          insert into event_changes values (tg_op, old.type);
          return coalesce(new, old);
        end $$`).unprepared
      yield* sql.unsafe(`create trigger watch_events before update or delete on events
        for each row execute function watch_events()`).unprepared
    })
  )

const eventChanges = ({ sql }: TestDatabase) =>
  sql((sql) =>
    sql<{ readonly op: string; readonly type: string }>`select distinct op, type from event_changes order by 1, 2`
  )

/** Returns the tables that contain a text in any column: `table: rows`. */
const findText = ({ sql }: TestDatabase, text: string) =>
  sql((sql) =>
    Effect.gen(function*() {
      const tables = yield* sql<{ readonly name: string }>`select oid::regclass::text as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`
      const found: Array<string> = []
      for (const { name } of tables) {
        const [row] = yield* sql.unsafe<{ readonly rows: number }>(
          `select count(*)::integer as rows from ${name} t
            where t::text like '%${text}%' or t::text like '%${Buffer.from(text).toString("hex")}%'`
        )
        if (row!.rows > 0) found.push(`${name}: ${row!.rows}`)
      }
      return found
    })
  )

const parseLines = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text.trimEnd().split("\n").map((line) => JSON.parse(line))

/** Creates a customer whose name, metadata, keys, device, questions and notes contain a marker. */
const createCustomer = Effect.fnUntraced(function*(server: ServerProcess, marker: string) {
  const { id }: { readonly id: number } = yield* callAdminApi(server, "POST", "/accounts", {
    name: `Ada ${marker}`,
    plan: "premium",
    external_id: `customer ${marker}`,
    metadata: { contact: marker }
  })
  const issued: { readonly id: number; readonly key: string } = yield* callAdminApi(
    server,
    "POST",
    `/accounts/${id}/keys`,
    {
      name: `key ${marker}`,
      scopes: ["read:market", "read:personal", "write:personal", "agent:chat"]
    }
  )
  const { url }: { readonly url: string } = yield* callAdminApi(server, "POST", `/accounts/${id}/links`)
  const signedIn = yield* sendRequest(server, "POST", "/v1/account/sign-in", {
    body: { link: url.split("#")[1] },
    headers: { ...fromPage, "user-agent": `Browser ${marker}` }
  })
  assert.strictEqual(signedIn.status, 200, signedIn.text)
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!
  const { key } = issued
  const call = (tool: string, body: object) =>
    sendRequest(server, "POST", `/v1/tools/${tool}`, { key, body, headers: { "idempotency-key": `${marker} ${tool}` } })
  for (
    const response of [
      yield* call("add_journal_note", { text: `note ${marker}`, coin: "BTC" }),
      yield* call("create_task", {
        title: `task ${marker}`,
        kind: "watch",
        spec: { metric: "price", symbol: "BTC", op: "cross_above", value: 900_000 }
      }),
      yield* sendRequest(server, "POST", "/v1/agent/messages", {
        key,
        body: { message: `What is the price of BTC, ${marker}?` }
      })
    ]
  ) assert.strictEqual(response.status, 200, response.text)
  return { id, key, cookie, session: signedIn.body.session.id }
})

interface Report {
  readonly state: string
  readonly finished_at: string
  readonly leaves_backups_at: string
  readonly kinds: ReadonlyArray<{ readonly kind: string; readonly deleted: number; readonly kept: number }>
}

type Customer = Effect.Success<ReturnType<typeof createCustomer>>

const marker = "m4rkerOfTheCustomer"

/** Checks the operator's export, which the command line writes to a file. */
const checkExport = Effect.fnUntraced(function*(server: ServerProcess, customer: Customer) {
  const path = join(yield* temporaryFolder, "export.jsonl")
  const exported = yield* runCli(server)("accounts", "export", String(customer.id), "--output", path)
  assert.deepStrictEqual([exported.code, exported.stderr], [0, ""])
  const lines = parseLines(readFileSync(path, "utf8"))
  const [first, last] = [lines[0]!, lines.at(-1)!]
  assert.deepInclude(first, { kind: "archive", format: "tapeline-account", version: 1, account: customer.id })
  assert.deepInclude(last, { kind: "end", lines: lines.length })
  const [kinds, counts] = [Object(first["kinds"]), Object(last["counts"])]
  for (const kind of kinds) {
    assert.strictEqual(
      counts[kind],
      lines.filter((line) => line["kind"] === kind).length
    )
  }
  assert.deepInclude(lines[1]!, {
    kind: "account",
    external_id: `customer ${marker}`,
    metadata: { contact: marker }
  })
  assert.includeMembers(lines.filter(({ kind }) => kind === "event").map(({ type }) => type), [
    "account.created",
    "key.issued",
    "session.started",
    "account.exported"
  ])
  const again = yield* runCli(server)("accounts", "export", String(customer.id), "--output", path)
  assert.strictEqual(again.code, 1)
  assert.match(again.stderr, /exists/)
  assert.strictEqual((yield* runCli(server)("accounts", "export", "999999")).code, 1)
})

/** Checks the user's own export, which omits the operator's data. */
const checkOwnExport = Effect.fnUntraced(function*(server: ServerProcess, customer: Customer) {
  const own = yield* sendRequest(server, "GET", "/v1/account/export", {
    headers: { ...fromPage, cookie: customer.cookie }
  })
  assert.deepStrictEqual([own.status, own.headers.get("content-type")], [200, "application/jsonl"])
  const ownLines = parseLines(own.text)
  assert.strictEqual(ownLines.at(-1)!["lines"], ownLines.length)
  assert.notProperty(ownLines[1], "metadata")
  assert.isTrue(ownLines.some((line) => line["kind"] === "note" && JSON.stringify(line).includes(marker)))
  assert.isFalse(ownLines.some((line) => line["kind"] === "event" && String(line["actor"]).startsWith("admin")))
  const byKey = yield* sendRequest(server, "GET", "/v1/account/export", { key: customer.key })
  assert.deepStrictEqual([byKey.status, byKey.body.code], [401, "session_required"])
})

/** Checks the events of the customer's sign-in, and that no event was changed. */
const checkEvents = Effect.fnUntraced(function*(server: ServerProcess, database: TestDatabase, customer: Customer) {
  const { events } = yield* callAdminApi(server, "GET", `/events?account=${customer.id}&limit=1000`)
  const started = events.find(({ type }: { readonly type: string }) => type === "session.started")
  assert.deepInclude(started, { actor: `session ${customer.session}`, target: `session ${customer.session}` })
  assert.deepStrictEqual(started.after, { method: "link", device: `Browser ${marker}` })
  assert.isNotNull(started.address)
  assert.isNotEmpty(yield* findText(database, marker))
  assert.deepStrictEqual(yield* eventChanges(database), [])
})

/** Erases the customer while the other node answers questions, and kills the first node. */
const eraseDuringCalls = Effect.fnUntraced(function*(one: ServerProcess, other: ServerProcess, customer: Customer) {
  const isWorking = yield* Latch.make(false)
  const ask = Effect.gen(function*() {
    for (let n = 0;; n++) {
      const { status } = yield* sendRequest(other, "POST", "/v1/agent/messages", {
        key: customer.key,
        body: { message: `What is the price of BTC, ${marker}?` },
        headers: { "idempotency-key": `${marker} ${n} ${crypto.randomUUID()}` }
      })
      yield* isWorking.open
      if (status === 401) return
    }
  })
  const callers = yield* Effect.forkChild(Effect.all([ask, ask, ask], { concurrency: "unbounded" }))
  yield* isWorking.await
  const erase = (confirm: string, server = one) =>
    sendRequest(server, "POST", `/admin/v1/accounts/${customer.id}/erase`, { key: adminToken, body: { confirm } })
  const unconfirmed = yield* erase("customer")
  assert.deepStrictEqual([unconfirmed.status, unconfirmed.body.issues[0].path], [400, ["confirm"]])
  assert.strictEqual((yield* callAdminApi(one, "GET", `/accounts/${customer.id}`)).status, "active")
  const accepted = yield* erase(`customer ${marker}`)
  assert.deepStrictEqual([accepted.status, accepted.body.state], [200, "running"])
  yield* one.kill
  yield* Fiber.join(callers)
  return yield* pollUntil(
    "the end of the erasure",
    callAdminApi(other, "GET", `/accounts/${customer.id}/erasure`),
    ({ state }: Report) => state === "finished"
  )
})

/** Checks that accounting and the audit log remain, without texts of the customer. */
const checkErased = Effect.fnUntraced(
  function*(other: ServerProcess, database: TestDatabase, customer: Customer, report: Report) {
    assert.deepStrictEqual(yield* findText(database, marker), [])
    assert.strictEqual(Date.parse(report.leaves_backups_at) - Date.parse(report.finished_at), 7 * 86_400_000)
    const kindOf = (name: string) => report.kinds.find(({ kind }) => kind === name)!
    assert.isAbove(kindOf("conversation").deleted, 0)
    assert.isAbove(kindOf("entry").kept, 0)
    assert.strictEqual(kindOf("note").deleted, 1)

    // The erasure keeps the accounting data and the audit log.
    assert.deepInclude(yield* callAdminApi(other, "GET", `/accounts/${customer.id}`), {
      name: "erased",
      external_id: null,
      metadata: {},
      status: "closed"
    })
    const after = yield* callAdminApi(other, "GET", `/events?account=${customer.id}&limit=1000`)
    const types = after.events.map(({ type }: { readonly type: string }) => type)
    assert.includeMembers(types, [
      "account.created",
      "session.started",
      "account.erasure_requested",
      "account.erased"
    ])
    assert.isTrue((yield* eventChanges(database)).every(({ op }) => op === "UPDATE"))
    // The flag `--confirm` is required, but a repeated erasure ignores its value and returns the report.
    const repeated = yield* runCli(other)("accounts", "erase", String(customer.id), "--confirm", "again", "--json")
    assert.strictEqual(repeated.code, 0, repeated.stderr)
    assert.deepInclude(JSON.parse(repeated.stdout), { state: "finished", finished_at: report.finished_at })
  }
)

describe("Exports and erasures on two nodes", () => {
  it.live(
    "export on the command line and by the user, erase during calls after a SIGKILL, and keep the audit log",
    () =>
      Effect.gen(function*() {
        const database = yield* migratedPostgres
        const start = startServer({ ...testSettings, ...database.environment, TAPELINE_BACKUP_DAYS: "7" })
        const [one, other] = yield* Effect.all([start, start], { concurrency: 2 })
        yield* watchEvents(database)
        const customer = yield* createCustomer(one, marker)
        yield* checkExport(one, customer)
        yield* checkOwnExport(other, customer)
        yield* checkEvents(one, database, customer)
        const report = yield* eraseDuringCalls(one, other, customer)
        yield* checkErased(other, database, customer, report)
      }),
    120_000
  )
})
