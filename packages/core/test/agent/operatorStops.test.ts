import { assert, it } from "@effect/vitest"
import { Administration, Ledger } from "@tapeline/core"
import { Analyst } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { readLog } from "@tapeline/testing/agent/logChecks"
import { ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeEngineWithStores, readGenerationLog } from "./agentEngine.ts"

/* Answers that end because an operator suspends the account or stops the answer. */

const readBalance = Effect.fnUntraced(function*(account: number) {
  const ledger = yield* Ledger
  const { reserved, used } = (yield* ledger.balance(account))!
  return { reserved, used, today: (yield* ledger.answersToday(account)).count }
})

/** Runs all work that is ready, and advances the clock by only 60 ms. */
const settle = TestClock.adjust(60)

it.effect("ends the running answer of a suspended account without a charge, and starts none", () => {
  const model = new ScriptedModel(() => [textPart("half"), waitForever])
  return Effect.gen(function*() {
    const [suspended, other] = [yield* createKeyedAccount(), yield* createKeyedAccount()]
    const analyst = yield* Analyst
    const start = ({ principal }: typeof other) => analyst.start({ principal, request: { message: "why?" } })
    const { generation } = yield* start(suspended)
    const { generation: otherGeneration } = yield* start(other)
    yield* settle
    const status = { status: "suspended", reason: "unpaid" } as const
    yield* (yield* Administration).updateAccount(suspended.account.id, { status })
    // A process may still begin an answer of the suspended account if it admitted the request earlier.
    yield* start(suspended)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(model.openStreams, 1)
    assert.deepStrictEqual(yield* readBalance(suspended.account.id), { reserved: 0, used: 0, today: 0 })
    const { done } = readLog((yield* readGenerationLog(generation.id)).events)
    assert.deepInclude(done, { outcome: "failed", credits_used: 0 })
    assert.strictEqual(done?.error?.code, "account_suspended")
    assert.notInclude(done?.error?.message, "unpaid")
    assert.strictEqual((yield* analyst.findAnswer(otherGeneration.id))?.state, "running")
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})

it.effect("stops an answer for the operator without a charge, and shows the operator's reason", () => {
  const model = new ScriptedModel(() => [textPart("half"), waitForever])
  return Effect.gen(function*() {
    const { account, principal } = yield* createKeyedAccount()
    const analyst = yield* Analyst
    const { generation } = yield* analyst.start({ principal, request: { message: "why?" } })
    yield* settle
    assert.deepStrictEqual((yield* analyst.listRunning(account.id, 10)).map(({ id }) => id), [generation.id])
    assert.strictEqual((yield* analyst.stopByOperator(generation.id, "It ran for too long."))?.outcome, "failed")
    assert.isNull(yield* analyst.stopByOperator(generation.id, "again"))
    assert.deepStrictEqual(yield* analyst.listRunning(account.id, 10), [])
    const { done } = readLog((yield* readGenerationLog(generation.id)).events)
    assert.deepStrictEqual(done?.error, {
      code: "stopped_by_operator",
      message: "An operator of the service stopped this answer. It ran for too long. Nothing was charged."
    })
    assert.deepStrictEqual(yield* readBalance(account.id), { reserved: 0, used: 0, today: 0 })
  }).pipe(Effect.provide(makeEngineWithStores(model)))
})
