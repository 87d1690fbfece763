import type { MarketReadiness } from "@tapeline/api"
import type { MarketReport, Network } from "@tapeline/market-live"
import { PgMarketStore } from "@tapeline/postgres"
import { Context, Effect, Layer, Option } from "effect"
import { loadProxyConnections } from "../proxy/layerProxies.ts"
import type { OutboundProxySettings } from "../proxy/proxySettings.ts"
import type { LiveMarketSettings } from "./liveSettings.ts"

/** The state of the live market, for `/readyz`; undefined for a market without sources. */
export const MarketReadinessReport = Context.Reference<Effect.Effect<typeof MarketReadiness.Type> | undefined>(
  "@tapeline/server/MarketReadinessReport",
  { defaultValue: () => undefined }
)

const loadLiveMarket = Effect.promise(() =>
  Promise.all([import("@tapeline/market-live"), import("./toLiveSettings.ts")])
)

const toIsoOrNull = (timeMs: number | null): string | null => timeMs === null ? null : new Date(timeMs).toISOString()

/** Converts a market report to the market state in the response of `/readyz`. */
const toReadiness = ({ collectorsBySource, sources }: MarketReport, network: Network): typeof MarketReadiness.Type => ({
  network,
  sources: sources.map(({ blockedUntil, lastFault, lastSuccessAt, next, source, state }) => ({
    source,
    state,
    failure: state === "up" ? null : lastFault?.failure ?? null,
    reason: state === "up" ? null : lastFault?.reason ?? null,
    last_success_at: toIsoOrNull(lastSuccessAt),
    blocked_until: toIsoOrNull(blockedUntil),
    next
  })),
  collected: collectorsBySource.map(({ collectors: own, holder, lead, source }) => ({
    source,
    lead,
    holder,
    series: own.map(({ lagMs, lastFault, lostMs, missingMs, name, unlisted, completeAt }) => ({
      name,
      lag_ms: lagMs,
      missing_ms: missingMs,
      lost_ms: lostMs,
      whole_at: toIsoOrNull(completeAt),
      unlisted,
      last_fault_at: toIsoOrNull(lastFault?.at ?? null),
      reason: lastFault?.reason ?? null
    }))
  }))
})

/** Makes the sockets of the live market's sources use the configured proxies. */
export const layerSocketConnections = (proxySettings: OutboundProxySettings | undefined): Layer.Layer<never> =>
  proxySettings === undefined
    ? Layer.empty
    : Layer.unwrap(Effect.gen(function*() {
      const [[{ SocketConnections }], { makeSocketConnections }] = yield* Effect.all([
        loadLiveMarket,
        loadProxyConnections
      ])
      return Layer.succeed(SocketConnections, makeSocketConnections(proxySettings))
    }))

/** The live market, whose data is collected into the service's own database. */
export const layerLive = (settings: LiveMarketSettings, proxySettings?: OutboundProxySettings) =>
  Layer.unwrap(Effect.gen(function*() {
    for (const warning of settings.warnings) yield* Effect.logWarning(warning)
    const [{ layerLiveMarket, MarketHealth, networkOf }, { toLiveSettings }] = yield* loadLiveMarket
    const readiness = Layer.effect(
      MarketReadinessReport,
      Effect.map(
        MarketHealth,
        ({ report }) =>
          Effect.map(report, (currentReport) => toReadiness(currentReport, networkOf(currentReport.sources)))
      )
    )
    return Layer.provideMerge(readiness, layerLiveMarket(toLiveSettings(settings))).pipe(
      Layer.provide(PgMarketStore),
      Layer.provide(layerSocketConnections(proxySettings))
    )
  }))

/**
 * Computes derived data from the collected series every hour, and reports the state through `MarketHealth`. If several
 * processes share the database, only one process computes derived data.
 */
export const layerDerivedDataJobs = Layer.unwrap(Effect.gen(function*() {
  const [{ layerHourlyDerivation, MarketHealth }] = yield* loadLiveMarket
  const health = Option.getOrThrow(yield* Effect.serviceOption(MarketHealth))
  return Layer.provide(layerHourlyDerivation(), [Layer.succeed(MarketHealth, health), PgMarketStore])
}))
