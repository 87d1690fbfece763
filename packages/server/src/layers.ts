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

/** The time that a stopping server gives running calls before it interrupts them. The whole stop has 10 s. */
const drainFor = "7 seconds"

/**
 * The time after the begin of the stop until which the server waits for suggestions. The rest of the stop takes up to a
 * second.
 */
const suggestFor = "7500 millis"

/** Loads the Redis client on first use, because the client is a third of all code that the server can load. */
const loadRedis = Effect.promise(() => import("@tapeline/redis"))

/** Stores the rate-limit windows in Redis, if one is configured, instead of in the database. */
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
    // With Redis as the store of rate-limit windows, no call is admitted while Redis is unavailable.
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

/** The address on which a server listens, and the variables that set it. */
interface Listener {
  readonly host: string
  readonly port: number
  readonly names: ListenerNames
}

/** A Node HTTP server that listens on an address. Fails with `CannotListen`. */
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

/** Prints the address of the admin API and metrics, if they have their own. */
const layerAdministrationAddress = Layer.effectDiscard(
  Effect.flatMap(
    localAddress,
    (address) => Effect.sync(() => process.stdout.write(`Administration and metrics are on ${address}.\n`))
  )
)

/** Lets running requests finish and rejects new ones from the moment that the server begins to stop. */
const layerDrain = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) => Effect.addFinalizer(() => draining.begin))
)

/** The market ports, and the modules of the market's jobs for the thread pool. */
interface Market<E, R> {
  readonly ports: Layer.Layer<MarketPorts, E, R>
  readonly jobs: ReadonlyArray<string>
}

export const simulatedMarket = (seed: number): Market<never, never> => ({
  ports: layerSimulatedMarket(seed),
  jobs: [simulatedReads]
})

/** The market, its derived data, and the thread pool that computes for both and for the tools. */
export const layerMarket = <E, ME, R>(
  { computeThreads }: Pick<Settings, "computeThreads">,
  { jobs, ports }: Market<ME, R>,
  derivedDays: Layer.Layer<never, E>
): Layer.Layer<MarketPorts | DerivedStore, E | ME, R> =>
  DerivedStore.layer.pipe(
    Layer.provide(derivedDays),
    Layer.provideMerge(timedLayer("market", ports)),
    // Merged, because tool handlers submit jobs too.
    Layer.provideMerge(layerComputePool({
      workers: computeThreads,
      firstStarts: "when needed",
      modules: [...jobs, chartJobs]
    }))
  )

/** Runs the tasks of all accounts until this process begins to stop. Every process on the same database runs them. */
const layerBackground = Layer.unwrap(
  Effect.map(Draining, ({ begun }) => layerTasks({ stopping: begun }))
)

/**
 * Returns whether derived days are stored in the database. No other process shares an embedded database, so storing
 * them would only compete with its calls. The derived data of a live market must survive a restart.
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

/** The analyst, with the configured language model. */
const layerAnswers = (settings: Settings) =>
  layerAgent({ runner: layerRunner(settings, statementTimeoutMs) }).pipe(
    Layer.provide([layerLanguageModel(settings, OfflineAnalyst), layerAnswerBounds(settings), layerStopLimit]),
    // An answer can outlive the request that started it, so its addresses use the configured public URL.
    Layer.provide(Layer.succeed(PublicAddress, settings.publicUrl ?? "")),
    (layer) => timedLayer("analyst", layer)
  )

/** Loads the OpenID Connect client only if it is used. */
const loadOpenId = Effect.promise(() => import("@tapeline/openid"))

/** Adds sign-in with an OpenID provider, if one is configured. */
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

/** The routes for callers, and the console. */
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

/** The admin API and metrics at their own address. `callers` is the server for callers. */
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
    // Builds a separate router. Otherwise both servers would share one router and its routes.
    Layer.fresh,
    // Sign-in links lead to the address for callers.
    Layer.provide(Layer.provide(
      Layer.effect(ConsoleAddress, publicUrl === undefined ? localAddress : Effect.succeed(publicUrl)),
      callers
    ))
  )

/**
 * The engine and its HTTP server. Connects all layers. `onLost` runs if another process has taken the data folder; the
 * server must then end.
 */
export const layerServer = (settings: Settings, onLost: (lost: DataDirLost) => void = () => undefined) => {
  const database = timedLayer("migrations", layerMigrations).pipe(
    Layer.provideMerge(timedLayer("database", layerDatabase(settings, onLost)))
  )
  const stores = layerRequestWindows(settings).pipe(Layer.provideMerge(PgStores), Layer.provideMerge(database))
  const derivedDays = keepsDays(settings) ? Layer.provide(PgDerivedDays, database) : Layer.empty
  // No other process shares the article index of an embedded database. An index in memory is filled again at each
  // start, which costs only a moment. Embeddings from a paid provider are stored.
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
    // The market's thread pool draws the charts.
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
