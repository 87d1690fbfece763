import { assert, layer } from "@effect/vitest"
import { type Actor, Administration, KeyStore, Ledger, LedgerStore } from "@tapeline/core"
import { StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import { csvLine } from "../src/csv.ts"
import { issuePathsOf, layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"

const report = (query: string, headers: Record<string, string> = {}) =>
  sendRequest("GET", `/admin/v1/usage${query}`, { key: testAdminToken, headers })

/** Makes calls of an account, and settles them. Each call costs one credit and has an operation of its own. */
const settleCalls = Effect.fnUntraced(
  function*(account: number, actor: Actor, operations: ReadonlyArray<string>, at: number) {
    const store = yield* LedgerStore
    const admissions = yield* store.reserve(
      operations.map((tool) => ({ account, actor, tool, credits: 1, ttlMs: 60_000, idempotency: null })),
      { at }
    )
    yield* store.end(
      admissions.map((admission) => {
        assert(admission._tag === "Admitted")
        return { reservation: admission.reservation, outcome: { _tag: "Settle", response: null } } as const
      }),
      { at: at + 1 }
    )
  }
)

const newAccount = (externalId?: string) =>
  Effect.flatMap(
    Administration,
    (administration) => administration.createAccount({ name: "customer", plan: "pro", externalId })
  )

const newKey = (account: number, name: string) =>
  Effect.flatMap(KeyStore, (keys) =>
    keys.createKey({
      account,
      name,
      prefix: "tl_live_abcd",
      hash: `${account}${name}`.padEnd(64, "0"),
      scopes: [],
      expiresAt: null,
      limit: 10,
      now: null
    }))

const june = Date.UTC(2031, 5, 1)
const dayMs = 86_400_000
const session = { _tag: "Session", session: 1 } as const

layer(layerTestServer(), { excludeTestServices: true })("GET /admin/v1/usage", (it) => {
  it.effect("returns the lines of a month in any grouping, and pages that add up to the used credits", () =>
    Effect.gen(function*() {
      const { id } = yield* newAccount("customer-17")
      const key = yield* newKey(id, "laptop")
      yield* settleCalls(id, { _tag: "Key", key: key.id }, ["get_price", "get_book"], june)
      yield* settleCalls(id, session, ["get_price"], june + dayMs)
      yield* settleCalls(id, session, ["get_price"], june + 30 * dayMs)
      const totals = (calls: number) => ({ calls, failed: 0, credits: calls })
      assert.deepStrictEqual((yield* report(`?month=2031-06&account=${id}`)).body, {
        lines: [{ account: id, external_id: "customer-17", ...totals(3) }],
        final: false,
        next_cursor: null
      })
      assert.deepStrictEqual((yield* report(`?from=2031-06-02&to=2031-07-01&account=${id}&group_by=`)).body.lines, [
        totals(2)
      ])
      assert.deepStrictEqual((yield* report(`?month=2031-06&group_by=key&key=${key.id}`)).body.lines, [
        { account: id, external_id: "customer-17", caller: "key", key: key.id, key_name: "laptop", ...totals(2) }
      ])
      const lines: Array<unknown> = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const query: string = cursor === "" ? "" : `&cursor=${cursor}`
        const page = yield* report(`?month=2031-06&account=${id}&group_by=day,operation&limit=1${query}`)
        assert.strictEqual(page.status, 200)
        lines.push(...page.body.lines)
        cursor = page.body.next_cursor
      }
      const month = "2031-06"
      assert.deepStrictEqual(lines, [
        { month, day: "2031-06-01", operation: "get_book", ...totals(1) },
        { month, day: "2031-06-01", operation: "get_price", ...totals(1) },
        { month, day: "2031-06-02", operation: "get_price", ...totals(1) }
      ])
      assert.strictEqual((yield* (yield* LedgerStore).balance(id, month))?.used, 3)
    }))

  it.effect("returns the current month by default, and a past month as final", () =>
    Effect.gen(function*() {
      const { id } = yield* newAccount()
      yield* settleCalls(id, session, ["get_price"], Date.now())
      yield* settleCalls(id, session, ["get_price"], Date.UTC(2021, 0, 5))
      assert.strictEqual((yield* report(`?account=${id}`)).body.lines[0].calls, 1)
      assert.strictEqual((yield* report(`?account=${id}&to=2021-01-31`)).body.final, true)
      assert.strictEqual((yield* report(`?account=${id}&from=2021-01-01`)).body.lines[0].calls, 2)
    }))

  it.effect("returns CSV of all lines for `format=csv` and for `accept: text/csv`", () =>
    Effect.gen(function*() {
      const { id } = yield* newAccount("=cmd|' /C calc'!A0")
      const key = yield* newKey(id, "a \"quoted\", name")
      yield* settleCalls(id, { _tag: "Key", key: key.id }, ["get_price"], june)
      yield* settleCalls(id, session, ["get_price"], june)
      const csv = yield* report(`?month=2031-06&account=${id}&group_by=day,key,operation&format=csv`)
      assert.match(csv.headers.get("content-type")!, /^text\/csv/)
      assert.strictEqual(
        csv.text,
        "account,external_id,month,day,caller,key,key_name,operation,calls,failed,credits\r\n" +
          `${id},"'=cmd|' /C calc'!A0",2031-06,2031-06-01,session,,,get_price,1,0,1\r\n` +
          `${id},"'=cmd|' /C calc'!A0",2031-06,2031-06-01,key,${key.id},"a ""quoted"", name",get_price,1,0,1\r\n`
      )
      const accepted = yield* report(`?month=2031-06&account=${id}`, { accept: "text/csv" })
      assert.strictEqual(
        accepted.text,
        `account,external_id,calls,failed,credits\r\n${id},"'=cmd|' /C calc'!A0",2,0,2\r\n`
      )
      const json = yield* report(`?account=${id}&format=json`, { accept: "text/csv" })
      assert.match(json.headers.get("content-type")!, /json/)
    }))

  it.effect("returns a CSV report that is longer than one page of the store", () =>
    Effect.gen(function*() {
      const { id } = yield* newAccount()
      const operations = Array.from({ length: 2_500 }, (_, i) => `tool_${String(i).padStart(4, "0")}`)
      yield* settleCalls(id, session, operations, june)
      const csv = yield* report(`?month=2031-06&account=${id}&group_by=operation&format=csv`)
      assert.deepStrictEqual(
        csv.text.trimEnd().split("\r\n"),
        ["operation,calls,failed,credits", ...operations.map((operation) => `${operation},1,0,1`)]
      )
    }))

  it.effect("breaks off a CSV response that the store cannot complete, so that no reader takes it as complete", () =>
    Effect.gen(function*() {
      const { id } = yield* newAccount()
      yield* settleCalls(id, session, Array.from({ length: 1_500 }, (_, i) => `tool_${i}`), june)
      const ledger = yield* Ledger
      const { usageReport } = ledger
      let reads = 0
      Object.assign(ledger, {
        usageReport: (query: Parameters<typeof usageReport>[0]) =>
          ++reads === 2
            ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") }))
            : usageReport(query)
      })
      const failed = yield* Effect.exit(
        report(`?month=2031-06&account=${id}&group_by=operation&format=csv`)
      ).pipe(Effect.ensuring(Effect.sync(() => Object.assign(ledger, { usageReport }))))
      assert.strictEqual(failed._tag, "Failure")
      assert.strictEqual(reads, 2)
    }))

  it.effect("rejects invalid parameters with an issue, and requests without the admin token", () =>
    Effect.gen(function*() {
      const invalid = {
        "?month=2031-13": "month",
        "?month=2031-06&from=2031-06-01": "month",
        "?from=2031-02-30": "from",
        "?from=2031-06-02&to=2031-06-01": "to",
        "?group_by=account,plan": "group_by",
        "?cursor=abc": "cursor",
        "?cursor=WzEsMiwzXQ": "cursor",
        "?format=csv&limit=5": "limit",
        "?format=csv&cursor=abc": "cursor",
        "?format=xml": "format",
        "?plan=pro": "plan"
      }
      for (const [query, path] of Object.entries(invalid)) {
        const rejected = yield* report(query)
        assert.deepStrictEqual([rejected.status, issuePathsOf(rejected)], [400, [[path]]], query)
      }
      assert.strictEqual((yield* sendRequest("GET", "/admin/v1/usage")).status, 401)
    }))

  it("quotes each text that a spreadsheet would run as a formula", () => {
    assert.strictEqual(
      csvLine(["=1", "+1", "-1", "@a", "\ta", "\ra", "a=1", "a,b", "a\"b", "a\nb", 5, null]),
      "\"'=1\",\"'+1\",\"'-1\",\"'@a\",\"'\ta\",\"'\ra\",a=1,\"a,b\",\"a\"\"b\",\"a\nb\",5,\r\n"
    )
  })
})
