import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { chartJobs, layerCharts } from "@tapeline/charts"
import {
  CallSettings,
  DerivedStore,
  type IdentityStore,
  layerAgent,
  layerEngine,
  layerTasks,
  type MarketPorts,
  ProviderSignIn,
  PublicAddress,
  RequestWindow,
  Sessions,
  Toolbox,
  tools
} from "@tapeline/core"
import { GenerationRunner, StopLimit } from "@tapeline/core/agent"
import { layerNewsSearch } from "@tapeline/core/analysis"
import {
  AdminToken,
  ConsoleAddress,
  Draining,
  layerAdministrationRoutes,
  layerRoutes,
  makeNodeServer,
  Readiness,
  serve
} from "@tapeline/http"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { checkReady, type DataDirLost, layerMigrations, PgDerivedDays, PgNewsIndex, PgStores } from "@tapeline/postgres"
import type { RedisUnavailable } from "@tapeline/redis"
import { layerSandbox } from "@tapeline/sandbox"
import { Effect, Fiber, Layer, Option } from "effect"
import { Redis } from "effect/persistence/Redis"
import { storedAdminToken } from "./adminToken.ts"
import { CannotListen, type ListenerNames } from "./CannotListen.ts"
import { layerComputePool } from "./compute/layerComputePool.ts"
import { consoleFiles } from "./consoleFiles.ts"
import { layerDatabase, statementTimeoutMs } from "./database.ts"
import { localAddress } from "./firstStart.ts"
import { layerDeriving, layerLive } from "./market/layerLive.ts"
import { layerSimulatedMarket, simulatedReads } from "./market/layerSimulatedMarket.ts"
import { MarketTold } from "./market/MarketTold.ts"
import { layerAnswerBounds, layerEmbeddings, layerLanguageModel } from "./models.ts"
import { layerOutageEnds } from "./outages.ts"
import { layerProxies } from "./proxy/layerProxies.ts"
import { layerRunner } from "./runner.ts"
import type { Settings } from "./settings.ts"
import { timedLayer } from "./startTimes.ts"
import { layerLogs, layerOtlp } from "./telemetry.ts"

/** How long a stopping server lets running calls finish before it interrupts them; well within the 10 s that it has. */
const drainFor = "7 seconds"

/** How long after the begin of the stop it waits for suggestions. The rest of the stop takes up to a second. */
const suggestFor = "7500 millis"

/** The client of Redis is a third of all the code that the server could load: only where it is used. */
const loadRedis = Effect.promise(() => import("@tapeline/redis"))

/** Where a Redis is set, it keeps the windows of requests, in place of the database's own store of them. */
const layerRequestWindows = ({ redisUrl: url }: Settings): Layer.Layer<never, RedisUnavailable> =>
  url === undefined
    ? Layer.empty
    : Layer.unwrap(Effect.map(loadRedis, ({ layerRedis, RedisRequestWindowStore }) =>
      RedisRequestWindowStore.pipe(Layer.provideMerge(layerRedis({ url })))))

export const layerReadiness = Layer.effect(
  Readiness,
  Effect.gen(function*() {
    const context = yield* Effect.context<Effect.Services<typeof checkReady>>()
    const redis = yield* Effect.serviceOption(Redis)
    const runner = yield* GenerationRunner
    const check = Effect.andThen(Effect.provideContext(checkReady, context), runner.ready)
    const market = yield* MarketTold
    if (Option.isNone(redis)) return { check, market }
    // Where Redis keeps the windows of requests, no call is let in without it.
    const { checkRedis } = yield* loadRedis
    return {
      check: Effect.all([check, Effect.provideService(checkRedis, Redis, redis.value)], {
        concurrency: 2,
        discard: true
      }),
      market
    }
  })
)

const layerOutages = Layer.unwrap(Effect.map(Readiness, ({ check }) => layerOutageEnds(check)))

/** Where a server listens, and the variables that say so. */
interface Listener {
  readonly host: string
  readonly port: number
  readonly names: ListenerNames
}

/** A server of Node at an address. */
export const layerListener = (keepAliveMs: number, { host, names, port }: Listener) =>
  Layer.effectContext(
    Effect.mapError(
      Layer.build(NodeHttpServer.layer(() => makeNodeServer({ keepAliveTimeoutMs: keepAliveMs }), {
        host,
        port,
        gracefulShutdownTimeout: drainFor
      })),
      ({ cause }) => new CannotListen({ names, cause })
    )
  )

/** Tells the operator where the administration is, when it has an address of its own. */
const layerAdministrationAddress = Layer.effectDiscard(
  Effect.flatMap(
    localAddress,
    (address) => Effect.sync(() => process.stdout.write(`Administration and metrics are on ${address}.\n`))
  )
)

/** Lets running requests finish and refuses new ones from the moment that the server is told to stop. */
const layerDrain = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) => Effect.addFinalizer(() => draining.begin))
)

/** Where market data comes from, and the jobs of its own that it gives to other threads. */
interface Market<E, R> {
  readonly ports: Layer.Layer<MarketPorts, E, R>
  readonly jobs: ReadonlyArray<string>
}

export const simulatedMarket = (seed: number): Market<never, never> => ({
  ports: layerSimulatedMarket(seed),
  jobs: [simulatedReads]
})

/** The market, what is derived from it, and the threads that compute for both and for the tools. */
export const layerMarket = <E, ME, R>(
  { computeThreads }: Pick<Settings, "computeThreads">,
  { jobs, ports }: Market<ME, R>,
  derivedDays: Layer.Layer<never, E>
): Layer.Layer<MarketPorts | DerivedStore, E | ME, R> =>
  DerivedStore.layer.pipe(
    Layer.provide(derivedDays),
    Layer.provideMerge(timedLayer("market", ports)),
    // Merged, since handlers of tools give jobs too.
    Layer.provideMerge(layerComputePool({
      workers: computeThreads,
      firstStarts: "when needed",
      modules: [...jobs, chartJobs]
    }))
  )

/** Tasks of all accounts, which run here as in every process on the same database, until this one begins to stop. */
const layerBackground = Layer.unwrap(
  Effect.map(Draining, ({ begun }) => layerTasks({ stopping: begun }))
)

/**
 * Who has the embedded database alone shares nothing, and would write beside its calls. Of a live market what was
 * derived outlives the process.
 */
const keepsDays = ({ databaseUrl, live }: Settings): boolean => databaseUrl !== undefined || live !== undefined

const layerStopLimit = Layer.effect(
  StopLimit,
  Effect.gen(function*() {
    const { begun } = yield* Draining
    const over = yield* Effect.forkScoped(Effect.andThen(begun, Effect.sleep(suggestFor)))
    return Effect.asVoid(Fiber.await(over))
  })
).pipe(Layer.provide(Draining.layer))

/** The analyst, by the model that is configured. */
const layerAnswers = (settings: Settings) =>
  layerAgent({ runner: layerRunner(settings, statementTimeoutMs) }).pipe(
    Layer.provide([layerLanguageModel(settings, OfflineAnalyst), layerAnswerBounds(settings), layerStopLimit]),
    // Requests begin answers, and answers run by themselves: addresses in them are told as configured.
    Layer.provide(Layer.succeed(PublicAddress, settings.publicUrl ?? "")),
    (layer) => timedLayer("analyst", layer)
  )

/** The client of OpenID Connect is loaded only where it is used. */
const loadOpenId = Effect.promise(() => import("@tapeline/openid"))

/** Where a provider says who people are, they sign in by it too. */
const layerProviderSignIn = ({ openId }: Settings): Layer.Layer<never, never, IdentityStore | Sessions> => {
  if (openId === undefined) return Layer.empty
  const { admission, beginsAt, provider, redirectUri } = openId
  return Layer.unwrap(
    Effect.map(
      loadOpenId,
      ({ layerOpenIdProvider }) =>
        ProviderSignIn.layer({ ...admission, beginsAt, redirectUri }).pipe(Layer.provide(layerOpenIdProvider(provider)))
    )
  )
}

const layerAdminToken = ({ adminToken, dataDir }: Settings) =>
  Layer.effect(AdminToken, adminToken === undefined ? storedAdminToken(dataDir) : Effect.succeed(adminToken))

/** The routes for callers, with the console. */
const layerAllRoutes = (settings: Settings) => {
  const { administration, corsOrigins, proxies, publicUrl } = settings
  return Layer.unwrap(Effect.gen(function*() {
    const console = yield* consoleFiles(settings)
    if (settings.hasConsole && console === undefined) {
      yield* Effect.logWarning("There is no console at /app: it was not built, which `npm ci` and `npm start` do")
    }
    return layerRoutes({
      corsOrigins,
      proxies,
      publicUrl,
      administration: administration === undefined ? "here" : "elsewhere",
      console
    })
  }))
}

/** Administration and metrics at an address of their own; `callers` is the server at that of the callers. */
const administrationAt = (
  place: NonNullable<Settings["administration"]>,
  { keepAliveMs, publicUrl }: Settings,
  callers: ReturnType<typeof layerListener>
) =>
  Layer.merge(serve(layerAdministrationRoutes), layerAdministrationAddress).pipe(
    Layer.provide(layerListener(keepAliveMs, {
      ...place,
      names: { host: "TAPELINE_ADMIN_HOST", port: "TAPELINE_ADMIN_PORT" }
    })),
    // A router of its own: the other one's would be shared, and with it the routes.
    Layer.fresh,
    // People sign in where callers call.
    Layer.provide(Layer.provide(
      Layer.effect(ConsoleAddress, publicUrl === undefined ? localAddress : Effect.succeed(publicUrl)),
      callers
    ))
  )

/**
 * The engine and its HTTP server: every layer is wired here, once. `onLost` runs should another process have taken the
 * data folder: then the server must end.
 */
export const layerServer = (settings: Settings, onLost: (lost: DataDirLost) => void = () => undefined) => {
  const database = timedLayer("migrations", layerMigrations).pipe(
    Layer.provideMerge(timedLayer("database", layerDatabase(settings, onLost)))
  )
  const stores = layerRequestWindows(settings).pipe(Layer.provideMerge(PgStores), Layer.provideMerge(database))
  const derivedDays = keepsDays(settings) ? Layer.provide(PgDerivedDays, database) : Layer.empty
  // It shares no index of articles either; one in memory is filled anew at each start, by what costs nothing but a
  // moment. What a provider was paid for is kept.
  const isCheap = settings.databaseUrl === undefined && settings.openAi?.embeddings === undefined
  const newsIndex = isCheap ? Layer.empty : Layer.provide(PgNewsIndex, database)
  const news = Layer.provide(layerNewsSearch, [layerEmbeddings(settings), newsIndex])
  const ports = settings.live === undefined
    ? simulatedMarket(settings.simSeed)
    : { ports: Layer.provide(layerLive(settings.live, settings.outgoingProxies), database), jobs: [] }
  const market = layerMarket(settings, ports, derivedDays)

  const engine = layerEngine({
    toolbox: Toolbox.layer(tools),
    plans: settings.plans,
    sweeper: { intervalMs: settings.sweepEveryMs, keepMonths: settings.keepMonths }
  }).pipe(
    (layer) => timedLayer("engine", layer),
    Layer.provideMerge(news),
    // Charts are drawn by the threads that compute for the market.
    Layer.provideMerge(layerCharts),
    Layer.provideMerge(Layer.mergeAll(stores, market, layerSandbox(settings)))
  )

  const { administration } = settings
  const listener = layerListener(settings.keepAliveMs, { ...settings, names: { host: "HOST", port: "PORT" } })
  const served = Layer.provideMerge(timedLayer("http", serve(layerAllRoutes(settings))), listener)
  const servedElsewhere = administration === undefined
    ? Layer.empty
    : administrationAt(administration, settings, listener)

  return layerDrain.pipe(
    Layer.provideMerge(Layer.merge(served, servedElsewhere)),
    Layer.provide(layerAdminToken(settings)),
    Layer.merge(layerOutages),
    Layer.provide(layerReadiness),
    Layer.merge(layerBackground),
    Layer.merge(settings.live === undefined ? Layer.empty : Layer.provide(layerDeriving, database)),
    Layer.provide(Draining.layer),
    Layer.provideMerge(layerAnswers(settings)),
    Layer.provideMerge(layerProviderSignIn(settings)),
    Layer.provideMerge(Layer.provideMerge(Sessions.layer, engine)),
    Layer.provide(Layer.mergeAll(
      Layer.succeed(CallSettings, {
        toolTimeout: settings.toolTimeoutMs,
        reservationGrace: settings.reservationGraceMs,
        replayFor: settings.replayMs
      }),
      Layer.succeed(RequestWindow, settings.requestWindowMs)
    )),
    Layer.provideMerge(layerOtlp(settings.telemetry)),
    Layer.provide(layerProxies(settings.outgoingProxies)),
    Layer.provideMerge(layerLogs(settings.logLevel))
  )
}
