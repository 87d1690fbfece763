import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { isAdminPath } from "../browser/access/adminPath.ts"
import { AdminTokenHolder } from "../browser/access/AdminTokenHolder.ts"
import { emptyDraft, readDraft } from "../browser/pages/admin/adjustmentDraft.ts"
import { listChanges } from "../browser/pages/admin/events.ts"
import { parseMetrics, sumOf } from "../browser/pages/admin/metrics.ts"
import { parseCursor, parseId } from "../browser/pages/admin/queryParameters.ts"
import { toReadiness } from "../browser/pages/admin/readiness.ts"
import { makeIdempotencyKeys } from "../browser/requests/idempotencyKeys.ts"

describe("AdminTokenHolder", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("forgets the token after the idle time without input, and not earlier", () => {
    const holder = new AdminTokenHolder(1000)
    holder.accept("secret")
    vi.advanceTimersByTime(999)
    holder.noteInput()
    vi.advanceTimersByTime(999)
    expect(holder.current()?.token).toBe("secret")
    vi.advanceTimersByTime(1)
    expect([holder.current(), holder.currentEnd()]).toEqual([undefined, "idle"])
  })

  it("forgets the token at the first input after the computer slept for the idle time", () => {
    const holder = new AdminTokenHolder(1000)
    holder.accept("secret")
    // The test advances the clock and not the timers, because timers stop while a computer sleeps.
    vi.setSystemTime(Date.now() + 1001)
    holder.noteInput()
    expect([holder.current(), holder.currentEnd()]).toEqual([undefined, "idle"])
  })

  it("keeps the token of a later sign-in if a response to an earlier token arrives late", () => {
    const holder = new AdminTokenHolder()
    holder.accept("first")
    const { signIn } = holder.current()!
    holder.forget()
    holder.accept("second")
    holder.reject(signIn)
    expect(holder.current()?.token).toBe("second")
    holder.reject(holder.current()!.signIn)
    expect([holder.current(), holder.currentEnd()]).toEqual([undefined, "rejected"])
    holder.accept("third")
    expect(holder.currentEnd()).toBeUndefined()
    holder.forget()
    expect([holder.current(), holder.currentEnd()]).toEqual([undefined, undefined])
  })

  it("notifies the listeners of each change, and has no timer without a token", () => {
    const holder = new AdminTokenHolder()
    const listener = vi.fn()
    const unsubscribe = holder.subscribe(listener)
    holder.accept("secret")
    holder.forget()
    expect([listener.mock.calls.length, vi.getTimerCount()]).toEqual([2, 0])
    unsubscribe()
    holder.accept("secret")
    expect(listener).toHaveBeenCalledTimes(2)
  })
})

it("recognises only the paths of the admin area", () => {
  expect(["/admin", "/admin/accounts/7"].map(isAdminPath)).toEqual([true, true])
  expect(["/", "/administration", "/tools/admin"].map(isAdminPath)).toEqual([false, false, false])
})

describe("An adjustment", () => {
  const valid = { ...emptyDraft, amount: "500", reason: "Welcome" }

  it("contains only the fields of its kind", () => {
    const everything = { ...valid, month: "2035-01", months: "3", callId: "call_203501_7", reference: " INV-1 " }
    expect(readDraft(everything)).toEqual({
      adjustment: { kind: "grant", amount: 500, month: "2035-01", months: 3, reason: "Welcome", reference: "INV-1" }
    })
    expect(readDraft({ ...everything, kind: "refund" })).toEqual({
      adjustment: { kind: "refund", call_id: "call_203501_7", amount: 500, reason: "Welcome", reference: "INV-1" }
    })
    expect(readDraft({ ...everything, kind: "correction", amount: "-5", allowsNegative: true })).toEqual({
      adjustment: {
        kind: "correction",
        amount: -5,
        month: "2035-01",
        allow_negative: true,
        reason: "Welcome",
        reference: "INV-1"
      }
    })
    expect(readDraft({ ...valid, kind: "refund", callId: "call_203501_7", amount: "" })).toEqual({
      adjustment: { kind: "refund", call_id: "call_203501_7", reason: "Welcome" }
    })
  })

  it("is rejected with the names of the invalid fields", () => {
    const invalidOf = (draft: object) => {
      const result = readDraft({ ...valid, ...draft })
      return "invalid" in result ? [...result.invalid] : []
    }
    expect(invalidOf({ reason: "  " })).toEqual(["reason"])
    for (const months of ["0", "121", "1.5", "x"]) expect(invalidOf({ months })).toEqual(["months"])
    for (const month of ["2035", "2035-13", "1999-01"]) expect(invalidOf({ month })).toEqual(["month"])
    expect(invalidOf({ kind: "correction", amount: "0" })).toEqual(["amount"])
    expect(invalidOf({ kind: "refund", callId: "7" })).toEqual(["callId"])
    // A separator has a different meaning in each language, so an amount with a separator is invalid.
    for (const amount of ["", "0", "-5", "1,500", "1 500", "1.5", "1e3", "9".repeat(17)]) {
      expect(invalidOf({ amount })).toEqual(["amount"])
    }
  })

  it("has exactly the typed number of credits", () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 1e15 }), (amount) => {
      expect(readDraft({ ...valid, amount: String(amount) })).toMatchObject({ adjustment: { amount } })
    }))
  })
})

describe("Idempotency keys of adjustments", () => {
  const makeKeys = () => {
    const clock = { ms: 0 }
    let count = 0
    return {
      clock,
      ...makeIdempotencyKeys(() => `key ${++count}`, () => clock.ms, {
        retentionMs: 86_400_000,
        settingCalls: new Set(["changeAccount"])
      })
    }
  }

  it("stay for the given time after a lost response, and change after a success", () => {
    const { clock, keyFor, markSucceeded } = makeKeys()
    expect(keyFor("adjustCredits", { amount: 5 })).toBe("key 1")
    clock.ms += 86_400_000
    expect(keyFor("adjustCredits", { amount: 5 })).toBe("key 1")
    clock.ms += 86_400_001
    expect(keyFor("adjustCredits", { amount: 5 })).toBe("key 2")
    markSucceeded("adjustCredits", { amount: 5 })
    expect(keyFor("adjustCredits", { amount: 5 })).toBe("key 3")
  })

  it("do not repeat a suspension whose response was lost before a later reactivation", () => {
    const { keyFor, markSucceeded } = makeKeys()
    const suspension = { id: 1, change: { status: "suspended" } }
    const lost = keyFor("changeAccount", suspension)
    keyFor("changeAccount", { id: 1, change: { status: "active" } })
    markSucceeded("changeAccount", { id: 1, change: { status: "active" } })
    expect(keyFor("changeAccount", suspension)).not.toBe(lost)
  })
})

describe("Metrics", () => {
  const text = [
    "# HELP tapeline_calls Executed tool calls",
    "# TYPE tapeline_calls counter",
    "tapeline_calls{tool=\"get_price\",outcome=\"ok\"} 3",
    "tapeline_calls{tool=\"get_score\",outcome=\"ok\"} 4 1700000000000",
    "tapeline_calls{tool=\"get_score\",outcome=\"failed\"} 1",
    "tapeline_task_sweep_lag_ms 12.5",
    "histogram_bucket{le=\"+Inf\"} +Inf",
    "not a metric line {",
    ""
  ].join("\n")

  it("are parsed with labels, without comments and invalid lines", () => {
    expect(parseMetrics(text)).toEqual([
      { name: "tapeline_calls", labels: { tool: "get_price", outcome: "ok" }, value: 3 },
      { name: "tapeline_calls", labels: { tool: "get_score", outcome: "ok" }, value: 4 },
      { name: "tapeline_calls", labels: { tool: "get_score", outcome: "failed" }, value: 1 },
      { name: "tapeline_task_sweep_lag_ms", labels: {}, value: 12.5 },
      { name: "histogram_bucket", labels: { le: "+Inf" }, value: Infinity }
    ])
  })

  it("are summed by labels; a metric that is not reported has no sum", () => {
    const samples = parseMetrics(text)
    expect(sumOf(samples, "tapeline_calls", { outcome: "ok" })).toBe(7)
    expect(sumOf(samples, "tapeline_calls", { outcome: "unknown" })).toBe(0)
    expect(sumOf(samples, "tapeline_agent_streams")).toBeUndefined()
  })

  it("keep every label value that the format can contain", () => {
    const escapeLabel = (label: string) =>
      label.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"").replaceAll("\n", "\\n")
    // A carriage return cannot occur, because the service writes lines that end with a line feed.
    const label = fc.string({ unit: "binary" }).filter((one) => !/[\r\u2028\u2029]/u.test(one))
    fc.assert(fc.property(label, fc.nat(), (value, count) => {
      expect(parseMetrics(`m{route="${escapeLabel(value)}",x="1"} ${count}`))
        .toEqual([{ name: "m", labels: { route: value, x: "1" }, value: count }])
    }))
  })
})

it("reads the readiness from any response", () => {
  const market = {
    sources: [{ source: "binance", state: "up" }, { source: "okx", state: "blocked" }, {
      source: "x",
      state: "unknown"
    }]
  }
  expect(toReadiness(200, { status: "ready", market })).toEqual({ state: "ready", detail: "", sourcesAway: ["okx"] })
  expect(toReadiness(503, { detail: "database" })).toMatchObject({ state: "not ready", detail: "database" })
  expect(toReadiness(404, {})).toMatchObject({ state: "elsewhere" })
  for (const body of [undefined, null, "<html>", { market: { sources: "none" } }]) {
    expect(toReadiness(502, body)).toEqual({ state: "not ready", detail: "502", sourcesAway: [] })
  }
})

it("lists the changed fields of an event, and omits unchanged fields and new fields without content", () => {
  expect(listChanges({ before: { status: "active", reason: null }, after: { status: "suspended", reason: "unpaid" } }))
    .toEqual([
      { name: "status", before: "active", after: "suspended" },
      { name: "reason", before: "null", after: "unpaid" }
    ])
  expect(listChanges({ before: null, after: { name: "Ada", external_id: null, metadata: {}, scopes: ["read"] } }))
    .toEqual([
      { name: "name", before: undefined, after: "Ada" },
      { name: "scopes", before: undefined, after: "[\"read\"]" }
    ])
  const [before, after] = [{ month: "2035-01", adjusted: 0 }, { month: "2035-01", adjusted: 5, reference: null }]
  expect(listChanges({ before, after })).toEqual([{ name: "adjusted", before: "0", after: "5" }])
  expect(listChanges({ before: null, after: null })).toEqual([])
})

it("accepts only ids and cursors that the API accepts", () => {
  expect([parseId("7"), parseId("2147483647")]).toEqual([7, 2_147_483_647])
  for (const text of [null, undefined, "", "0", "-1", "1.5", "2147483648", "1e3", "x"]) {
    expect(parseId(text)).toBeUndefined()
  }
  expect([parseCursor("0"), parseCursor(null), parseCursor("x")]).toEqual([0, undefined, undefined])
})
