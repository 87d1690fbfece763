import type { MarketReadiness } from "@tapeline/api"
import type { MarketReport, Network } from "@tapeline/market-live"
import { PgMarketStore } from "@tapeline/postgres"
import { Effect, Layer, Option } from "effect"
import { loadProxies } from "../proxy/layerProxies.ts"
import type { ProxySettings } from "../proxy/proxySettings.ts"
import type { LiveMarketSettings } from "./liveSettings.ts"
import { MarketTold } from "./MarketTold.ts"

/** Loads the live market only if it is configured. */
const loadLive = Effect.promise(() => Promise.all([import("@tapeline/market-live"), import("./coinsOf.ts")]))

const instant = (at: number | null): string | null => at === null ? null : new Date(at).toISOString()

/**
 * Converts the report to the form of `/readyz`: the state of each source, and the progress of each collected series.
 */
const toldOf = ({ collected, sources }: MarketReport, network: Network): typeof MarketReadiness.Type => ({
  network,
  sources: sources.map(({ blockedUntil, lastFault, lastSuccessAt, next, source, state }) => ({
    source,
    state,
    failure: state === "up" ? null : lastFault?.failure ?? null,
    reason: state === "up" ? null : lastFault?.reason ?? null,
    last_success_at: instant(lastSuccessAt),
    blocked_until: instant(blockedUntil),
    next
  })),
  collected: collected.map(({ collected: own, holder, lead, source }) => ({
    source,
    lead,
    holder,
    series: own.map(({ lagMs, lastFault, lostMs, missingMs, name, unlisted, wholeAt }) => ({
      name,
      lag_ms: lagMs,
      missing_ms: missingMs,
      lost_ms: lostMs,
      whole_at: instant(wholeAt),
      unlisted,
      last_fault_at: instant(lastFault?.at ?? null),
      reason: lastFault?.reason ?? null
    }))
  }))
})

/** Opens the sockets of the live market's sources through the proxies. */
export const layerSocketConnections = (proxies: ProxySettings | undefined): Layer.Layer<never> =>
  proxies === undefined
    ? Layer.empty
    : Layer.unwrap(Effect.gen(function*() {
      const [[{ SocketConnections }], { socketsThrough }] = yield* Effect.all([loadLive, loadProxies])
      return Layer.succeed(SocketConnections, socketsThrough(proxies))
    }))

/** The live market, which is collected into the service's own database. */
export const layerLive = (settings: LiveMarketSettings, proxies?: ProxySettings) =>
  Layer.unwrap(Effect.gen(function*() {
    for (const one of settings.unused) yield* Effect.logWarning(one)
    const [{ layerLiveMarket, MarketHealth, networkOf }, { coinsOf }] = yield* loadLive
    const told = Layer.effect(
      MarketTold,
      Effect.map(MarketHealth, ({ report }) => Effect.map(report, (known) => toldOf(known, networkOf(known.sources))))
    )
    return Layer.provideMerge(told, layerLiveMarket(coinsOf(settings))).pipe(
      Layer.provide(PgMarketStore),
      Layer.provide(layerSocketConnections(proxies))
    )
  }))

/**
 * Computes derived data from the collected series every hour, in one of the processes that share the database. Reports
 * its state through the live market's `MarketHealth`, which must be provided.
 */
export const layerDeriving = Layer.unwrap(Effect.gen(function*() {
  const [{ layerDerivedHours, MarketHealth }] = yield* loadLive
  const health = Option.getOrThrow(yield* Effect.serviceOption(MarketHealth))
  return Layer.provide(layerDerivedHours(), [Layer.succeed(MarketHealth, health), PgMarketStore])
}))
