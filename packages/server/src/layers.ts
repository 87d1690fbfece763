import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { chartJobs, layerCharts } from "@tapeline/charts"
import {
  AccountData,
  type AdminStore,
  CallSettings,
  DerivedStore,
  type IdentityStore,
  layerAgent,
  layerEngine,
  layerTasks,
  type MarketPorts,
  ProviderSignIn,
  PublicBaseUrl,
  RateLimitWindow,
  Sessions,
  Toolbox,
  tools
} from "@tapeline/core"
import { GenerationRunner, StopLimit } from "@tapeline/core/agent"
import { layerNewsSearch } from "@tapeline/core/analysis"
import {
  AdminConsole,
  ConsoleAddress,
  Draining,
  layerAdminRoutes,
  layerRoutes,
  makeNodeServer,
  Readiness,
  serve
} from "@tapeline/http"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import {
  checkReady,
  type DataDirLost,
  layerBackfills,
  layerMigrations,
  layerPgliteBackups,
  PgDerivedDays,
  PgNewsIndex,
  PgStores
} from "@tapeline/postgres"
import type { RedisUnavailable } from "@tapeline/redis"
import { layerSandbox } from "@tapeline/sandbox"
import { Effect, Fiber, Layer, Option } from "effect"
import { Redis } from "effect/persistence/Redis"
import { CannotListen, type ListenerNames } from "./CannotListen.ts"
import { layerComputePool } from "./compute/layerComputePool.ts"
import { layerDatabase, statementTimeoutMs } from "./database.ts"
import { localAddress } from "./firstStart.ts"
import { layerGenerationRunner } from "./generationRunner.ts"
import { layerAdminToken } from "./layerAdminToken.ts"
import { type DependencyCheck, layerProcessMetrics } from "./layerProcessMetrics.ts"
import { layerDerivedDataJobs, layerLive, MarketReadinessReport } from "./market/layerLive.ts"
import { layerSimulatedMarket, simulatedReadsModule } from "./market/layerSimulatedMarket.ts"
import { layerAnswerBounds, layerEmbeddings, layerLanguageModel } from "./models.ts"
import { layerOutageReporter } from "./outages.ts"
import { layerProxies } from "./proxy/layerProxies.ts"
import type { Settings } from "./settings.ts"
import { measureLayer } from "./startPhases.ts"
import { readConsoleFiles, readDocumentationSite } from "./staticFiles.ts"
import { layerLogs, layerOtlp } from "./telemetry.ts"
import { layerWebhooks } from "./webhooks/layerWebhooks.ts"

/**
 * The maximum time that a stopping server waits for running calls before interrupting them. The whole stop of the
 * server may take 10 s.
 */
const shutdownTimeout = "7 seconds"

/**
 * The maximum time from the end of the drain for which a server waits for the analyst's suggestions, in ms. After
 * waiting for the suggestions, the server needs up to another second to stop.
 */
const suggestionTimeLimitMs = 7_500

/** Loads the Redis client on first use, because the Redis client is a third of all code that the server can load. */
const loadRedis = Effect.promise(() => import("@tapeline/redis"))

/** Stores the rate-limit windows in Redis instead of in the database, if Redis is configured. */
const layerRateLimitStore = ({ redisUrl: url }: Settings): Layer.Layer<never, RedisUnavailable> =>
  url === undefined
    ? Layer.empty
    : Layer.unwrap(Effect.map(loadRedis, ({ layerRedis, RedisRateLimitStore }) =>
      RedisRateLimitStore.pipe(Layer.provideMerge(layerRedis({ url })))))

const makeDependencyChecks = Effect.gen(function*() {
  const context = yield* Effect.context<Effect.Services<typeof checkReady>>()
  const redis = yield* Effect.serviceOption(Redis)
  const runner = yield* GenerationRunner
  const stores: DependencyCheck = {
    dependencies: ["database", "cluster"],
    check: Effect.andThen(Effect.provideContext(checkReady, context), runner.ready)
  }
  if (Option.isNone(redis)) return [stores]
  // While Redis is unavailable, the server admits no call, because Redis stores the rate-limit windows.
  const { checkRedis } = yield* loadRedis
  return [stores, { dependencies: ["Redis"], check: Effect.provideService(checkRedis, Redis, redis.value) }]
})

export const layerReadiness = Layer.effect(
  Readiness,
  Effect.gen(function*() {
    const checks = yield* makeDependencyChecks
    const market = yield* MarketReadinessReport
    return { check: Effect.all(checks.map(({ check }) => check), { concurrency: "unbounded", discard: true }), market }
  })
)

const layerOutageReports = Layer.unwrap(Effect.map(Readiness, ({ check }) => layerOutageReporter(check)))

const layerMetrics = Layer.unwrap(Effect.map(makeDependencyChecks, layerProcessMetrics))

/** The address on which a server listens, and the environment variables that set the address. */
interface Listener {
  readonly host: string
  readonly port: number
  readonly names: ListenerNames
}

/**
 * The time after the end of the drain for which accepted connections can still send a request, in ms; 0 without a
 * drain.
 */
const lingerMsOf = ({ drainMs }: Pick<Settings, "drainMs">): number => drainMs === 0 ? 0 : 500

export const layerListener = (
  settings: Pick<Settings, "drainMs" | "keepAliveMs">,
  { host, names, port }: Listener
) =>
  Layer.effectContext(
    Effect.mapError(
      Layer.build(NodeHttpServer.layer(() =>
        makeNodeServer({ keepAliveTimeoutMs: settings.keepAliveMs, lingerMs: lingerMsOf(settings) }), {
        host,
        port,
        gracefulShutdownTimeout: shutdownTimeout
      })),
      ({ cause }) =>
        new CannotListen({ names, cause })
    )
  )

const layerPrintAdminAddress = Layer.effectDiscard(
  Effect.flatMap(
    localAddress,
    (address) =>
      Effect.sync(() =>
        process.stdout.write(`The admin API and metrics are at ${address} (documentation: ${address}/docs)\n`)
      )
  )
)

/**
 * Lets running requests finish and rejects new requests, from the moment that the server begins to stop. After a drain,
 * the listener closes first, and accepted connections can still send a request.
 */
const layerDrainOnStop = (settings: Settings) => {
  const lingerMs = lingerMsOf(settings)
  return Layer.effectDiscard(
    Effect.flatMap(
      Draining,
      ({ begin }) =>
        Effect.addFinalizer(() => lingerMs === 0 ? begin : Effect.forkDetach(Effect.delay(begin, lingerMs)))
    )
  )
}

/** A market's ports, and the URLs of the modules with the market's thread pool jobs. */
interface MarketLayers<E, R> {
  readonly ports: Layer.Layer<MarketPorts, E, R>
  readonly jobs: ReadonlyArray<string>
}

export const simulatedMarket = (seed: number): MarketLayers<never, never> => ({
  ports: layerSimulatedMarket(seed),
  jobs: [simulatedReadsModule]
})

/**
 * Provides the market, the store of the market's derived data, and the thread pool for the computations of the market
 * and the tools.
 */
export const layerMarket = <E, ME, R>(
  { computeThreads }: Pick<Settings, "computeThreads">,
  { jobs, ports }: MarketLayers<ME, R>,
  derivedDays: Layer.Layer<never, E>
): Layer.Layer<MarketPorts | DerivedStore, E | ME, R> =>
  DerivedStore.layer.pipe(
    Layer.provide(derivedDays),
    Layer.provideMerge(measureLayer("market", ports)),
    // The layers are merged, because tool handlers submit jobs too.
    Layer.provideMerge(layerComputePool({
      workers: computeThreads,
      startFirstWorker: "when needed",
      modules: [...jobs, chartJobs]
    }))
  )

/** Runs the tasks of all accounts until the process begins to stop. Every process on the same database runs tasks. */
const layerBackgroundTasks = Layer.unwrap(
  Effect.map(Draining, ({ awaitBegin }) => layerTasks({ stopping: awaitBegin }))
)

/**
 * Returns whether the database stores derived days. For a simulated market in an embedded database, storing derived
 * data would only slow down calls.
 */
const hasDerivedDayStore = ({ databaseUrl, live }: Settings): boolean => databaseUrl !== undefined || live !== undefined

/** Limits the waits of a stopping analyst. After a drain, `Draining.begin` runs only when the linger time is over. */
export const layerStopLimit = (settings: Pick<Settings, "drainMs">) =>
  Layer.effect(
    StopLimit,
    Effect.gen(function*() {
      const { awaitBegin } = yield* Draining
      const wait = Effect.sleep(suggestionTimeLimitMs - lingerMsOf(settings))
      const timeLimit = yield* Effect.forkScoped(Effect.andThen(awaitBegin, wait))
      return Effect.asVoid(Fiber.await(timeLimit))
    })
  )

const layerAnalyst = (settings: Settings) =>
  layerAgent({ runner: layerGenerationRunner(settings, statementTimeoutMs) }).pipe(
    Layer.provide([
      layerLanguageModel(settings, OfflineAnalyst),
      layerAnswerBounds(settings),
      Layer.provide(layerStopLimit(settings), Draining.layer)
    ]),
    // An answer can outlive its request, so URLs in answers begin with the configured public URL.
    Layer.provide(Layer.succeed(PublicBaseUrl, settings.publicUrl ?? "")),
    (layer) => measureLayer("analyst", layer)
  )

const loadOpenId = Effect.promise(() => import("@tapeline/openid"))

const layerProviderSignIn = (
  { openId }: Settings
): Layer.Layer<never, never, AdminStore | IdentityStore | Sessions> => {
  if (openId === undefined) return Layer.empty
  const { admission, beginsAt: beginUrl, provider, redirectUri } = openId
  return Layer.unwrap(
    Effect.map(
      loadOpenId,
      ({ layerOpenIdProvider }) =>
        ProviderSignIn.layer({ ...admission, beginUrl, redirectUri }).pipe(Layer.provide(layerOpenIdProvider(provider)))
    )
  )
}

const layerPublicRoutes = (settings: Settings) => {
  const { adminListener, corsOrigins, trustedProxies, publicUrl } = settings
  return Layer.unwrap(Effect.gen(function*() {
    const console = yield* readConsoleFiles(settings)
    if (settings.hasConsole && console === undefined) {
      yield* Effect.logWarning("There is no console at /app, because it was not built: run `npm ci` or `npm start`")
    }
    return layerRoutes({
      corsOrigins,
      trustedProxies,
      publicUrl,
      adminApi: adminListener === undefined ? "here" : "elsewhere",
      console,
      documentationSite: yield* readDocumentationSite(settings)
    })
  }))
}

/** Starts a server for the admin API and metrics, next to the server of callers at `publicListener`. */
const makeAdminServer = (
  address: NonNullable<Settings["adminListener"]>,
  settings: Settings,
  publicListener: ReturnType<typeof layerListener>
) =>
  Layer.merge(serve(layerAdminRoutes), layerPrintAdminAddress).pipe(
    Layer.provide(Layer.effect(AdminConsole, readConsoleFiles(settings))),
    Layer.provide(layerListener(settings, {
      ...address,
      names: { host: "TAPELINE_ADMIN_HOST", port: "TAPELINE_ADMIN_PORT" }
    })),
    // Without `Layer.fresh`, the admin server and the public server would share one router and serve the same routes.
    Layer.fresh,
    // The admin server's sign-in links begin with the URL of the public server.
    Layer.provide(Layer.provide(
      Layer.effect(
        ConsoleAddress,
        settings.publicUrl === undefined ? localAddress : Effect.succeed(settings.publicUrl)
      ),
      publicListener
    ))
  )

/**
 * Returns the layer of the complete server: the engine, the HTTP server, and all layers that these two need. `onLost`
 * must end the server if another process has taken over the data folder.
 */
export const layerServer = (settings: Settings, onLost: (lost: DataDirLost) => void = () => undefined) => {
  const database = measureLayer("migrations", layerMigrations).pipe(
    Layer.provideMerge(measureLayer("database", layerDatabase(settings, onLost)))
  )
  // PostgreSQL has tools of its own for backups.
  const backups = settings.databaseUrl === undefined ? layerPgliteBackups : Layer.empty
  const stores = layerRateLimitStore(settings).pipe(
    Layer.provideMerge(Layer.merge(PgStores, backups)),
    Layer.provideMerge(database)
  )
  const derivedDays = hasDerivedDayStore(settings) ? Layer.provide(PgDerivedDays, database) : Layer.empty
  // The index of an embedded database is kept in memory, because no other process shares it and refilling it is fast.
  // The embeddings of a paid provider are stored in the database, even if the database is embedded.
  const usesInMemoryIndex = settings.databaseUrl === undefined && settings.openAi?.embeddings === undefined
  const newsIndex = usesInMemoryIndex ? Layer.empty : Layer.provide(PgNewsIndex, database)
  const news = Layer.provide(layerNewsSearch, [layerEmbeddings(settings), newsIndex])
  const ports = settings.live === undefined
    ? simulatedMarket(settings.simSeed)
    : { ports: Layer.provide(layerLive(settings.live, settings.outgoingProxies), database), jobs: [] }
  const market = layerMarket(settings, ports, derivedDays)

  const engine = layerEngine({
    toolbox: Toolbox.layer(tools),
    plans: settings.plans,
    sweeper: { intervalMs: settings.sweepEveryMs, retentionMonths: settings.keepMonths },
    events: { retentionDays: settings.eventDays }
  }).pipe(
    (layer) => measureLayer("engine", layer),
    Layer.provideMerge(news),
    // The market's thread pool renders the charts.
    Layer.provideMerge(layerCharts),
    Layer.provideMerge(Layer.mergeAll(stores, market, layerSandbox(settings)))
  )

  const { adminListener } = settings
  const listener = layerListener(settings, { ...settings, names: { host: "HOST", port: "PORT" } })
  const publicServer = Layer.provideMerge(measureLayer("http", serve(layerPublicRoutes(settings))), listener)
  const adminServer = adminListener === undefined
    ? Layer.empty
    : makeAdminServer(adminListener, settings, listener)

  return layerDrainOnStop(settings).pipe(
    Layer.provideMerge(Layer.merge(publicServer, adminServer)),
    Layer.provide(layerAdminToken(settings)),
    Layer.merge(Layer.merge(layerOutageReports, layerMetrics)),
    Layer.provide(layerReadiness),
    Layer.merge(Layer.merge(layerBackgroundTasks, Layer.provide(layerBackfills, database))),
    Layer.merge(settings.live === undefined ? Layer.empty : Layer.provide(layerDerivedDataJobs, database)),
    Layer.provideMerge(Draining.layer),
    Layer.provideMerge(layerAnalyst(settings)),
    Layer.provideMerge(Layer.merge(layerProviderSignIn(settings), layerWebhooks(settings))),
    Layer.provideMerge(AccountData.layer({ backupDays: settings.backupDays })),
    Layer.provideMerge(Layer.provideMerge(Sessions.layer, engine)),
    Layer.provide(Layer.mergeAll(
      Layer.succeed(CallSettings, {
        toolTimeout: settings.toolTimeoutMs,
        reservationGrace: settings.reservationGraceMs,
        replayFor: settings.replayMs
      }),
      Layer.succeed(RateLimitWindow, settings.requestWindowMs)
    )),
    Layer.provideMerge(layerOtlp(settings.telemetry)),
    Layer.provide(layerProxies(settings.outgoingProxies)),
    Layer.provideMerge(layerLogs(settings.logLevel))
  )
}
