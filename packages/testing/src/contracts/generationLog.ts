import { assert, layer as withLayer } from "@effect/vitest"
import { GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { Effect, Fiber, type Layer } from "effect"
import {
  type AgentStores,
  type AgentTests,
  deltaEvent,
  getFence,
  makeEnd,
  newAccount,
  readWholeLog,
  startNewGeneration,
  takeGeneration
} from "../agent/fixtures.ts"

/** Follows the log of a generation until its end. The function listens before it reads, to miss no event. */
export const followLog = (log: GenerationLog["Service"], generation: number, limit = 64, afterNumber = 0) =>
  Effect.scoped(Effect.gen(function*() {
    const { awaitNotification } = yield* log.listen(generation)
    const texts: Array<string> = []
    for (let lastNumber = afterNumber;;) {
      const { events, isEnded } = yield* log.read(generation, lastNumber, limit)
      texts.push(...events.map(({ data, kind, n }) => `${n} ${kind} ${data}`))
      lastNumber = events.at(-1)?.n ?? lastNumber
      if (isEnded) return texts
      // A usual reader reads again every few seconds without a notification, but the test waits only 200 ms.
      if (events.length === 0) yield* Effect.raceFirst(awaitNotification, Effect.sleep(200))
    }
  }))

const testReading = (it: AgentTests): void => {
  it.effect("reads from any event number, in pages, and ends once the generation is closed", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const generation = yield* Effect.flatMap(startNewGeneration(yield* newAccount), ({ id }) => takeGeneration(id))
      const { conversation, id } = generation
      yield* generations.append(getFence(generation), Array.from({ length: 8 }, (_, i) => deltaEvent(`${i}`, i)))
      const readNumbers = (after: number, limit: number) =>
        Effect.map(log.read(id, after, limit), ({ events, isEnded }) => ({ isEnded, n: events.map(({ n }) => n) }))
      assert.deepStrictEqual(yield* readNumbers(0, 100), { isEnded: false, n: [1, 2, 3, 4, 5, 6, 7, 8, 9] })
      assert.deepStrictEqual(yield* readNumbers(7, 1), { isEnded: false, n: [8] })
      assert.deepStrictEqual(yield* readNumbers(9, 10), { isEnded: false, n: [] })
      yield* generations.end(getFence(generation), makeEnd(conversation, { isOpen: true }))
      assert.deepStrictEqual(yield* readNumbers(9, 10), { isEnded: false, n: [10] })
      yield* generations.close(id, ["and?"])
      assert.deepStrictEqual(yield* readNumbers(9, 10), { isEnded: true, n: [10, 11] })
      assert.deepStrictEqual(yield* readNumbers(9, 2), { isEnded: true, n: [10, 11] })
      assert.deepStrictEqual(yield* readNumbers(9, 1), { isEnded: false, n: [10] })
      for (const after of [11, 12, 2 ** 40]) {
        assert.deepStrictEqual(yield* readNumbers(after, 5), { isEnded: true, n: [] })
      }
      const expected = yield* readWholeLog(log, id)
      for (const limit of [1, 2, 64]) assert.deepStrictEqual(yield* readWholeLog(log, id, limit), expected)
      assert.deepStrictEqual(yield* log.read(2 ** 40, 0, 5), { events: [], isEnded: true })
    }))
}

const testListening = (it: AgentTests): void => {
  it.effect("wakes the listeners of a generation, even if events arrive before they wait, and no other listeners", () =>
    Effect.scoped(Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const account = yield* newAccount
      const [generation, other] = [
        yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id)),
        yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
      ]
      const listeners = [yield* log.listen(generation.id), yield* log.listen(generation.id)]
      const otherWaiter = yield* Effect.forkChild((yield* log.listen(other.id)).awaitNotification)
      yield* generations.append(getFence(generation), [deltaEvent("a")])
      for (const { awaitNotification } of listeners) yield* awaitNotification
      const waiting = yield* Effect.forkChild(listeners[0]!.awaitNotification)
      yield* generations.append(getFence(generation), [deltaEvent("b")])
      yield* Fiber.join(waiting)
      yield* generations.end(getFence(generation), makeEnd(generation.conversation, { isOpen: true }))
      yield* listeners[1]!.awaitNotification
      yield* generations.close(generation.id, [])
      yield* listeners[1]!.awaitNotification
      assert.isUndefined(otherWaiter.pollUnsafe())
      yield* Fiber.interrupt(otherWaiter)
    })))

  it.effect("gives readers that start at any time the same bytes and the same end", () =>
    Effect.gen(function*() {
      const [generations, log] = yield* Effect.all([GenerationStore, GenerationLog])
      const generation = yield* Effect.flatMap(startNewGeneration(yield* newAccount), ({ id }) => takeGeneration(id))
      const readers = []
      for (let i = 0; i < 20; i++) {
        readers.push(yield* Effect.forkChild(followLog(log, generation.id, 1 + i % 3)))
        yield* generations.append(
          getFence(generation),
          Array.from({ length: i % 4 }, (_, k) => deltaEvent(`${i}.${k}`))
        )
      }
      yield* generations.end(getFence(generation), makeEnd(generation.conversation))
      const expected = yield* followLog(log, generation.id)
      assert.strictEqual(expected.length, 32)
      for (const reader of readers) assert.deepStrictEqual(yield* Fiber.join(reader), expected)
      assert.deepStrictEqual(yield* followLog(log, generation.id, 5, 20), expected.slice(20))
    }))
}

/** Defines the contract tests of `GenerationLog`. */
export const generationLogContract = <E>(
  name: string,
  layer: Layer.Layer<AgentStores, E>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`GenerationLog: ${name}`, (it) => {
    testReading(it)
    testListening(it)
  })
