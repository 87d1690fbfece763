import { assert, it } from "@effect/vitest"
import { Advance, GenerationStore } from "@tapeline/core/agent"
import { StoreUnavailable } from "@tapeline/core/store"
import { MemoryStores } from "@tapeline/testing"
import { begin, newAccount } from "@tapeline/testing/agent/fixtures"
import { Context, Deferred, Effect, Layer } from "effect"
import { Runs } from "../../cluster/src/Runs.ts"

/**
 * The runs of a process that takes generations and never ends them. The store does not confirm the first `unconfirmed`
 * takes. `taken` is done with the epoch of the first confirmed take.
 */
const processWith = Effect.fnUntraced(function*(unconfirmed: number) {
  const generations = yield* GenerationStore
  const taken = yield* Deferred.make<number>()
  let takes = 0
  const advance = Layer.succeed(Advance, {
    advance: (id, _, staleMs = 20_000, epochs = 1) =>
      Effect.gen(function*() {
        const row = yield* generations.take(id, staleMs, epochs)
        if (row === null) return "Elsewhere" as const
        if (takes++ < unconfirmed) return yield* new StoreUnavailable({ store: "GenerationStore", cause: "cut" })
        yield* Deferred.succeed(taken, row.epoch)
        return yield* Effect.never
      })
  })
  const runs = Context.get(yield* Layer.build(Layer.provide(Layer.fresh(Runs.layer(false)), advance)), Runs)
  return { ...runs, taken }
})

const process = processWith(0)

/** Peers of which only `living` are alive; records the requests to run that are made. */
const peers = (...living: ReadonlyArray<string>) => {
  const requests: Array<readonly [epoch: number, foundBySweep: boolean]> = []
  return {
    requests,
    isAlive: (node: string) => Effect.succeed(living.includes(node)),
    request: (_: number, epoch: number, foundBySweep: boolean) =>
      Effect.sync(() => void requests.push([epoch, foundBySweep]))
  }
}

it.live("leaves a generation with the process that found it, when the process that started it is gone", () =>
  Effect.gen(function*() {
    const [finder, third] = [yield* process, yield* process]
    const { id: generation } = yield* begin(yield* newAccount)
    const request = { generation, epoch: 0, node: finder.node, foundBySweep: true }
    yield* Effect.forkScoped(finder.run(request, peers(finder.node)))
    const epoch = yield* Deferred.await(finder.taken)
    // Returns, because the epoch shows that the generation was not taken for the request of the first process.
    yield* third.run({ generation, epoch: 0, node: "gone" }, peers(finder.node))
    assert.strictEqual((yield* Effect.flatMap(GenerationStore, ({ find }) => find(generation)))?.epoch, epoch)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("takes over a generation that a sweep found, once the process that ran it is gone", () =>
  Effect.gen(function*() {
    const [finder, third, fourth] = [yield* process, yield* process, yield* process]
    const { id: generation } = yield* begin(yield* newAccount)
    const request = { generation, epoch: 0, node: finder.node, foundBySweep: true }
    yield* Effect.forkScoped(finder.run(request, peers(finder.node)))
    const first = yield* Deferred.await(finder.taken)
    const seen = peers(third.node)
    yield* Effect.forkScoped(third.run(request, seen))
    assert.strictEqual(yield* Deferred.await(third.taken), first + 1)
    assert.deepStrictEqual(seen.requests, [[first, false]])
    yield* Effect.forkScoped(fourth.run({ generation, epoch: first, node: third.node }, peers(fourth.node)))
    assert.strictEqual(yield* Deferred.await(fourth.taken), first + 2)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("repeats in its own request that a sweep found the generation", () =>
  Effect.gen(function*() {
    const runner = yield* process
    const { id: generation } = yield* begin(yield* newAccount)
    const seen = peers("finder", runner.node)
    yield* Effect.forkScoped(runner.run({ generation, epoch: 0, node: "finder", foundBySweep: true }, seen))
    assert.strictEqual(yield* Deferred.await(runner.taken), 2)
    assert.deepStrictEqual(seen.requests, [[0, true]])
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("takes over a generation for a second request while it waits for the first", () =>
  Effect.gen(function*() {
    const [runner, watcher] = [yield* process, yield* process]
    const { id: generation } = yield* begin(yield* newAccount)
    const asked = { generation, epoch: 0, node: "asked" }
    yield* Effect.forkScoped(runner.run(asked, peers("asked", runner.node)))
    yield* Deferred.await(runner.taken)
    const living = new Set(["asked", runner.node])
    const looked = yield* Deferred.make<void>()
    const seen = {
      ...peers(),
      isAlive: (node: string) => Effect.as(Deferred.succeed(looked, undefined), living.has(node))
    }
    yield* Effect.forkScoped(watcher.run(asked, seen))
    yield* Deferred.await(looked)
    living.delete(runner.node)
    yield* Effect.forkScoped(watcher.run({ generation, epoch: 0, node: runner.node }, seen))
    assert.strictEqual(yield* Deferred.await(watcher.taken), 2)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live.each([
  { requester: "itself", late: false, epoch: 2 },
  { requester: "itself", late: true, epoch: 3 },
  { requester: "another process", late: false, epoch: 2 },
  { requester: "another process", late: true, epoch: 3 }
])(
  "takes a generation again at once when the store did not confirm the take, requested by $requester, late: $late",
  ({ epoch, late, requester }) =>
    Effect.gen(function*() {
      const [runner, third] = [yield* processWith(1), yield* process]
      const { id: generation } = yield* begin(yield* newAccount)
      const request = {
        generation,
        epoch: 0,
        node: requester === "itself" ? runner.node : "another",
        foundBySweep: late
      }
      const seen = peers("another", runner.node)
      yield* Effect.forkScoped(runner.run(request, seen))
      assert.strictEqual(yield* Deferred.await(runner.taken), epoch)
      const first = requester === "itself" ? [] : [[0, late] as const]
      assert.deepStrictEqual(seen.requests, [...first, [epoch - 1, false]])
      // The epoch belongs to the newest request: only by this one a third process takes over.
      yield* third.run({ ...request, node: "gone" }, peers())
      assert.isFalse(Deferred.isDoneUnsafe(third.taken))
      yield* Effect.forkScoped(third.run({ generation, epoch: epoch - 1, node: runner.node }, peers()))
      assert.strictEqual(yield* Deferred.await(third.taken), epoch + 1)
    }).pipe(Effect.scoped, Effect.provide(MemoryStores))
)
