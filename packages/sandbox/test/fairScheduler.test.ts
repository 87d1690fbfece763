import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { FairScheduler, type FairSchedulerOptions } from "../src/FairScheduler.ts"

const hour = 3_600_000

const turnsAt = (options: Partial<FairSchedulerOptions> = {}) => {
  const clock = { ms: 0 }
  const turns = new FairScheduler({
    maxRunning: 1,
    maxRunningPerOwner: 1,
    maxWaiting: 8,
    maxWaitingPerOwner: 8,
    budgetMs: hour,
    now: () => clock.ms,
    ...options
  })
  const turn = <A, E>(owner: number, work: Effect.Effect<A, E>) => turns.run(owner, hour, work)
  const order: Array<string> = []
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
      // Before their second turns, owner 3 had used no time, owner 2 had used 3 s, and owner 1 had used 5 s.
      assert.deepStrictEqual(order, ["1a", "2a", "3a", "2b", "1b"])
      // After a minute, earlier use does not count.
      clock.ms += 61_000
      const again = [yield* begin("1c", 1), yield* begin("1d", 1), yield* begin("2c", 2)]
      for (const one of [again[0]!, again[2]!, again[1]!]) yield* one.end
      assert.deepStrictEqual(order.slice(5), ["1c", "2c", "1d"])
    }))

  it.effect("leave places for other owners, and go to a waiting script once its owner has a free place", () =>
    Effect.gen(function*() {
      const { begin, order } = turnsAt({ maxRunning: 2 })
      const first = yield* begin("1a", 1)
      const second = yield* begin("1b", 1)
      const other = yield* begin("2a", 2)
      assert.deepStrictEqual(order, ["1a", "2a"])
      yield* first.end
      assert.deepStrictEqual(order, ["1a", "2a", "1b"])
      yield* Effect.all([second.end, other.end])
    }))

  it.effect("go to an owner without use before owners who used a fraction of a second", () =>
    Effect.gen(function*() {
      const { begin, clock, order } = turnsAt()
      const first = yield* begin("1a", 1)
      const second = yield* begin("2a", 2)
      clock.ms += 300
      yield* first.end
      const again = yield* begin("1b", 1)
      clock.ms += 200
      const fresh = [yield* begin("3a", 3), yield* begin("2b", 2)]
      yield* second.end
      for (const one of [fresh[0]!, fresh[1]!, again]) yield* one.end
      assert.deepStrictEqual(order, ["1a", "2a", "3a", "2b", "1b"])
    }))

  it.effect("replace an entry of the owner with the most entries if the queue is full", () =>
    Effect.gen(function*() {
      const { begin, turn } = turnsAt({ maxWaiting: 3, maxWaitingPerOwner: 3 })
      const all = [yield* begin("1a", 1), yield* begin("1b", 1), yield* begin("1c", 1), yield* begin("1d", 1)]
      const newcomers = [yield* begin("2a", 2), yield* begin("3a", 3)]
      for (const one of [all[3]!, all[2]!]) {
        assert.strictEqual((yield* Effect.flip(Fiber.join(one.fiber)))._tag, "SandboxBusy")
      }
      assert.strictEqual((yield* Effect.flip(turn(4, Effect.void)))._tag, "SandboxBusy")
      for (const one of [all[0]!, ...newcomers, all[1]!]) yield* one.end
    }))

  it.effect("replace the entry of an owner with more use if each owner in a full queue has one entry", () =>
    Effect.gen(function*() {
      const { begin, clock, turn } = turnsAt({ maxWaiting: 2 })
      for (const [owner, ms] of [[2, 100], [3, 200]] as const) {
        const used = yield* begin("used", owner)
        clock.ms += ms
        yield* used.end
      }
      const first = yield* begin("1a", 1)
      const [less, more] = [yield* begin("2a", 2), yield* begin("3a", 3)]
      const fresh = yield* begin("4a", 4)
      assert.strictEqual((yield* Effect.flip(Fiber.join(more.fiber)))._tag, "SandboxBusy")
      assert.strictEqual((yield* Effect.flip(turn(3, Effect.void)))._tag, "SandboxBusy")
      for (const one of [first, fresh, less]) yield* one.end
    }))

  it.effect("are rejected for an owner who used up the budget while no place is free", () =>
    Effect.gen(function*() {
      const { begin, clock, turn } = turnsAt({ budgetMs: 30_000 })
      const long = yield* begin("1a", 1)
      clock.ms += 30_000
      assert.strictEqual((yield* Effect.flip(turn(1, Effect.void)))._tag, "SandboxBudget")
      yield* long.end
      yield* turn(1, Effect.void)
    }))
})
