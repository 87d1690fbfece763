/**
 * Serves the service's HTTP API with in-memory stores. The program itself appends the events of the running answers.
 * The program prints an API key, the paths of the streams, and the URL.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { layerAnalyst, layerEngine, Toolbox } from "@tapeline/core"
import { GenerationRunner, GenerationStore } from "@tapeline/core/agent"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { getFence, startNewGeneration, takeGeneration } from "@tapeline/testing/agent/fixtures"
import { Effect, FiberSet, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { plans } from "../load/settings.ts"
import { answerCount, currentTimeMs, makeDelta, runEveryPeriod } from "./answerTiming.ts"

const noRunner = Layer.succeed(GenerationRunner, {
  ready: Effect.void,
  wake: () => Effect.void,
  halt: () => Effect.void
})
const engine = layerAnalyst.pipe(
  Layer.provide(noRunner),
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]), plans })),
  Layer.provideMerge(MemoryStores)
)

const appendEvents = Layer.effectDiscard(Effect.gen(function*() {
  const generations = yield* GenerationStore
  const { account, key } = yield* createKeyedAccount({ plan: "bench", scopes: ["agent:chat"] })
  const generationsUnderTest = yield* Effect.replicateEffect(
    Effect.flatMap(startNewGeneration(account.id), ({ id }) => takeGeneration(id)),
    answerCount
  )
  const run = yield* FiberSet.makeRuntime<never, unknown, unknown>()
  for (const [i, generation] of generationsUnderTest.entries()) {
    runEveryPeriod(
      i,
      () =>
        run(
          Effect.suspend(() =>
            generations.append(getFence(generation), [{ kind: "delta", data: makeDelta(currentTimeMs()) }])
          )
        )
    )
  }
  console.log(`key ${key}`)
  console.log(
    `paths ${JSON.stringify(generationsUnderTest.map(({ conversation }) => `/v1/agent/resume/${conversation}`))}`
  )
  console.log(`listens on ${HttpServer.formatAddress((yield* HttpServer.HttpServer).address)}`)
}))

const service = Layer.mergeAll(serve(layerRoutes({ corsOrigins: [] })), appendEvents).pipe(
  Layer.provide(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.mergeAll(
    Layer.succeed(AdminToken, Redacted.make("administration-token-of-the-bench")),
    Layer.succeed(Readiness, { check: Effect.void })
  )),
  Layer.provide(Draining.layer),
  Layer.provide(engine)
)

await Effect.runPromise(Layer.launch(service))
