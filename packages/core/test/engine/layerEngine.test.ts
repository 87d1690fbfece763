import { assert, it } from "@effect/vitest"
import { defaultPlans, layerEngine, Ledger, Toolbox } from "@tapeline/core"
import { createKeyedAccount, MemoryState, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

const toolbox = Toolbox.layer([])

it.effect("expires lapsed reservations and publishes its plans to the store automatically", () =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const { principal: { account, actor } } = yield* createKeyedAccount({ plan: "tiny" })
    const request = { account, actor, tool: "t", ttlMs: 2_000, idempotency: null }
    const first = yield* ledger.reserve({ ...request, credits: 7 })
    assert.strictEqual(first._tag, "Admitted")
    assert.strictEqual((yield* ledger.reserve({ ...request, credits: 1 }))._tag, "Refused")
    yield* TestClock.adjust("6 seconds")
    const states = [...(yield* MemoryState).entries.values()].map(({ state }) => state)
    assert.deepStrictEqual(states, ["expired"])
    assert.strictEqual((yield* ledger.reserve({ ...request, credits: 7 }))._tag, "Admitted")
  }).pipe(
    Effect.provide(layerEngine({
      toolbox,
      plans: { ...defaultPlans, tiny: { ...defaultPlans["free"]!, monthly_credits: 7 } }
    })),
    Effect.provide(MemoryStores)
  ))

it.effect("logs a change of a plan's monthly credits, and nothing if they are unchanged", () => {
  const logLines: Array<string> = []
  const log = Logger.layer([Logger.make(({ message }) => void logLines.push(String(message)))])
  const start = (monthly_credits: number) =>
    Effect.void.pipe(Effect.provide(Layer.fresh(
      layerEngine({ toolbox, plans: { ...defaultPlans, pro: { ...defaultPlans["pro"]!, monthly_credits } } })
    )))
  return Effect.gen(function*() {
    yield* start(1_000)
    yield* start(1_000)
    assert.deepStrictEqual(logLines, [])
    yield* start(100)
    assert.strictEqual(logLines.length, 1)
    assert.match(logLines[0]!, /"pro" allotted 1000 credits a month, and now allots 100/)
  }).pipe(Effect.provide(MemoryStores), Effect.provide(log))
})

it.effect("logs a plan that accounts use but that is not configured", () => {
  const logLines: Array<string> = []
  const log = Logger.layer([Logger.make(({ message }) => void logLines.push(String(message)))])
  return Effect.gen(function*() {
    yield* Effect.provide(createKeyedAccount({ plan: "lite" }), layerEngine({ toolbox }))
    assert.deepStrictEqual(logLines, [])
    const { free } = defaultPlans
    yield* Effect.void.pipe(Effect.provide(Layer.fresh(layerEngine({ toolbox, plans: { free: free! } }))))
    assert.strictEqual(logLines.length, 1)
    assert.include(logLines[0], `The plan "lite" is not configured on this node`)
  }).pipe(Effect.provide(MemoryStores), Effect.provide(log))
})
