import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { Turns, type TurnsOptions } from "../src/Turns.ts"

const hour = 3_600_000

/** Turns by a clock of this test. */
const turnsAt = (options: Partial<TurnsOptions> = {}) => {
  const clock = { ms: 0 }
  const turns = new Turns({
    places: 1,
    placesEach: 1,
    maxWaiting: 8,
    maxWaitingEach: 8,
    crowdedMs: hour,
    budgetMs: hour,
    now: () => clock.ms,
    ...options
  })
  const turn: Turns["take"] = (owner, work) => turns.take(owner, work)
  const order: Array<string> = []
  /** A turn that lasts until it is ended. */
  const begin = Effect.fnUntraced(function*(name: string, owner: number) {
    const mayEnd = yield* Deferred.make<void>()
    const work = Effect.andThen(Effect.sync(() => void order.push(name)), Deferred.await(mayEnd))
    const fiber = yield* Effect.forkChild(turn(owner, work), { startImmediately: true })
    return { fiber, end: Effect.andThen(Deferred.succeed(mayEnd, undefined), Fiber.await(fiber)) }
  })
  return { begin, clock, order, turn }
}

describe("turns of the sandbox", () => {
  it.effect("go to the owner with the least use in the last minute, and alternate between equal owners", () =>
    Effect.gen(function*() {
      const { begin, clock, order } = turnsAt()
      const first = yield* begin("1a", 1)
      const all = [yield* begin("1b", 1), yield* begin("2a", 2), yield* begin("2b", 2), yield* begin("3a", 3)]
      clock.ms += 5_000
      yield* first.end
      clock.ms += 3_000
      yield* all[1]!.end
      clock.ms += 100
      for (const one of [all[3]!, all[2]!, all[0]!]) yield* one.end
      // Owner 3 had none, owner 2 had 3 s, owner 1 had 5 s.
      assert.deepStrictEqual(order, ["1a", "2a", "3a", "2b", "1b"])
      // After a minute all is forgotten.
      clock.ms += 61_000
      const again = [yield* begin("1c", 1), yield* begin("1d", 1), yield* begin("2c", 2)]
      for (const one of [again[0]!, again[2]!, again[1]!]) yield* one.end
      assert.deepStrictEqual(order.slice(5), ["1c", "2c", "1d"])
    }))

  it.effect("leave places for other owners, and go to a waiting script once its owner has a free place", () =>
    Effect.gen(function*() {
      const { begin, order } = turnsAt({ places: 2 })
      const first = yield* begin("1a", 1)
      const second = yield* begin("1b", 1)
      const other = yield* begin("2a", 2)
      assert.deepStrictEqual(order, ["1a", "2a"])
      yield* first.end
      assert.deepStrictEqual(order, ["1a", "2a", "1b"])
      yield* Effect.all([second.end, other.end])
    }))

  it.live("end early while another owner waits who has not used more", () =>
    Effect.gen(function*() {
      const { begin, order, turn } = turnsAt({ crowdedMs: 20, now: () => performance.now() })
      const spins = yield* begin("spins", 1)
      const alsoSpins = yield* begin("also spins", 1)
      // Nobody else waits.
      yield* Effect.sleep(50)
      assert.deepStrictEqual(order, ["spins"])
      assert.strictEqual(yield* turn(2, Effect.succeed("1")), "1")
      assert.strictEqual((yield* Effect.flip(Fiber.join(spins.fiber)))._tag, "SandboxCrowded")
      yield* alsoSpins.end
    }))

  it.effect("replace an entry of the owner with the most entries if the queue is full", () =>
    Effect.gen(function*() {
      const { begin, turn } = turnsAt({ maxWaiting: 3, maxWaitingEach: 3 })
      const all = [yield* begin("1a", 1), yield* begin("1b", 1), yield* begin("1c", 1), yield* begin("1d", 1)]
      const newcomers = [yield* begin("2a", 2), yield* begin("3a", 3)]
      for (const one of [all[3]!, all[2]!]) {
        assert.strictEqual((yield* Effect.flip(Fiber.join(one.fiber)))._tag, "SandboxBusy")
      }
      assert.strictEqual((yield* Effect.flip(turn(4, Effect.void)))._tag, "SandboxBusy")
      for (const one of [all[0]!, ...newcomers, all[1]!]) yield* one.end
    }))

  it.effect("are refused to an owner who used up the budget, while no place is free", () =>
    Effect.gen(function*() {
      const { begin, clock, turn } = turnsAt({ budgetMs: 30_000 })
      const long = yield* begin("1a", 1)
      clock.ms += 30_000
      assert.strictEqual((yield* Effect.flip(turn(1, Effect.void)))._tag, "SandboxBudget")
      yield* long.end
      yield* turn(1, Effect.void)
    }))
})
