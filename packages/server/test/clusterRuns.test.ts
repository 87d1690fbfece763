import { assert, it } from "@effect/vitest"
import { GenerationExecutor, GenerationStore } from "@tapeline/core/agent"
import { StoreUnavailable } from "@tapeline/core/engine"
import { MemoryStores } from "@tapeline/testing"
import { newAccount, startNewGeneration } from "@tapeline/testing/agent/fixtures"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { Runs } from "../../cluster/src/Runs.ts"

/** The result of a `take`: stored and confirmed, stored without a confirmation, or not stored. */
type Outcome = "Confirmed" | "Unconfirmed" | "Unstored"

/**
 * A process that takes generations and never ends them. The store handles the first takes as `outcomes` specifies, and
 * confirms all later takes.
 */
const processWith = Effect.fnUntraced(function*(outcomes: Iterable<Outcome>) {
  const generations = yield* GenerationStore
  const takenGeneration = yield* Deferred.make<number>()
  const unavailableError = new StoreUnavailable({ store: "GenerationStore", cause: "cut" })
  const remaining = Iterator.from(outcomes)
  const advance = Layer.succeed(GenerationExecutor, {
    execute: (id, _, staleMs = 20_000, epochs = 1) =>
      Effect.gen(function*() {
        const outcome = remaining.next().value ?? "Confirmed"
        if (outcome === "Unstored") return yield* unavailableError
        const row = yield* generations.take(id, staleMs, epochs)
        if (row === null) return "Elsewhere" as const
        if (outcome === "Unconfirmed") return yield* unavailableError
        yield* Deferred.succeed(takenGeneration, row.epoch)
        return yield* Effect.never
      })
  })
  const runs = Context.get(yield* Layer.build(Layer.provide(Layer.fresh(Runs.layer(false)), advance)), Runs)
  return { ...runs, takenGeneration }
})

const process = processWith([])

/** Peers, of which only the nodes in `aliveNodes` are alive. The peers record the requests to run a generation. */
const peers = (...aliveNodes: ReadonlyArray<string>) => {
  const requests: Array<readonly [epoch: number, foundBySweep: boolean]> = []
  return {
    requests,
    isAlive: (node: string) => Effect.succeed(aliveNodes.includes(node)),
    request: (_: number, epoch: number, foundBySweep: boolean) =>
      Effect.sync(() => void requests.push([epoch, foundBySweep]))
  }
}

it.live("leaves a generation with the process that found it, when the process that started it is gone", () =>
  Effect.gen(function*() {
    const [finder, third] = [yield* process, yield* process]
    const { id: generation } = yield* startNewGeneration(yield* newAccount)
    const request = { generation, epoch: 0, node: finder.node, foundBySweep: true }
    yield* Effect.forkScoped(finder.run(request, peers(finder.node)))
    const epoch = yield* Deferred.await(finder.takenGeneration)
    // The unchanged epoch shows that no process took the generation for the request of the first process.
    yield* third.run({ generation, epoch: 0, node: "gone" }, peers(finder.node))
    assert.strictEqual((yield* Effect.flatMap(GenerationStore, ({ find }) => find(generation)))?.epoch, epoch)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("takes over a generation that a sweep found, once the process that ran it is gone", () =>
  Effect.gen(function*() {
    const [finder, third, fourth] = [yield* process, yield* process, yield* process]
    const { id: generation } = yield* startNewGeneration(yield* newAccount)
    const request = { generation, epoch: 0, node: finder.node, foundBySweep: true }
    yield* Effect.forkScoped(finder.run(request, peers(finder.node)))
    const first = yield* Deferred.await(finder.takenGeneration)
    const thirdPeers = peers(third.node)
    yield* Effect.forkScoped(third.run(request, thirdPeers))
    assert.strictEqual(yield* Deferred.await(third.takenGeneration), first + 1)
    assert.deepStrictEqual(thirdPeers.requests, [[first, false]])
    yield* Effect.forkScoped(fourth.run({ generation, epoch: first, node: third.node }, peers(fourth.node)))
    assert.strictEqual(yield* Deferred.await(fourth.takenGeneration), first + 2)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("repeats in its own request that a sweep found the generation", () =>
  Effect.gen(function*() {
    const runner = yield* process
    const { id: generation } = yield* startNewGeneration(yield* newAccount)
    const finderPeers = peers("finder", runner.node)
    yield* Effect.forkScoped(runner.run({ generation, epoch: 0, node: "finder", foundBySweep: true }, finderPeers))
    assert.strictEqual(yield* Deferred.await(runner.takenGeneration), 2)
    assert.deepStrictEqual(finderPeers.requests, [[0, true]])
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("takes over a generation for a second request while it waits for the first", () =>
  Effect.gen(function*() {
    const [runner, watcher] = [yield* process, yield* process]
    const { id: generation } = yield* startNewGeneration(yield* newAccount)
    const runRequest = { generation, epoch: 0, node: "asked" }
    yield* Effect.forkScoped(runner.run(runRequest, peers("asked", runner.node)))
    yield* Deferred.await(runner.takenGeneration)
    const aliveNodes = new Set(["asked", runner.node])
    const hasChecked = yield* Deferred.make<void>()
    const watchedPeers = {
      ...peers(),
      isAlive: (node: string) => Effect.as(Deferred.succeed(hasChecked, undefined), aliveNodes.has(node))
    }
    yield* Effect.forkScoped(watcher.run(runRequest, watchedPeers))
    yield* Deferred.await(hasChecked)
    aliveNodes.delete(runner.node)
    yield* Effect.forkScoped(watcher.run({ generation, epoch: 0, node: runner.node }, watchedPeers))
    assert.strictEqual(yield* Deferred.await(watcher.takenGeneration), 2)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live.each([{ requester: "itself" }, { requester: "another process" }])(
  "ends a request of $requester for a generation that a living process holds, without further requests",
  ({ requester }) =>
    Effect.gen(function*() {
      const [holder, third] = [yield* process, yield* process]
      const { id: generation } = yield* startNewGeneration(yield* newAccount)
      yield* Effect.forkScoped(holder.run({ generation, epoch: 0, node: holder.node }, peers(holder.node)))
      const epoch = yield* Deferred.await(holder.takenGeneration)
      // A sweep found the generation just before `holder` took the generation.
      const seen = peers(holder.node, "finder")
      const request = { generation, epoch, node: requester === "itself" ? third.node : "finder" }
      assert.isTrue(Option.isSome(yield* Effect.timeoutOption(third.run(request, seen), "5 seconds")))
      assert.isAtMost(seen.requests.length, 1)
    }).pipe(Effect.scoped, Effect.provide(MemoryStores))
)

/** Creates peers like `peers`, which also pass the requests to run a generation to `runs`, as `Placement` does. */
const connectedPeers = Effect.fnUntraced(function*(runs: Runs["Service"], ...aliveNodes: ReadonlyArray<string>) {
  const scope = yield* Effect.scope
  const recordedPeers = peers(...aliveNodes)
  const connected: typeof recordedPeers = {
    ...recordedPeers,
    request: (generation, epoch, foundBySweep) =>
      Effect.andThen(
        recordedPeers.request(generation, epoch, foundBySweep),
        Effect.as(
          Effect.forkIn(runs.run({ generation, epoch, node: runs.node, foundBySweep }, connected), scope),
          undefined
        )
      )
  }
  return connected
})

const takeCases: ReadonlyArray<{
  readonly name: string
  readonly requester: "itself" | "living" | "gone"
  readonly foundBySweep?: boolean
  readonly outcomes: ReadonlyArray<Outcome>
  readonly epoch: number
}> = [
  { name: "own request, one unconfirmed", requester: "itself", outcomes: ["Unconfirmed"], epoch: 2 },
  {
    name: "own request after a sweep, one unconfirmed",
    requester: "itself",
    foundBySweep: true,
    outcomes: ["Unconfirmed"],
    epoch: 3
  },
  { name: "request of another process, one unconfirmed", requester: "living", outcomes: ["Unconfirmed"], epoch: 2 },
  {
    name: "request of another process after a sweep, one unconfirmed",
    requester: "living",
    foundBySweep: true,
    outcomes: ["Unconfirmed"],
    epoch: 3
  },
  { name: "own request, two unconfirmed", requester: "itself", outcomes: ["Unconfirmed", "Unconfirmed"], epoch: 3 },
  {
    name: "own request after a sweep, two unconfirmed",
    requester: "itself",
    foundBySweep: true,
    outcomes: ["Unconfirmed", "Unconfirmed"],
    epoch: 4
  },
  {
    name: "own request, one unconfirmed and one not stored",
    requester: "itself",
    outcomes: ["Unconfirmed", "Unstored"],
    epoch: 2
  },
  { name: "takeover, one unconfirmed", requester: "gone", outcomes: ["Unconfirmed"], epoch: 3 },
  { name: "takeover, one not stored", requester: "gone", outcomes: ["Unstored"], epoch: 2 },
  { name: "takeover, two unconfirmed", requester: "gone", outcomes: ["Unconfirmed", "Unconfirmed"], epoch: 4 }
]

it.live.each(takeCases)(
  "takes a generation again at once when the store did not confirm the take: $name",
  ({ epoch, foundBySweep = false, outcomes, requester }) =>
    Effect.gen(function*() {
      const [runner, third] = [yield* processWith(outcomes), yield* process]
      const { id: generation } = yield* startNewGeneration(yield* newAccount)
      if (requester === "gone") yield* Effect.flatMap(GenerationStore, ({ take }) => take(generation, 20_000, 1))
      const request = {
        generation,
        epoch: 0,
        node: requester === "itself" ? runner.node : requester,
        foundBySweep
      }
      const livingPeers = yield* connectedPeers(runner, "living", runner.node)
      yield* Effect.forkScoped(runner.run(request, livingPeers))
      const takenGeneration = yield* Effect.timeoutOption(Deferred.await(runner.takenGeneration), "5 seconds")
      assert.deepStrictEqual(takenGeneration, Option.some(epoch))
      assert.deepStrictEqual(livingPeers.requests.at(-1), [epoch - 1, false])
      // The stored epoch belongs to the newest request, so a third process can take over only with the newest request.
      yield* third.run({ ...request, node: "gone" }, peers())
      assert.isFalse(Deferred.isDoneUnsafe(third.takenGeneration))
      yield* Effect.forkScoped(third.run({ generation, epoch: epoch - 1, node: runner.node }, peers()))
      assert.strictEqual(yield* Deferred.await(third.takenGeneration), epoch + 1)
    }).pipe(Effect.scoped, Effect.provide(MemoryStores))
)

it.effect("leaves a generation with another process after it has seen that its own take was not stored", () =>
  Effect.gen(function*() {
    const [runner, third] = [yield* processWith(["Unstored"]), yield* process]
    const { id: generation } = yield* startNewGeneration(yield* newAccount)
    yield* Effect.flatMap(GenerationStore, ({ take }) => take(generation, 20_000, 1))
    // The requester's heartbeat is too old at the first check, and recent at later checks.
    const heartbeats = [false]
    const isAlive = () => Effect.sync(() => heartbeats.shift() ?? true)
    const running = yield* Effect.forkScoped(
      runner.run({ generation, epoch: 0, node: "slow" }, { ...peers(), isAlive })
    )
    yield* TestClock.adjust("50 millis")
    yield* Effect.forkScoped(third.run({ generation, epoch: 0, node: "slow" }, peers()))
    assert.strictEqual(yield* Deferred.await(third.takenGeneration), 2)
    yield* TestClock.adjust("500 millis")
    yield* Fiber.join(running)
    assert.isFalse(Deferred.isDoneUnsafe(runner.takenGeneration))
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.effect("takes a generation again at the pace of the retries while each take stays unconfirmed", () =>
  Effect.gen(function*() {
    const runner = yield* processWith(Array.from({ length: 1000 }, () => "Unconfirmed"))
    const { id: generation } = yield* startNewGeneration(yield* newAccount)
    const deadPeers = yield* connectedPeers(runner, runner.node)
    yield* Effect.forkScoped(runner.run({ generation, epoch: 0, node: runner.node }, deadPeers))
    yield* TestClock.adjust("5 seconds")
    // The process checks the requester's heartbeat after 0, 50, 150, 350, 750 and 1550 ms, and then every second.
    assert.strictEqual((yield* Effect.flatMap(GenerationStore, ({ find }) => find(generation)))?.epoch, 9)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))
