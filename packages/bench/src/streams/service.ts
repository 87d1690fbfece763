/**
 * The service's routes on memory stores, with running answers. This program appends the events that runners would
 * append, so that only reading is measured. Prints a key, paths, and its address.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { layerAnalyst, layerEngine, Toolbox } from "@tapeline/core"
import { GenerationRunner, GenerationStore } from "@tapeline/core/agent"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { enrol, MemoryStores } from "@tapeline/testing"
import { begin, fenceOf, taken } from "@tapeline/testing/agent/fixtures"
import { Effect, FiberSet, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { answers, deltaAt, everyPeriod, instant } from "./shape.ts"

const plans = {
  bench: { monthly_credits: 1_000_000_000, keys: 1, requests_per_minute: 1_000_000_000, answers_per_day: 0 }
}

const nobodyRuns = Layer.succeed(GenerationRunner, {
  ready: Effect.void,
  wake: () => Effect.void,
  halt: () => Effect.void
})
const engine = layerAnalyst.pipe(
  Layer.provide(nobodyRuns),
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]), plans })),
  Layer.provideMerge(MemoryStores)
)

const write = Layer.effectDiscard(Effect.gen(function*() {
  const generations = yield* GenerationStore
  const { account, key } = yield* enrol({ plan: "bench", scopes: ["agent:chat"] })
  const running = yield* Effect.replicateEffect(
    Effect.flatMap(begin(account.id), ({ id }) => taken(id)),
    answers
  )
  const run = yield* FiberSet.makeRuntime<never, unknown, unknown>()
  for (const [i, generation] of running.entries()) {
    everyPeriod(
      i,
      () =>
        run(
          Effect.suspend(() => generations.append(fenceOf(generation), [{ kind: "delta", data: deltaAt(instant()) }]))
        )
    )
  }
  console.log(`key ${key}`)
  console.log(`paths ${JSON.stringify(running.map(({ conversation }) => `/v1/agent/resume/${conversation}`))}`)
  console.log(`listens on ${HttpServer.formatAddress((yield* HttpServer.HttpServer).address)}`)
}))

const service = Layer.mergeAll(serve(layerRoutes({ corsOrigins: [] })), write).pipe(
  Layer.provide(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.mergeAll(
    Layer.succeed(AdminToken, Redacted.make("administration-token-of-the-bench")),
    Layer.succeed(Readiness, { check: Effect.void })
  )),
  Layer.provide(Draining.layer),
  Layer.provide(engine)
)

await Effect.runPromise(Layer.launch(service))
