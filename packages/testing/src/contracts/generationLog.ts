import { assert, layer as withLayer } from "@effect/vitest"
import { GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { Effect, Fiber, type Layer } from "effect"
import {
  type AgentStores,
  type AgentTests,
  begin,
  delta,
  endOf,
  fenceOf,
  newAccount,
  taken,
  wholeLog
} from "../agent/fixtures.ts"

/** Follows a log to its end as the port specifies: listens first, reads the existing events, then waits for notices. */
export const followLog = (log: GenerationLog["Service"], generation: number, limit = 64, after = 0) =>
  Effect.scoped(Effect.gen(function*() {
    const { woken } = yield* log.listen(generation)
    const texts: Array<string> = []
    for (let at = after;;) {
      const { ended, events } = yield* log.read(generation, at, limit)
      texts.push(...events.map(({ data, kind, n }) => `${n} ${kind} ${data}`))
      at = events.at(-1)?.n ?? at
      if (ended) return texts
      // Without a notice, a reader reads again every few seconds. This test uses a shorter time.
      if (events.length === 0) yield* Effect.raceFirst(woken, Effect.sleep(200))
    }
  }))

const reading = (it: AgentTests): void => {
  it.effect("is read from any number, in pages, and is over once it is closed", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const generation = yield* Effect.flatMap(begin(yield* newAccount), ({ id }) => taken(id))
      const { conversation, id } = generation
      yield* generations.append(fenceOf(generation), Array.from({ length: 8 }, (_, i) => delta(`${i}`, i)))
      const numbers = (after: number, limit: number) =>
        Effect.map(log.read(id, after, limit), ({ ended, events }) => ({ ended, n: events.map(({ n }) => n) }))
      assert.deepStrictEqual(yield* numbers(0, 100), { ended: false, n: [1, 2, 3, 4, 5, 6, 7, 8, 9] })
      assert.deepStrictEqual(yield* numbers(7, 1), { ended: false, n: [8] })
      assert.deepStrictEqual(yield* numbers(9, 10), { ended: false, n: [] })
      yield* generations.end(fenceOf(generation), endOf(conversation, { open: true }))
      assert.deepStrictEqual(yield* numbers(9, 10), { ended: false, n: [10] })
      yield* generations.close(id, ["and?"])
      assert.deepStrictEqual(yield* numbers(9, 10), { ended: true, n: [10, 11] })
      assert.deepStrictEqual(yield* numbers(9, 2), { ended: true, n: [10, 11] })
      assert.deepStrictEqual(yield* numbers(9, 1), { ended: false, n: [10] })
      for (const after of [11, 12, 2 ** 40]) assert.deepStrictEqual(yield* numbers(after, 5), { ended: true, n: [] })
      const whole = yield* wholeLog(log, id)
      for (const limit of [1, 2, 64]) assert.deepStrictEqual(yield* wholeLog(log, id, limit), whole)
      assert.deepStrictEqual(yield* log.read(2 ** 40, 0, 5), { events: [], ended: true })
    }))
}

const listening = (it: AgentTests): void => {
  it.effect("wakes who listens, at once when something came meanwhile, and nobody else", () =>
    Effect.scoped(Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const account = yield* newAccount
      const [one, other] = [
        yield* Effect.flatMap(begin(account), ({ id }) => taken(id)),
        yield* Effect.flatMap(begin(account), ({ id }) => taken(id))
      ]
      const ears = [yield* log.listen(one.id), yield* log.listen(one.id)]
      const elsewhere = yield* Effect.forkChild((yield* log.listen(other.id)).woken)
      yield* generations.append(fenceOf(one), [delta("a")])
      for (const { woken } of ears) yield* woken
      const waiting = yield* Effect.forkChild(ears[0]!.woken)
      yield* generations.append(fenceOf(one), [delta("b")])
      yield* Fiber.join(waiting)
      yield* generations.end(fenceOf(one), endOf(one.conversation, { open: true }))
      yield* ears[1]!.woken
      yield* generations.close(one.id, [])
      yield* ears[1]!.woken
      assert.isUndefined(elsewhere.pollUnsafe())
      yield* Fiber.interrupt(elsewhere)
    })))

  it.effect("gives readers that come whenever they come the same bytes, and the same end", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const generation = yield* Effect.flatMap(begin(yield* newAccount), ({ id }) => taken(id))
      const readers = []
      for (let i = 0; i < 20; i++) {
        readers.push(yield* Effect.forkChild(followLog(log, generation.id, 1 + i % 3)))
        yield* generations.append(fenceOf(generation), Array.from({ length: i % 4 }, (_, k) => delta(`${i}.${k}`)))
      }
      yield* generations.end(fenceOf(generation), endOf(generation.conversation))
      const whole = yield* followLog(log, generation.id)
      assert.strictEqual(whole.length, 32)
      for (const reader of readers) assert.deepStrictEqual(yield* Fiber.join(reader), whole)
      assert.deepStrictEqual(yield* followLog(log, generation.id, 5, 20), whole.slice(20))
    }))
}

/** The contract tests of `GenerationLog`. The layer is built once, and every test has its own accounts. */
export const generationLogContract = <E>(
  name: string,
  layer: Layer.Layer<AgentStores, E>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`GenerationLog: ${name}`, (it) => {
    reading(it)
    listening(it)
  })
