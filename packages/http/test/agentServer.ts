import { NodeHttpServer } from "@effect/platform-node"
import { layerAgent, layerEngine, layerFibreRunner, Sessions, Toolbox } from "@tapeline/core"
import type { LanguageModel } from "@tapeline/core/agent"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Logger, Redacted } from "effect"
import { testAdminToken, testPlans } from "./testServer.ts"
import { testTools } from "./testTools.ts"

const agentPlans = {
  ...testPlans,
  poor: { monthly_credits: 19, keys: 2, requests_per_minute: 100_000, answers_per_day: 10 },
  once: { monthly_credits: 1_000, keys: 2, requests_per_minute: 100_000, answers_per_day: 1 }
}

export const layerAgentServer = <E>(
  model: Layer.Layer<LanguageModel, E>,
  log: Array<string> = [],
  server = makeNodeServer()
) =>
  serve(layerRoutes({ corsOrigins: [] })).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })),
    Layer.provide(Layer.succeed(AdminToken, Redacted.make(testAdminToken))),
    Layer.provide(Layer.succeed(Readiness, { check: Effect.void })),
    Layer.provideMerge(Draining.layer),
    Layer.provideMerge(Layer.merge(layerAgent({ runner: layerFibreRunner }), Sessions.layer)),
    Layer.provide(model),
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer(testTools), plans: agentPlans })),
    Layer.provideMerge(MemoryStores),
    Layer.provide(Logger.layer([Logger.make((entry) => void log.push(Logger.formatJson.log(entry)))]))
  )
