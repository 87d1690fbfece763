import { assert } from "@effect/vitest"
import { type Generation, GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { KeyStore } from "@tapeline/core/engine"
import { Cause, Effect, Exit } from "effect"
import {
  type AgentTests,
  deltaEvent,
  getFence,
  makeEnd,
  makeStep,
  minuteMs,
  newAccount,
  readWholeLog,
  startNewGeneration,
  takeGeneration
} from "./fixtures.ts"

/** Simulates that `ms` milliseconds pass: advances the clock of a store, or makes its stored rows older. */
export type Advance<R> = (ms: number) => Effect.Effect<void, unknown, R>

const readState = (generation: number) =>
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    const { events } = yield* readWholeLog(yield* GenerationLog, generation)
    return { row: yield* generations.find(generation), steps: yield* generations.listSteps(generation), events }
  })

const testFencing = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  it.effect("is taken by one of several concurrent processes, and by another after its lease lapses", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const { id } = yield* startNewGeneration(yield* newAccount)
      const takeResults = yield* Effect.forEach(Array.from({ length: 6 }), () => generations.take(id, minuteMs), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(takeResults.map((one) => one?.epoch).filter((epoch) => epoch !== undefined), [1])
      yield* advance(minuteMs - 5_000)
      assert.isNull(yield* generations.take(id, minuteMs))
      assert.isTrue(yield* generations.renew({ generation: id, epoch: 1 }))
      yield* advance(minuteMs - 5_000)
      assert.isNull(yield* generations.take(id, minuteMs))
      yield* advance(5_000)
      const takenOver = yield* generations.take(id, minuteMs, 2)
      assert(takenOver !== null)
      assert.strictEqual(takenOver.epoch, 3)
      assert.deepStrictEqual(takenOver, yield* generations.find(id))
      assert.isAtLeast(takenOver.renewedAt, takenOver.startedAt)
      assert.isNull(yield* generations.take(2 ** 40, minuteMs))
    }))

  it.effect("rejects every write under a stale fence", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const first = yield* Effect.flatMap(startNewGeneration(yield* newAccount), ({ id }) => takeGeneration(id))
      yield* generations.storeSteps(getFence(first), [makeStep("step:1")], [deltaEvent("one")])
      const second = yield* generations.take(first.id, 0)
      assert.strictEqual(second?.epoch, 2)
      const before = yield* readState(first.id)
      for (const epoch of [0, 1, 3, 2_000_000_000]) {
        const fence = { generation: first.id, epoch }
        assert.isFalse(yield* generations.append(fence, [deltaEvent("two")]))
        assert.isFalse(yield* generations.append(fence, []))
        assert.isFalse(yield* generations.storeSteps(fence, [makeStep("step:2")], [deltaEvent("two")]))
        // A step with the name `step:1` is already stored, but the new write has an outdated epoch.
        assert.isFalse(yield* generations.storeSteps(fence, [makeStep("step:1")], []))
        assert.isFalse(yield* generations.renew(fence))
        assert.deepStrictEqual(yield* generations.end(fence, makeEnd(first.conversation)), {
          held: false,
          answer: null
        })
      }
      assert.isFalse(yield* generations.renew({ generation: 2 ** 40, epoch: 1 }))
      assert.deepStrictEqual(yield* readState(first.id), before)
    }))

  it.effect("lists generations that were not renewed, longest first", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      const ownIds = (generations: ReadonlyArray<Generation>) =>
        generations.filter((one) => one.account === account).map(({ id }) => id)
      const startedGeneration = yield* startNewGeneration(account)
      yield* advance(1_000)
      const takenGeneration = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      const renewed = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      yield* advance(minuteMs)
      yield* generations.renew(getFence(renewed))
      const listAbandoned = (staleMs: number, untakenMs = staleMs, limit = 1_000) =>
        Effect.map(generations.listAbandoned({ staleMs, untakenMs, limit }), ownIds)
      assert.deepStrictEqual(yield* listAbandoned(minuteMs), [startedGeneration.id, takenGeneration.id])
      assert.strictEqual(
        (yield* generations.listAbandoned({ staleMs: minuteMs, untakenMs: minuteMs, limit: 1 })).length,
        1
      )
      assert.deepStrictEqual(yield* listAbandoned(2 * minuteMs), [])
      assert.deepStrictEqual(yield* listAbandoned(2 * minuteMs, minuteMs), [startedGeneration.id])
      assert.deepStrictEqual(yield* listAbandoned(minuteMs, 2 * minuteMs), [takenGeneration.id])
      const takenOver = yield* generations.take(takenGeneration.id, minuteMs)
      assert.isTrue((yield* generations.end(getFence(takenOver!), makeEnd(takenGeneration.conversation))).held)
      assert.deepStrictEqual(yield* listAbandoned(minuteMs), [startedGeneration.id])
    }))
}

const testRunningLists = (it: AgentTests): void => {
  it.effect("lists the running generations of an account, and those of suspended accounts, oldest first", () =>
    Effect.gen(function*() {
      const [generations, keys] = [yield* GenerationStore, yield* KeyStore]
      const [account, other] = [yield* newAccount, yield* newAccount]
      const first = yield* startNewGeneration(account)
      const second = yield* startNewGeneration(account)
      const ended = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      yield* generations.end(getFence(ended), makeEnd(ended.conversation))
      yield* startNewGeneration(other)
      const listOwn = Effect.map(
        generations.listInactive(1_000),
        (found) => found.filter((one) => [account, other].includes(one.account)).map(({ id }) => id)
      )
      assert.deepStrictEqual((yield* generations.listRunning(account, 9)).map(({ id }) => id), [first.id, second.id])
      assert.deepStrictEqual((yield* generations.listRunning(account, 1)).map(({ id }) => id), [first.id])
      assert.deepStrictEqual(yield* listOwn, [])
      yield* keys.updateAccount(account, { status: { status: "suspended", reason: null } })
      assert.deepStrictEqual(yield* listOwn, [first.id, second.id])
      assert.strictEqual((yield* generations.listInactive(1)).length, 1)
      yield* keys.updateAccount(account, { status: { status: "active", reason: null } })
      assert.deepStrictEqual(yield* listOwn, [])
    }))
}

const testEventNumbers = (it: AgentTests): void => {
  it.effect("numbers events without gaps under concurrent appends", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const generation = yield* Effect.flatMap(startNewGeneration(yield* newAccount), ({ id }) => takeGeneration(id))
      const fence = getFence(generation)
      const results = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, i) => i),
        (i) =>
          i % 3 === 0
            ? generations.storeSteps(fence, [makeStep(`call:1.${i}`)], [deltaEvent(`${i}a`)])
            : generations.append(fence, Array.from({ length: i % 3 }, (_, k) => deltaEvent(`${i}${"ab"[k]}`))),
        { concurrency: "unbounded" }
      )
      assert.isTrue(results.every(Boolean))
      const { events, row, steps } = yield* readState(generation.id)
      assert.deepStrictEqual(events.map(({ n }) => n), events.map((_, i) => i + 1))
      assert.deepStrictEqual([events.length, row?.nextN, steps.length], [33, 34, 8])
      // Events that were appended together are adjacent.
      const texts = events.slice(1).map(({ data }) => JSON.parse(data).text)
      for (const text of texts.filter((one) => one.endsWith("b"))) {
        assert.strictEqual(texts[texts.indexOf(text) - 1], text.replace("b", "a"))
      }
    }))

  it.effect("stores steps in order; a duplicate step is a defect and changes nothing", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const generation = yield* Effect.flatMap(startNewGeneration(yield* newAccount), ({ id }) => takeGeneration(id))
      const fence = getFence(generation)
      const steps = ["step:10", "call:10.1", "call:10.0", "step:2"].map((name) =>
        makeStep(name, { name, deep: [null, 1.5] })
      )
      assert.isTrue(yield* generations.storeSteps(fence, steps.slice(0, 3), []))
      assert.isTrue(yield* generations.storeSteps(fence, steps.slice(3), [deltaEvent("text")]))
      assert.deepStrictEqual(yield* generations.listSteps(generation.id), steps)
      const before = yield* readState(generation.id)
      for (const duplicateSteps of [[makeStep("new"), makeStep("step:2")], [makeStep("same"), makeStep("same")]]) {
        const exit = yield* Effect.exit(generations.storeSteps(fence, duplicateSteps, [deltaEvent("more")]))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
      assert.deepStrictEqual(yield* readState(generation.id), before)
      assert.isTrue(yield* generations.append(fence, [deltaEvent("goes on")]))
      assert.deepStrictEqual(yield* generations.listSteps(2 ** 40), [])
    }))
}

const testTextStorage = (it: AgentTests): void => {
  it.effect("returns every text unchanged", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const generation = yield* Effect.flatMap(startNewGeneration(yield* newAccount), ({ id }) => takeGeneration(id))
      const fence = getFence(generation)
      const texts = [
        "\u0000",
        "\uD83D",
        "\uDE00\uD83D",
        "👩‍👩‍👧 김치 프리미엄",
        "a\r\nb\u2028",
        "\"\\u0000\\\"",
        "x".repeat(262_144)
      ]
      const content = { texts, [texts[3]!]: texts[0]! }
      assert.isTrue(
        yield* generations.storeSteps(fence, [makeStep("step:1", content)], texts.map((text) => deltaEvent(text)))
      )
      const state = yield* readState(generation.id)
      assert.deepStrictEqual(state.steps, [makeStep("step:1", content)])
      assert.deepStrictEqual(
        state.events.slice(1).map(({ data }) => data),
        texts.map((text) => JSON.stringify({ offset: 0, text }))
      )
      assert.isTrue(state.events.every(({ data }) => !/[\r\n]/.test(data)))
    }))
}

export const testRunningGenerations = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  testFencing(it, advance)
  testRunningLists(it)
  testEventNumbers(it)
  testTextStorage(it)
}
