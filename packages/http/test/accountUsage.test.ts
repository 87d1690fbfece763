import { assert, layer } from "@effect/vitest"
import { type Actor, Ledger, LedgerStore } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { issuePathsOf, layerTestServer, sendRequest } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"

const recordPastCall = Effect.fnUntraced(
  function*(account: number, actor: Actor, tool: string, credits: number, settles: boolean, at: number) {
    const store = yield* LedgerStore
    const [admission] = yield* store.reserve(
      [{ account, actor, tool, credits, ttlMs: 60_000, idempotency: null }],
      { at }
    )
    assert(admission?._tag === "Admitted")
    const outcome = settles ? { _tag: "Settle", response: null } as const : { _tag: "Release" } as const
    yield* store.end([{ reservation: admission.reservation, outcome }], { at: at + 1 })
  }
)

const today = () => new Date().toISOString().slice(0, 10)
const price = { body: { coin: "BTC" } }
const line = (calls: number, failed: number, credits: number) => ({ calls, failed, credits })

layer(layerTestServer(), { excludeTestServices: true })("the usage of a signed-in user", (it) => {
  it.effect("is listed by day, tool and key; revoked keys keep their names", () =>
    Effect.gen(function*() {
      const { ask, key, record } = yield* signInNewUser()
      const neighbour = yield* signInNewUser()
      yield* neighbour.ask("POST", "/v1/tools/test_price", price)
      const issued =
        (yield* ask("POST", "/v1/account/keys", { body: { name: "노트북", scopes: ["read:market"] } })).body
      const from = today()
      yield* sendRequest("POST", "/v1/tools/test_price", { key, ...price })
      yield* sendRequest("POST", "/v1/tools/test_korea", { key, body: {} })
      yield* sendRequest("POST", "/v1/tools/test_price", { key: issued.key, ...price })
      yield* sendRequest("POST", "/v1/tools/test_failing", { key: issued.key, body: {} })
      yield* ask("DELETE", `/v1/account/keys/${issued.id}`)
      yield* ask("POST", "/v1/tools/test_price", price)

      const answer = yield* ask("GET", "/v1/account/usage")
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      const { credits, days, keys, month, renews_at, tools } = answer.body
      assert.deepStrictEqual(credits, { allotted: 60_000, adjusted: 0, used: 8, reserved: 0, left: 59_992 })
      assert.deepStrictEqual(tools, [
        { name: "test_korea", ...line(1, 0, 5) },
        { name: "test_price", ...line(3, 0, 3) },
        { name: "test_failing", ...line(1, 1, 0) }
      ])
      assert.deepStrictEqual(keys, [
        { kind: "key", id: record.id, name: record.name, ...line(2, 0, 6) },
        { kind: "key", id: issued.id, name: "노트북", ...line(2, 1, 1) },
        { kind: "session", id: null, name: null, ...line(1, 0, 1) }
      ])
      assert.match(renews_at, /^\d{4}-\d{2}-01T00:00:00\.000Z$/)
      // A day in the result may be yesterday, if midnight passes during the test.
      assert.isTrue(days.every(({ day }: { readonly day: string }) => from <= day && day <= today()))
      assert.strictEqual(days.reduce((sum: number, day: { readonly credits: number }) => sum + day.credits, 0), 8)
      const usage = (yield* sendRequest("GET", `/v1/usage?month=${month}`, { key })).body
      assert.deepStrictEqual([usage.tools, usage.credits], [tools, credits])
    }))

  it.effect("covers an earlier month, by the days on which calls began", () =>
    Effect.gen(function*() {
      const { account, ask, answer, record } = yield* signInNewUser()
      const lastMomentOfMay = Date.UTC(2025, 4, 30, 23, 59, 59, 999)
      const key: Actor = { _tag: "Key", key: record.id }
      yield* recordPastCall(account.id, key, "get_price", 1, true, lastMomentOfMay)
      yield* recordPastCall(
        account.id,
        { _tag: "Session", session: answer.body.session.id },
        "get_price",
        1,
        false,
        lastMomentOfMay + 1
      )
      yield* recordPastCall(account.id, { _tag: "Task", task: 3 }, "agent.answer", 20, true, lastMomentOfMay + 1)
      yield* recordPastCall(account.id, { _tag: "Task", task: 4 }, "agent.answer", 20, true, lastMomentOfMay + 2)
      yield* recordPastCall(account.id, key, "get_price", 1, true, Date.UTC(2025, 5, 1))
      assert.deepStrictEqual((yield* ask("GET", "/v1/account/usage?month=2025-05")).body, {
        month: "2025-05",
        credits: { allotted: 60_000, adjusted: 0, used: 41, reserved: 0, left: 59_959 },
        adjustments: [],
        renews_at: "2025-06-01T00:00:00.000Z",
        tools: [{ name: "agent.answer", ...line(2, 0, 40) }, { name: "get_price", ...line(2, 1, 1) }],
        days: [{ day: "2025-05-30", ...line(1, 0, 1) }, { day: "2025-05-31", ...line(3, 1, 40) }],
        keys: [
          { kind: "key", id: record.id, name: record.name, ...line(1, 0, 1) },
          { kind: "session", id: null, name: null, ...line(1, 1, 0) },
          { kind: "task", id: null, name: null, ...line(2, 0, 40) }
        ]
      })
    }))

  it.effect("includes adjustments, also those of an account with too few credits", () =>
    Effect.gen(function*() {
      const { account, ask, key } = yield* signInNewUser()
      const ledger = yield* Ledger
      const note = { account: account.id, month: null, reason: "test", reference: null }
      yield* ledger.adjust({ kind: "grant", amount: 40, months: 1, ...note })
      yield* sendRequest("POST", "/v1/tools/test_price", { key, ...price })
      const getCredits = Effect.map(
        Effect.all([ask("GET", "/v1/account/usage"), sendRequest("GET", "/v1/usage", { key })]),
        (answers) => answers.map(({ body }) => body.credits)
      )
      const granted = { allotted: 60_000, adjusted: 40, used: 1, reserved: 0, left: 60_039 }
      assert.deepStrictEqual(yield* getCredits, [granted, granted])
      yield* ledger.adjust({ kind: "correction", amount: -60_050, allowNegative: true, ...note })
      const overdrawn = { allotted: 60_000, adjusted: -60_010, used: 1, reserved: 0, left: 0 }
      assert.deepStrictEqual(yield* getCredits, [overdrawn, overdrawn])
      const { body, status } = yield* sendRequest("POST", "/v1/tools/test_price", { key, ...price })
      assert.deepStrictEqual([status, body.code, body.credits_left], [402, "over_limit", 0])
      // The account is on the plan "pro", so only the plan "premium" allows more.
      assert.deepStrictEqual(body.ways_forward[0].plans.map(({ plan }: { readonly plan: string }) => plan), ["premium"])
    }))

  it.effect("is empty for a month without calls, and a 400 for an invalid month", () =>
    Effect.gen(function*() {
      const { ask } = yield* signInNewUser()
      const empty = (yield* ask("GET", "/v1/account/usage?month=2031-05")).body
      assert.deepStrictEqual([empty.month, empty.tools, empty.days, empty.keys], ["2031-05", [], [], []])
      for (const month of ["2026-13", "1999-01", "2026-1", "now", "2026-11\u0000", ""]) {
        const rejection = yield* ask("GET", `/v1/account/usage?month=${encodeURIComponent(month)}`)
        assert.deepStrictEqual([rejection.status, rejection.body.code, issuePathsOf(rejection)], [
          400,
          "invalid_arguments",
          [["month"]]
        ])
      }
      assert.strictEqual((yield* ask("GET", "/v1/account/usage?months=2026-11")).status, 400)
    }))

  it.effect("is a 401 without a session, also with a key", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      for (const options of [{ key }, {}, { headers: { cookie: `tapeline_session=${key}` } }]) {
        const rejection = yield* sendRequest("GET", "/v1/account/usage", options)
        assert.deepStrictEqual([rejection.status, rejection.body.code], [401, "session_required"])
      }
    }))
})
