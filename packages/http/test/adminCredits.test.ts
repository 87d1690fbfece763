import { assert, layer } from "@effect/vitest"
import { Ledger, LedgerStore } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { issuePathsOf, layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"

type Options = NonNullable<Parameters<typeof sendRequest>[2]>

const sendAdmin = (method: string, path: string, options: Options = {}) =>
  sendRequest(method, `/admin/v1${path}`, { key: testAdminToken, ...options })

const adjust = (account: number, body: object, options: Options = {}) =>
  sendAdmin("POST", `/accounts/${account}/adjustments`, { body: { reason: "an outage", ...body }, ...options })

const readEvents = (account: number) =>
  Effect.map(
    sendAdmin("GET", `/events?account=${account}&type=credits.adjusted`),
    ({ body }): ReadonlyArray<Record<string, unknown>> => body.events
  )

/** Calls a tool, and returns the id of the call. */
const callTool = (key: string) =>
  Effect.map(
    sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } }),
    ({ headers }) => headers.get("tapeline-call-id")!
  )

const reserve = (account: number) =>
  Effect.gen(function*() {
    const admission = yield* (yield* Ledger).reserve({
      account,
      actor: { _tag: "Task", task: 3 },
      tool: "agent.answer",
      credits: 20,
      ttlMs: 60_000,
      idempotency: null
    })
    assert(admission._tag === "Admitted")
    return admission.reservation
  })

layer(layerTestServer(), { excludeTestServices: true })("adjustments of credits in the admin API", (it) => {
  it.effect("grants credits to several months, lists them in pages, and shows them to the user without the reason", () =>
    Effect.gen(function*() {
      const { account: { id }, key } = yield* createKeyedAccount()
      const { body, status } = yield* adjust(id, {
        kind: "grant",
        amount: 50,
        month: "2031-11",
        months: 2,
        reference: "ticket 7"
      })
      assert.strictEqual(status, 200)
      const [first, second] = body.adjustments
      const granted = { kind: "grant", amount: 50, call_id: null, reason: "an outage", reference: "ticket 7" }
      assert.deepStrictEqual([first, second], [
        { id: first.id, month: "2031-11", ...granted, created_at: first.created_at },
        { id: second.id, month: "2031-12", ...granted, created_at: first.created_at }
      ])
      assert.strictEqual(body.month, "2031-11")
      assert.deepStrictEqual(body.credits, { allotted: 60_000, adjusted: 50, used: 0, reserved: 0, left: 60_050 })
      const path = `/accounts/${id}/adjustments`
      const page = (yield* sendAdmin("GET", `${path}?limit=1`)).body
      assert.deepInclude(page, { adjustments: [first], next_cursor: first.id })
      const rest = (yield* sendAdmin("GET", `${path}?limit=1&cursor=${page.next_cursor}`)).body
      assert.deepInclude(rest, { adjustments: [second], next_cursor: null })
      assert.deepStrictEqual((yield* sendAdmin("GET", `${path}?month=2031-12`)).body.adjustments, [second])
      const usage = (yield* sendRequest("GET", "/v1/usage?month=2031-12", { key })).body
      const { created_at, id: adjustment } = second
      assert.deepStrictEqual(usage.adjustments, [
        { id: adjustment, kind: "grant", amount: 50, call_id: null, reference: "ticket 7", created_at }
      ])
      assert.strictEqual(usage.credits.adjusted, 50)
      const [event, ...others] = yield* readEvents(id)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(event, {
        actor: "admin",
        target: `adjustment ${first.id}`,
        before: { month: "2031-11", adjusted: 0 },
        after: {
          month: "2031-11",
          adjusted: 50,
          kind: "grant",
          amount: 50,
          months: 2,
          adjustments: [first.id, second.id],
          reason: "an outage",
          reference: "ticket 7",
          call_id: null
        }
      })
    }))

  it.effect("refunds a call of the list of calls once, whole or in part", () =>
    Effect.gen(function*() {
      const { account: { id }, key, record } = yield* createKeyedAccount()
      const [older, newer] = [yield* callTool(key), yield* callTool(key)]
      const running = yield* reserve(id)
      const path = `/accounts/${id}/calls`
      const { calls, next_cursor } = (yield* sendAdmin("GET", `${path}?limit=2`)).body
      assert.deepStrictEqual(calls.map((call: Record<string, unknown>) => [call["state"], call["actor"]]), [
        ["reserved", "task 3"],
        ["settled", `key ${record.id}`]
      ])
      assert.deepInclude(calls[1], { call_id: newer, operation: "test_price", credits: 1, refund: null })
      assert.isNull(calls[0].ended_at)
      const oldest = (yield* sendAdmin("GET", `${path}?limit=2&cursor=${next_cursor}`)).body
      assert.deepStrictEqual([oldest.calls.length, oldest.calls[0].call_id, oldest.next_cursor], [1, older, null])
      const refunded = yield* adjust(id, { kind: "refund", call_id: older })
      const [{ amount, call_id, id: adjustment }] = refunded.body.adjustments
      assert.deepStrictEqual([refunded.status, amount, call_id], [200, 1, older])
      assert.deepStrictEqual(refunded.body.credits.adjusted, 1)
      const again = yield* adjust(id, { kind: "refund", call_id: older })
      assert.deepStrictEqual([again.status, again.body.code, again.body.adjustment_id], [
        409,
        "call_already_refunded",
        adjustment
      ])
      assert.include(again.body.detail, `adjustment ${adjustment}`)
      const listed = (yield* sendAdmin("GET", path)).body.calls
      assert.deepStrictEqual(listed[2].refund, { adjustment, amount: 1 })
      const exceeding = yield* adjust(id, { kind: "refund", call_id: newer, amount: 2 })
      assert.deepStrictEqual([exceeding.status, exceeding.body.code, exceeding.body.charged], [
        409,
        "refund_exceeds_charge",
        1
      ])
      assert.include(exceeding.body.detail, "charged 1")
      const callId = `call_${running.month.replace("-", "")}_${running.entry}`
      const early = yield* adjust(id, { kind: "refund", call_id: callId })
      assert.deepStrictEqual([early.status, early.body.code], [409, "call_not_charged"])
      const other = yield* createKeyedAccount()
      for (const [account, call] of [[id, "call_203111_987654321"], [other.account.id, newer]] as const) {
        const unknown = yield* adjust(account, { kind: "refund", call_id: call })
        assert.deepStrictEqual([unknown.status, unknown.body.code], [404, "not_found"])
        assert.include(unknown.body.detail, call)
      }
      assert.strictEqual((yield* readEvents(id)).length, 1)
      assert.deepStrictEqual(yield* readEvents(other.account.id), [])
    }))

  it.effect("corrects a month below its used credits only with `allow_negative`", () =>
    Effect.gen(function*() {
      const { account: { id }, key } = yield* createKeyedAccount()
      yield* callTool(key)
      const low = yield* adjust(id, { kind: "correction", amount: -60_000 })
      assert.deepStrictEqual([low.status, low.body.code, low.body.credits_left], [409, "credits_too_low", 59_999])
      assert.include(low.body.detail, "59999")
      assert.include(low.body.detail, "allow_negative")
      const made = yield* adjust(id, { kind: "correction", amount: -60_000, allow_negative: true })
      assert.deepInclude(made.body.credits, { adjusted: -60_000, left: 0 })
      assert.strictEqual((yield* readEvents(id)).length, 1)
    }))

  it.effect("adjusts once for repeated requests with one idempotency key, also for concurrent requests", () =>
    Effect.gen(function*() {
      const { account: { id } } = yield* createKeyedAccount()
      const headers = { "idempotency-key": `grant ${id}` }
      const grant = adjust(id, { kind: "grant", amount: 5 }, { headers })
      const [first, ...others] = yield* Effect.all(Array.from({ length: 8 }, () => grant), { concurrency: 8 })
      assert.strictEqual(first!.status, 200)
      for (const other of others) assert.deepStrictEqual(other.body, first!.body)
      assert.strictEqual(
        (yield* adjust(id, { kind: "grant", amount: 6 }, { headers })).body.code,
        "idempotency_key_reused"
      )
      const { body: list } = yield* sendAdmin("GET", `/accounts/${id}/adjustments`)
      assert.strictEqual(list.adjustments.length, 1)
      const { body: repeated } = yield* sendAdmin("GET", `/accounts/${id}/adjustments?month=${list.month}`)
      assert.deepStrictEqual(repeated.credits, list.credits)
      assert.strictEqual(
        list.credits.left,
        list.credits.allotted + list.credits.adjusted - list.credits.used - list.credits.reserved
      )
      assert.strictEqual((yield* readEvents(id)).length, 1)
      assert.strictEqual((yield* (yield* LedgerStore).balance(id, null))?.adjusted, 5)
    }))

  it.effect("rejects invalid requests with an issue, and changes nothing", () =>
    Effect.gen(function*() {
      const { account: { id } } = yield* createKeyedAccount()
      const invalid: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{ kind: "grant" }, ["amount"]],
        ...[0, -1, 1.5, 1e15 + 1].map((amount) => [{ kind: "grant", amount }, ["amount"]] as const),
        [{ kind: "grant", amount: 1, months: 121 }, ["months"]],
        [{ kind: "grant", amount: 1, month: "2031-13" }, ["month"]],
        [{ kind: "grant", amount: 1, month: "1999-12" }, ["month"]],
        [{ kind: "grant", amount: 1, month: "2999-12", months: 2 }, ["amount"]],
        [{ kind: "grant", amount: 1, allow_negative: true }, ["allow_negative"]],
        [{ kind: "grant", amount: 1, reason: "" }, ["reason"]],
        [{ kind: "grant", amount: 1, reason: "a\u0000b" }, ["reason"]],
        [{ kind: "grant", amount: 1, reference: "\ud800" }, ["reference"]],
        [{ kind: "correction", amount: 0 }, ["amount"]],
        [{ kind: "refund" }, ["call_id"]],
        [{ kind: "refund", call_id: "call_203113_1" }, ["call_id"]],
        [{ kind: "refund", call_id: "4711" }, ["call_id"]],
        [{ kind: "gift", amount: 1 }, []],
        [{ amount: 1 }, []]
      ]
      for (const [body, path] of invalid) {
        const rejected = yield* adjust(id, body)
        assert.deepStrictEqual([rejected.status, issuePathsOf(rejected)], [400, [path]], JSON.stringify(body))
      }
      assert.include((yield* adjust(id, { kind: "gift" })).body.issues[0].message, "`grant`, `refund` or `correction`")
      yield* adjust(id, { kind: "grant", amount: 1e15 })
      const beyond = yield* adjust(id, { kind: "grant", amount: 1 })
      assert.deepStrictEqual([beyond.status, issuePathsOf(beyond)], [400, [["amount"]]])
      assert.strictEqual((yield* readEvents(id)).length, 1)
      for (const path of ["adjustments", "calls"]) {
        assert.strictEqual((yield* sendAdmin("GET", `/accounts/999999/${path}`)).status, 404)
        assert.strictEqual((yield* sendAdmin("GET", `/accounts/${id}/${path}?month=2031-13`)).status, 400)
        assert.strictEqual((yield* sendAdmin("GET", `/accounts/${id}/${path}?limit=0`)).status, 400)
      }
      assert.strictEqual((yield* adjust(999_999, { kind: "grant", amount: 1 })).status, 404)
    }))
})
