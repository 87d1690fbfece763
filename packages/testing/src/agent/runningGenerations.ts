import { assert } from "@effect/vitest"
import { type Generation, GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { Cause, Effect, Exit } from "effect"
import {
  type AgentTests,
  begin,
  delta,
  endOf,
  fenceOf,
  minute,
  newAccount,
  stepOf,
  taken,
  wholeLog
} from "./fixtures.ts"

/** Advances the store's time, or moves its rows back, which has the same effect. */
export type Advance<R> = (ms: number) => Effect.Effect<void, unknown, R>

/** The complete stored state of a generation. */
const stateOf = (generation: number) =>
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    const { events } = yield* wholeLog(yield* GenerationLog, generation)
    return { row: yield* generations.find(generation), steps: yield* generations.steps(generation), events }
  })

const fencing = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  it.effect("is taken by one of many that try at once, and by another once it was not renewed", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const { id } = yield* begin(yield* newAccount)
      const tries = yield* Effect.forEach(Array.from({ length: 6 }), () => generations.take(id, minute), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(tries.map((one) => one?.epoch).filter((epoch) => epoch !== undefined), [1])
      yield* advance(minute - 5_000)
      assert.isNull(yield* generations.take(id, minute))
      assert.isTrue(yield* generations.renew({ generation: id, epoch: 1 }))
      yield* advance(minute - 5_000)
      assert.isNull(yield* generations.take(id, minute))
      yield* advance(5_000)
      const next = yield* generations.take(id, minute, 2)
      assert(next !== null)
      assert.strictEqual(next.epoch, 3)
      assert.deepStrictEqual(next, yield* generations.find(id))
      assert.isAtLeast(next.renewedAt, next.startedAt)
      assert.isNull(yield* generations.take(2 ** 40, minute))
    }))

  it.effect("under a fence that holds no more nothing is changed, and its owner is told so", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const first = yield* Effect.flatMap(begin(yield* newAccount), ({ id }) => taken(id))
      yield* generations.store(fenceOf(first), [stepOf("step:1")], [delta("one")])
      const second = yield* generations.take(first.id, 0)
      assert.strictEqual(second?.epoch, 2)
      const before = yield* stateOf(first.id)
      for (const epoch of [0, 1, 3, 2_000_000_000]) {
        const fence = { generation: first.id, epoch }
        assert.isFalse(yield* generations.append(fence, [delta("two")]))
        assert.isFalse(yield* generations.append(fence, []))
        assert.isFalse(yield* generations.store(fence, [stepOf("step:2")], [delta("two")]))
        // The step is already stored, but by another epoch.
        assert.isFalse(yield* generations.store(fence, [stepOf("step:1")], []))
        assert.isFalse(yield* generations.renew(fence))
        assert.deepStrictEqual(yield* generations.end(fence, endOf(first.conversation)), { held: false, answer: null })
      }
      assert.isFalse(yield* generations.renew({ generation: 2 ** 40, epoch: 1 }))
      assert.deepStrictEqual(yield* stateOf(first.id), before)
    }))

  it.effect("tells which ones nobody has renewed, the longest first", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const account = yield* newAccount
      const ours = (found: ReadonlyArray<Generation>) =>
        found.filter((one) => one.account === account).map(({ id }) => id)
      const untaken = yield* begin(account)
      yield* advance(1_000)
      const lost = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      const alive = yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      yield* advance(minute)
      yield* generations.renew(fenceOf(alive))
      const abandoned = (staleMs: number, untakenMs = staleMs, limit = 1_000) =>
        Effect.map(generations.abandoned({ staleMs, untakenMs, limit }), ours)
      assert.deepStrictEqual(yield* abandoned(minute), [untaken.id, lost.id])
      assert.strictEqual((yield* generations.abandoned({ staleMs: minute, untakenMs: minute, limit: 1 })).length, 1)
      assert.deepStrictEqual(yield* abandoned(2 * minute), [])
      assert.deepStrictEqual(yield* abandoned(2 * minute, minute), [untaken.id])
      assert.deepStrictEqual(yield* abandoned(minute, 2 * minute), [lost.id])
      const stolen = yield* generations.take(lost.id, minute)
      assert.isTrue((yield* generations.end(fenceOf(stolen!), endOf(lost.conversation))).held)
      assert.deepStrictEqual(yield* abandoned(minute), [untaken.id])
    }))
}

const numbering = (it: AgentTests): void => {
  it.effect("numbers events without a gap, whoever appends beside whom", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const generation = yield* Effect.flatMap(begin(yield* newAccount), ({ id }) => taken(id))
      const fence = fenceOf(generation)
      const held = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, i) => i),
        (i) =>
          i % 3 === 0
            ? generations.store(fence, [stepOf(`call:1.${i}`)], [delta(`${i}a`)])
            : generations.append(fence, Array.from({ length: i % 3 }, (_, k) => delta(`${i}${"ab"[k]}`))),
        { concurrency: "unbounded" }
      )
      assert.isTrue(held.every(Boolean))
      const { events, row, steps } = yield* stateOf(generation.id)
      assert.deepStrictEqual(events.map(({ n }) => n), events.map((_, i) => i + 1))
      assert.deepStrictEqual([events.length, row?.nextN, steps.length], [33, 34, 8])
      // Events that were appended together are adjacent.
      const texts = events.slice(1).map(({ data }) => JSON.parse(data).text)
      for (const text of texts.filter((one) => one.endsWith("b"))) {
        assert.strictEqual(texts[texts.indexOf(text) - 1], text.replace("b", "a"))
      }
    }))

  it.effect("stores what was done in its order; a step that is stored already is a defect, and changes nothing", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const generation = yield* Effect.flatMap(begin(yield* newAccount), ({ id }) => taken(id))
      const fence = fenceOf(generation)
      const steps = ["step:10", "call:10.1", "call:10.0", "step:2"].map((name) =>
        stepOf(name, { name, deep: [null, 1.5] })
      )
      assert.isTrue(yield* generations.store(fence, steps.slice(0, 3), []))
      assert.isTrue(yield* generations.store(fence, steps.slice(3), [delta("text")]))
      assert.deepStrictEqual(yield* generations.steps(generation.id), steps)
      const before = yield* stateOf(generation.id)
      for (const twice of [[stepOf("new"), stepOf("step:2")], [stepOf("same"), stepOf("same")]]) {
        const exit = yield* Effect.exit(generations.store(fence, twice, [delta("more")]))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
      assert.deepStrictEqual(yield* stateOf(generation.id), before)
      assert.isTrue(yield* generations.append(fence, [delta("goes on")]))
      assert.deepStrictEqual(yield* generations.steps(2 ** 40), [])
    }))
}

const keepingTexts = (it: AgentTests): void => {
  it.effect("gives every text back as it was, whatever is in it", () =>
    Effect.gen(function*() {
      const generations = yield* GenerationStore
      const generation = yield* Effect.flatMap(begin(yield* newAccount), ({ id }) => taken(id))
      const fence = fenceOf(generation)
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
      assert.isTrue(yield* generations.store(fence, [stepOf("step:1", content)], texts.map((text) => delta(text))))
      const state = yield* stateOf(generation.id)
      assert.deepStrictEqual(state.steps, [stepOf("step:1", content)])
      assert.deepStrictEqual(
        state.events.slice(1).map(({ data }) => data),
        texts.map((text) => JSON.stringify({ offset: 0, text }))
      )
      assert.isTrue(state.events.every(({ data }) => !/[\r\n]/.test(data)))
    }))
}

export const running = <R>(it: AgentTests<R>, advance: Advance<R>): void => {
  fencing(it, advance)
  numbering(it)
  keepingTexts(it)
}
