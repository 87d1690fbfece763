import { type MarketError, type MarketRead, type Reading, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import { MarketHealth, type MarketReport } from "../collect/index.ts"
import type { SourceState } from "../source/index.ts"
import { asked, storeName } from "../stored/asking.ts"
import { coinDocument } from "../stored/documents.ts"

/** Who feeds a port, as `SourceHealth` names them (`binance/spot`): one that is there is enough. */
export type Feeders = readonly [string, ...ReadonlyArray<string>]

const nameOf = (feeder: string): string => feeder.split("/")[0]!

/** Without them no coin is known at all. */
export const coinFeeders: Feeders = ["binance/spot", "bybit/market", "okx/market"]

const nothingYet = (feeder: string) =>
  new SourceUnavailable({
    source: nameOf(feeder),
    failure: "unreachable",
    reason: "nothing was collected from it yet",
    retryable: true
  })

/** What a source's state comes to for who asks what is stored of it. */
const faultOf = (feeder: string, state: SourceState | undefined, now: number): SourceUnavailable => {
  if (state?.lastFault == null) return nothingYet(feeder)
  const { failure, reason } = state.lastFault
  const until = state.limitedUntil
  return new SourceUnavailable({
    source: nameOf(feeder),
    failure,
    reason,
    retryable: failure !== "blocked" && failure !== "not_configured",
    ...(failure === "rate_limited" && until !== null ? { retryAfterMs: Math.max(1, until - now) } : {})
  })
}

/**
 * Whether none of a port's feeders is there, and how the first of them fails. One that another process leads is asked
 * by that one alone, and taken for being there.
 */
export const awayOf = (
  { collected, sources }: MarketReport,
  feeders: Feeders,
  now: number
): SourceUnavailable | undefined => {
  const stateOf = (feeder: string) => sources.find(({ source }) => source === feeder)
  const isThere = (feeder: string) => {
    const state = stateOf(feeder)?.state ?? "unknown"
    if (state !== "unknown") return state === "up"
    return collected.some(({ lead, source }) => source === nameOf(feeder) && lead === "follows")
  }
  return feeders.some(isThere) ? undefined : faultOf(feeders[0], stateOf(feeders[0]), now)
}

type Guard = <A>(read: MarketRead<A>) => MarketRead<A>

/** What a member of a market port is. */
type Member = MarketRead<unknown> | ((...given: ReadonlyArray<unknown>) => MarketRead<unknown>)

const guarded = <S extends object>(service: S, guard: Guard): S => {
  // Each member of a market port is a read, or a function that gives one.
  const members = Object.entries(service) as ReadonlyArray<readonly [string, Member]>
  const judged = members.map(([name, member]) => [
    name,
    Effect.isEffect(member) ? guard(member) : (...given: ReadonlyArray<unknown>) => guard(member(...given))
  ])
  // It has the same members, each with what it answers.
  return Object.fromEntries(judged) as S
}

/** Nobody but the store stands behind it: it tells of nothing. */
const isEmpty = ({ sources }: Reading<unknown>): boolean => sources.every((source) => source === storeName)

/**
 * A port over the store that tells what is missing from what cannot be known: where it has nothing while none of its
 * feeders can be reached, it fails as the first of them does. While no coin was ever collected none is unknown.
 */
export const whileFed = <I, S extends object, E, R>(
  port: Context.Key<I, S>,
  layer: Layer.Layer<I, E, R>,
  feeders: Feeders
): Layer.Layer<I, E, R | MarketHealth | MarketStore> =>
  Layer.effect(
    port,
    Effect.gen(function*() {
      const [service, { report }, store] = yield* Effect.all([port, MarketHealth, MarketStore])
      const faultAmong = (some: Feeders) =>
        Effect.map(
          Effect.all([report, Effect.clockWith((clock) => clock.currentTimeMillis)]),
          ([known, now]) => awayOf(known, some, now)
        )
      const away = faultAmong(feeders)
      const noCoins = Effect.map(asked(store.documents({ kind: coinDocument.kind })), ({ size }) => size === 0)
      const failed = (error: MarketError): Effect.Effect<never, MarketError> => {
        if (error._tag === "SourceUnavailable") return Effect.fail(error)
        if (error._tag === "NoData" && error.reason.key !== "none_recorded") return Effect.fail(error)
        return Effect.gen(function*() {
          const fault = yield* away
          if (error._tag === "NoData") return yield* fault ?? error
          if (!(yield* noCoins)) return yield* error
          return yield* fault ?? (yield* faultAmong(coinFeeders)) ?? nothingYet(coinFeeders[0])
        })
      }
      return guarded(service, (read) =>
        Effect.flatMap(Effect.catch(read, failed), (told) =>
          isEmpty(told)
            ? Effect.flatMap(away, (fault) => fault === undefined ? Effect.succeed(told) : Effect.fail(fault))
            : Effect.succeed(told)))
    })
  ).pipe(Layer.provide(layer))
