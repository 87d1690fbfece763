import { assert, it } from "@effect/vitest"
import { Advance, GenerationStore } from "@tapeline/core/agent"
import { MemoryStores } from "@tapeline/testing"
import { begin, newAccount } from "@tapeline/testing/agent/fixtures"
import { Context, Deferred, Effect, Layer } from "effect"
import { Runs } from "../../cluster/src/Runs.ts"

/** The runs of a process that takes generations and never ends them; `taken` is done with the epoch of the first. */
const process = Effect.gen(function*() {
  const generations = yield* GenerationStore
  const taken = yield* Deferred.make<number>()
  const advance = Layer.succeed(Advance, {
    advance: (id, _, staleMs = 20_000, epochs = 1) =>
      Effect.gen(function*() {
        const row = yield* generations.take(id, staleMs, epochs)
        if (row === null) return "Elsewhere" as const
        yield* Deferred.succeed(taken, row.epoch)
        return yield* Effect.never
      })
  })
  const runs = Context.get(yield* Layer.build(Layer.provide(Layer.fresh(Runs.layer(false)), advance)), Runs)
  return { ...runs, taken }
})

/** What a process has to do with others, of which only these live; their claims are recorded. */
const others = (...living: ReadonlyArray<string>) => {
  const claims: Array<readonly [epoch: number, late: boolean]> = []
  return {
    claims,
    lives: (node: string) => Effect.succeed(living.includes(node)),
    claim: (_: number, epoch: number, late: boolean) => Effect.sync(() => void claims.push([epoch, late]))
  }
}

it.live("leaves a generation with the process that found it, when the process that started it is gone", () =>
  Effect.gen(function*() {
    const [finder, third] = [yield* process, yield* process]
    const { id: generation } = yield* begin(yield* newAccount)
    yield* Effect.forkScoped(finder.run({ generation, epoch: 0, node: finder.node, late: true }, others(finder.node)))
    const epoch = yield* Deferred.await(finder.taken)
    // Returns, since the summons of the first process is about no run that exists.
    yield* third.run({ generation, epoch: 0, node: "gone" }, others(finder.node))
    assert.strictEqual((yield* Effect.flatMap(GenerationStore, ({ find }) => find(generation)))?.epoch, epoch)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("takes over a generation that its process found late, once that process is gone", () =>
  Effect.gen(function*() {
    const [finder, third, fourth] = [yield* process, yield* process, yield* process]
    const { id: generation } = yield* begin(yield* newAccount)
    const summons = { generation, epoch: 0, node: finder.node, late: true }
    yield* Effect.forkScoped(finder.run(summons, others(finder.node)))
    const first = yield* Deferred.await(finder.taken)
    const seen = others(third.node)
    yield* Effect.forkScoped(third.run(summons, seen))
    assert.strictEqual(yield* Deferred.await(third.taken), first + 1)
    assert.deepStrictEqual(seen.claims, [[first, false]])
    yield* Effect.forkScoped(fourth.run({ generation, epoch: first, node: third.node }, others(fourth.node)))
    assert.strictEqual(yield* Deferred.await(fourth.taken), first + 2)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("passes a late summons on as a late one when another process runs it", () =>
  Effect.gen(function*() {
    const runner = yield* process
    const { id: generation } = yield* begin(yield* newAccount)
    const seen = others("finder", runner.node)
    yield* Effect.forkScoped(runner.run({ generation, epoch: 0, node: "finder", late: true }, seen))
    assert.strictEqual(yield* Deferred.await(runner.taken), 2)
    assert.deepStrictEqual(seen.claims, [[0, true]])
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))

it.live("takes over a generation by a second summons while it waits by the first", () =>
  Effect.gen(function*() {
    const [runner, watcher] = [yield* process, yield* process]
    const { id: generation } = yield* begin(yield* newAccount)
    const asked = { generation, epoch: 0, node: "asked" }
    yield* Effect.forkScoped(runner.run(asked, others("asked", runner.node)))
    yield* Deferred.await(runner.taken)
    const living = new Set(["asked", runner.node])
    const looked = yield* Deferred.make<void>()
    const seen = {
      ...others(),
      lives: (node: string) => Effect.as(Deferred.succeed(looked, undefined), living.has(node))
    }
    yield* Effect.forkScoped(watcher.run(asked, seen))
    yield* Deferred.await(looked)
    living.delete(runner.node)
    yield* Effect.forkScoped(watcher.run({ generation, epoch: 0, node: runner.node }, seen))
    assert.strictEqual(yield* Deferred.await(watcher.taken), 2)
  }).pipe(Effect.scoped, Effect.provide(MemoryStores)))
