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
    contendedMs: hour,
    budgetMs: hour,
    now: () => clock.ms,
    ...options
  })
  const turn = <A, E>(owner: number, work: Effect.Effect<A, E>, preparation: Effect.Effect<void> = Effect.void) =>
    turns.run(owner, hour, (begin) => preparation.pipe(Effect.andThen(begin), Effect.andThen(work)))
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
      // When the second turns were assigned, owner 3 had used no time, owner 2 had used 3 s, and owner 1 had used 5 s.
      assert.deepStrictEqual(order, ["1a", "2a", "3a", "2b", "1b"])
      // Run time from more than a minute ago does not count.
      clock.ms += 61_000
      const secondTasks = [yield* begin("1c", 1), yield* begin("1d", 1), yield* begin("2c", 2)]
      for (const one of [secondTasks[0]!, secondTasks[2]!, secondTasks[1]!]) yield* one.end
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

  it.live("end early while an owner with no more use waits", () =>
    Effect.gen(function*() {
      const { begin, order, turn } = turnsAt({ contendedMs: 20, now: () => performance.now() })
      const spins = yield* begin("spins", 1)
      const alsoSpins = yield* begin("also spins", 1)
      yield* Effect.sleep(50)
      assert.deepStrictEqual(order, ["spins"])
      assert.strictEqual(yield* turn(2, Effect.succeed("1")), "1")
      assert.strictEqual((yield* Effect.flip(Fiber.join(spins.fiber)))._tag, "SandboxCrowded")
      yield* alsoSpins.end
    }))

  it.effect("go to an owner without use before owners who used a fraction of a second", () =>
    Effect.gen(function*() {
      const { begin, clock, order } = turnsAt()
      const first = yield* begin("1a", 1)
      const second = yield* begin("2a", 2)
      clock.ms += 300
      yield* first.end
      const secondTask = yield* begin("1b", 1)
      clock.ms += 200
      const fresh = [yield* begin("3a", 3), yield* begin("2b", 2)]
      yield* second.end
      for (const one of [fresh[0]!, fresh[1]!, secondTask]) yield* one.end
      assert.deepStrictEqual(order, ["1a", "2a", "3a", "2b", "1b"])
    }))

  it.effect("go to an owner of long work before an owner of short work whose preparation took longer", () =>
    Effect.gen(function*() {
      const { begin, clock, order, turn } = turnsAt()
      const advanceClock = (ms: number) => Effect.sync(() => void (clock.ms += ms))
      yield* turn(1, advanceClock(1), advanceClock(60))
      yield* turn(2, advanceClock(40))
      const first = yield* begin("3a", 3)
      const waiting = [yield* begin("1b", 1), yield* begin("2b", 2)]
      yield* first.end
      assert.deepStrictEqual(order, ["3a", "2b"])
      for (const one of [waiting[1]!, waiting[0]!]) yield* one.end
    }))

  it.live("are shorter the more owners wait, and longer for an owner who ran before", () =>
    Effect.gen(function*() {
      const { begin, clock } = turnsAt({ contendedMs: 2_000, maxWaiting: 32 })
      type StartedWork = Effect.Success<ReturnType<typeof begin>>
      const endsAfter = Effect.fnUntraced(function*({ fiber }: StartedWork, ms: number) {
        clock.ms += ms - 1
        yield* Effect.sleep(60)
        assert.isUndefined(fiber.pollUnsafe(), `the turn ended before ${ms} ms`)
        clock.ms++
        assert.deepInclude(yield* Effect.flip(Fiber.join(fiber)), { _tag: "SandboxCrowded", afterMs: ms })
      })
      const ends = (turns: ReadonlyArray<StartedWork>) =>
        Effect.forEach(turns, ({ end }) => end, { concurrency: "unbounded", discard: true })
      const startAll = (owners: ReadonlyArray<number>) => Effect.forEach(owners, (owner) => begin(`${owner}`, owner))

      const fresh = yield* startAll(Array.from({ length: 21 }, (_, i) => i))
      yield* endsAfter(fresh[0]!, 100)
      yield* ends(fresh.slice(1))

      for (const owner of [31, 32, 33, 34]) {
        const singleTask = yield* begin("alone", owner)
        clock.ms += 1_000
        yield* singleTask.end
      }
      const [first, second, ...others] = yield* startAll([31, 32, 33, 34])
      yield* endsAfter(first!, 1_000)
      others.push(yield* begin("without use", 35))
      yield* endsAfter(second!, 667)
      yield* ends(others)
    }))

  it.live("come soon to an owner with little use among thirty owners whose work never ends", () =>
    Effect.gen(function*() {
      const { clock, turn } = turnsAt({ contendedMs: 60, maxWaiting: 32 })
      let startedLoops = 0
      const loop = Effect.sync(() => {
        startedLoops++
        clock.ms += 10
      })
      const loops = (owner: number) =>
        turn(owner, Effect.andThen(loop, Effect.never)).pipe(
          Effect.ignore,
          Effect.forever({ disableYield: true })
        )
      const all = yield* Effect.forEach(
        Array.from({ length: 30 }),
        (_, i) => Effect.forkChild(loops(i), { startImmediately: true })
      )
      const waited: Array<number> = []
      for (let i = 0; i < 5; i++) {
        const before = startedLoops
        const short = Effect.sync(() => {
          waited.push(startedLoops - before)
          clock.ms++
        })
        yield* turn(99, short)
      }
      yield* Fiber.interruptAll(all)
      // The first wait is longer, because no owner had used run time before the first round.
      assert.isAtMost(waited[0]!, 30)
      for (const turns of waited.slice(1)) assert.isAtMost(turns, 1, waited.join())
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
        const heavyOwnerTask = yield* begin("used", owner)
        clock.ms += ms
        yield* heavyOwnerTask.end
      }
      const first = yield* begin("1a", 1)
      const [less, laterOwner] = [yield* begin("2a", 2), yield* begin("3a", 3)]
      const fresh = yield* begin("4a", 4)
      assert.strictEqual((yield* Effect.flip(Fiber.join(laterOwner.fiber)))._tag, "SandboxBusy")
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
