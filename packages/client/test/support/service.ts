import { NodeHttpServer } from "@effect/platform-node"
import {
  Administration,
  defaultPlans,
  implement,
  layerAgent,
  layerEngine,
  layerFibreRunner,
  Sessions,
  specify,
  Toolbox,
  UnknownSymbol
} from "@tapeline/core"
import { GenerationStore, type LanguageModel } from "@tapeline/core/agent"
import { noArguments } from "@tapeline/core/engine"
import { CoinArgument } from "@tapeline/core/market"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Logger, ManagedRuntime, Redacted, Schema } from "effect"
import { HttpServer } from "effect/http"

const price = specify({
  name: "test_price",
  area: "crypto",
  scope: "read:market",
  credits: 5,
  summary: "The price of BTC.",
  parameters: Schema.Struct({ coin: CoinArgument }),
  result: Schema.Struct({ coin: Schema.String, price: Schema.Finite }),
  example: { coin: "BTC" }
})

const ping = specify({
  name: "test_ping",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  summary: "Answers.",
  parameters: noArguments,
  result: Schema.Struct({ ok: Schema.Boolean }),
  example: {}
})

/** The specifications of the service's tools in the tests, typed as for a service with its own tools. */
export const testSpecifications = [price, ping] as const

const tools = [
  implement(
    price,
    Effect.succeed(({ coin }) =>
      coin === "BTC" ? Effect.succeed({ coin, price: 100_000 }) : Effect.fail(new UnknownSymbol({ symbol: coin }))
    )
  ),
  implement(ping, Effect.succeed(() => Effect.succeed({ ok: true })))
]

const plans = {
  ...defaultPlans,
  roomy: { monthly_credits: 1_000_000, keys: 2, requests_per_minute: 1_000_000, answers_per_day: 10_000 },
  poor: { monthly_credits: 7, keys: 2, requests_per_minute: 100_000, answers_per_day: 10 }
}

const layerListener = serve(layerRoutes({ corsOrigins: ["*"] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("administration-token-of-this-test")),
    Layer.succeed(Readiness, { check: Effect.void })
  ]),
  Layer.provideMerge(Draining.layer)
)

const portOf = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => Number(new URL(HttpServer.formatAddress(address)).port)
)

/**
 * Starts the service on a real socket with stores in memory. The test can close and reopen the socket without losing
 * the stores.
 */
export const startService = async (model: Layer.Layer<LanguageModel>) => {
  const engine = layerAgent({ runner: layerFibreRunner }).pipe(
    Layer.provide(model),
    Layer.provideMerge(Sessions.layer),
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer(tools), plans })),
    Layer.provideMerge(MemoryStores),
    Layer.provide(Logger.layer([]))
  )
  const runtime = ManagedRuntime.make(engine)
  const services = await runtime.context()
  const listen = async () => {
    const listener = ManagedRuntime.make(layerListener.pipe(Layer.provide(Layer.succeedContext(services))))
    const port = await listener.runPromise(portOf)
    /** Stops the service as a signal stops the process: streams end completely, and no new request is accepted. */
    const stop = async () => {
      await listener.runPromise(Effect.flatMap(Draining, ({ begin }) => begin))
      await listener.dispose()
    }
    return { port, stop }
  }
  return {
    listen,
    /** Creates an account with a key, a function that revokes the key, and a function that creates sign-in links. */
    createAccount: async (plan: "roomy" | "poor" = "roomy") => {
      const { account, key, record } = await runtime.runPromise(createKeyedAccount({ plan }))
      const link = () =>
        runtime.runPromise(Effect.flatMap(
          Sessions,
          (sessions) => Effect.map(sessions.createLink(account.id), ({ token }) => Redacted.value(token))
        ))
      const revoke = () => runtime.runPromise(Effect.flatMap(Administration, ({ revokeKey }) => revokeKey(record.id)))
      return { key, link, revoke }
    },
    /** Deletes the logs of all ended answers, which the service usually deletes after an hour. */
    deleteLogs: () =>
      runtime.runPromise(Effect.flatMap(
        GenerationStore,
        ({ sweep }) => sweep({ closeAfterMs: -1_000, keepLogsMs: -1_000, keepRowsMs: 1e9, limit: 1_000 })
      )),
    dispose: () => runtime.dispose()
  }
}

export type Service = Awaited<ReturnType<typeof startService>>
