import { type MarketError, type MarketRead, type Reading, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { Clock, type Context, Effect, Layer } from "effect"
import { MarketHealth, type MarketReport } from "../collect/index.ts"
import { toldForMs } from "../collect/toldSources.ts"
import type { SourceState } from "../source/index.ts"
import { asked, storeName } from "../stored/asking.ts"
import { coinDocument, sourceStateDocument } from "../stored/documents.ts"

/** Who feeds a port, as `SourceHealth` names them (`binance/spot`): one that is there is enough. */
export type Feeders = readonly [string, ...ReadonlyArray<string>]

const nameOf = (feeder: string): string => feeder.split("/")[0]!

/** Without them no coin is known at all. */
export const coinFeeders: Feeders = ["binance/spot", "bybit/market", "okx/market"]

/** Who tells of perpetuals, in their order. */
export const perpetualFeeders: Feeders = ["binance/futures", "bybit/market", "okx/market"]

const nothingYet = (feeder: string) =>
  new SourceUnavailable({
    source: nameOf(feeder),
    failure: "unreachable",
    reason: "nothing was collected from it yet",
    retryable: true
  })

/** What a source's state comes to for who asks what is stored of it. */
const faultOf = (
  feeder: string,
  state: Pick<SourceState, "lastFault" | "limitedUntil"> | undefined,
  now: number
): SourceUnavailable => {
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

/** What a source's lead tells of it. */
type Told = Pick<SourceState, "lastFault" | "limitedUntil"> & { readonly isUp: boolean }

/** What leads told of late of sources that another process asks. */
const toldOf = Effect.fnUntraced(function*(store: MarketStore["Service"], feeders: Feeders, now: number) {
  const rows = yield* asked(store.documents({ kind: sourceStateDocument.kind, keys: feeders }))
  const late = [...rows.values()].filter(({ time }) => Math.abs(now - time) <= toldForMs)
  const told = yield* Effect.forEach(
    late,
    (row) =>
      Effect.map(
        sourceStateDocument.valueOf(row),
        ({ failure, isUp, limitedUntil, reason }): readonly [string, Told] => [
          row.key,
          { isUp, limitedUntil, lastFault: failure === null ? null : { at: row.time, failure, reason } }
        ]
      )
  )
  return new Map(told)
})

/**
 * Whether none of a port's feeders is there, and how the first of them fails. One that another process leads is asked
 * by that one alone: it is there unless that one tells otherwise.
 */
export const awayOf = (
  { collected, sources }: MarketReport,
  feeders: Feeders,
  told: ReadonlyMap<string, Told>,
  now: number
): SourceUnavailable | undefined => {
  const stateOf = (feeder: string) => sources.find(({ source, state }) => source === feeder && state !== "unknown")
  const isThere = (feeder: string) => {
    const own = stateOf(feeder)
    if (own !== undefined) return own.state === "up"
    const isFollowed = collected.some(({ lead, source }) => source === nameOf(feeder) && lead === "follows")
    return isFollowed && told.get(feeder)?.isUp !== false
  }
  const [first] = feeders
  return feeders.some(isThere) ? undefined : faultOf(first, stateOf(first) ?? told.get(first), now)
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
 *
 * @param toldOnce whether its feeders ever told anything: until then that there is nothing is not known either, also
 * where they are there.
 */
export const whileFed = <I, S extends object, E, R>(
  port: Context.Key<I, S>,
  layer: Layer.Layer<I, E, R>,
  feeders: Feeders,
  toldOnce: (store: MarketStore["Service"]) => Effect.Effect<boolean, SourceUnavailable> = () => Effect.succeed(true)
): Layer.Layer<I, E, R | MarketHealth | MarketStore> =>
  Layer.effect(
    port,
    Effect.gen(function*() {
      const [service, { report }, store] = yield* Effect.all([port, MarketHealth, MarketStore])
      const faultAmong = (some: Feeders) =>
        Effect.gen(function*() {
          const [known, now] = yield* Effect.all([report, Clock.currentTimeMillis])
          return awayOf(known, some, yield* toldOf(store, some, now), now)
        })
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
      const emptied = Effect.gen(function*() {
        const fault = yield* away
        if (fault !== undefined) return yield* fault
        if (!(yield* toldOnce(store))) return yield* nothingYet(feeders[0])
      })
      return guarded(service, (read) =>
        Effect.flatMap(
          Effect.catch(read, failed),
          (told) => isEmpty(told) ? Effect.as(emptied, told) : Effect.succeed(told)
        ))
    })
  ).pipe(Layer.provide(layer))
