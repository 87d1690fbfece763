import { SourceFailure } from "@tapeline/core/engine"
import { type MarketError, type MarketRead, minuteMs, type Reading, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, type PointsKind } from "@tapeline/core/market/store"
import { Clock, type Context, Effect, Layer, Schema } from "effect"
import { MarketHealth, type MarketReport } from "../collect/index.ts"
import { toldForMs } from "../collect/toldSources.ts"
import type { SourceState } from "../source/index.ts"
import { isLasting } from "../source/lasting.ts"
import { asked, storeName } from "../stored/asking.ts"
import { coinDocument, sourceStateDocument } from "../stored/documents.ts"

/** The sources of a port, as in `SourceHealth` (`binance/spot`). One available source is enough. */
export type Feeders = readonly [string, ...ReadonlyArray<string>]

const nameOf = (feeder: string): string => feeder.split("/")[0]!

/** The sources of coins. Without one of them no coin is known. */
export const coinFeeders: Feeders = ["binance/spot", "bybit/market", "okx/market"]

/** The sources of perpetuals, preferred first. */
export const perpetualFeeders: Feeders = ["binance/futures", "bybit/market", "okx/market"]

/** The sources of taker flow. Bybit has none. */
export const takerFeeders: Feeders = ["binance/futures", "okx/market"]

/** The sources of order books. */
export const bookFeeders: Feeders = ["binance/spot", "okx/market"]

const nothingYet = (feeder: string) =>
  new SourceUnavailable({
    source: nameOf(feeder),
    failure: "unreachable",
    reason: "nothing was collected from it yet",
    retryable: true
  })

/** The error for a read of stored data, from the state of its source. */
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
    retryable: !isLasting({ failure }),
    ...(failure === "rate_limited" && until !== null ? { retryAfterMs: Math.max(1, until - now) } : {})
  })
}

/** The state of a source that its leader published. */
type Told = Pick<SourceState, "lastFault" | "limitedUntil"> & { readonly isUp: boolean }

/** Recent states of sources that another process polls, as their leader published them. */
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

const isSourceFailure = Schema.is(SourceFailure)

/**
 * For this long after a collector's fault, a missing series is reported as that fault instead of as a running backfill.
 */
const faultCountsMs = 10 * minuteMs

/** The recent fault of this process in collecting one series of a source. */
const faultOfCollected = ({ collected }: MarketReport, source: string, name: string, now: number) => {
  const fault = collected.find((one) => one.source === source)?.collected.find((one) => one.name === name)?.lastFault
  if (fault == null || now - fault.at > faultCountsMs || !isSourceFailure(fault.failure)) return undefined
  const { failure, reason } = fault
  return new SourceUnavailable({ source, failure, reason, retryable: !isLasting({ failure }) })
}

/**
 * The errors of the feeders that are unavailable, in their order. A source that another process leads is polled only by
 * that process. It counts as available unless its leader published otherwise.
 */
const awayOf = (
  { collected, sources }: MarketReport,
  feeders: Feeders,
  told: ReadonlyMap<string, Told>,
  now: number
): ReadonlyArray<SourceUnavailable> => {
  const stateOf = (feeder: string) => sources.find(({ source, state }) => source === feeder && state !== "unknown")
  const isThere = (feeder: string) => {
    const own = stateOf(feeder)
    if (own !== undefined) return own.state === "up"
    const isFollowed = collected.some(({ lead, source }) => source === nameOf(feeder) && lead === "follows")
    return isFollowed && told.get(feeder)?.isUp !== false
  }
  return feeders.filter((feeder) => !isThere(feeder))
    .map((feeder) => faultOf(feeder, stateOf(feeder) ?? told.get(feeder), now))
}

type Guard = <A>(read: MarketRead<A>, member: string) => MarketRead<A>

/** A member of a market port. */
type Member = MarketRead<unknown> | ((...given: ReadonlyArray<unknown>) => MarketRead<unknown>)

const guarded = <S extends object>(service: S, guard: Guard): S => {
  // Each member of a market port is a read, or a function that returns one.
  const members = Object.entries(service) as ReadonlyArray<readonly [string, Member]>
  const judged = members.map(([name, member]) => [
    name,
    Effect.isEffect(member) ? guard(member, name) : (...given: ReadonlyArray<unknown>) => guard(member(...given), name)
  ])
  // The result has the same members with guarded reads.
  return Object.fromEntries(judged) as S
}

/** The first error that may resolve itself; if none can, the first error. */
const firstToHeal = (faults: ReadonlyArray<SourceUnavailable>): SourceUnavailable | undefined =>
  faults.find(({ retryable }) => retryable) ?? faults[0]

/** Whether no source contributed to a reading, only the store. */
const isEmpty = ({ sources }: Reading<unknown>): boolean => sources.every((source) => source === storeName)

/** The feeders of a member, preferred first. */
interface Turn {
  readonly feeders: Feeders
  /** The stored kind, if the member is a series. While nothing of it is recorded, no feeder has provided data. */
  readonly kind?: PointsKind
}

/** Whether anything was ever recorded. */
const isBegun = (store: MarketStore["Service"], { kind }: Turn) =>
  kind === undefined
    ? Effect.succeed(true)
    : Effect.map(
      asked(store.recorded({ kind })),
      (records) => Array.from(records.values()).some(({ since }) => since !== null)
    )

export interface FedOptions<S> {
  /**
   * The coins that are collected, if the port has no others. Before any coin is recorded, only other coins are reported
   * as unknown.
   */
  readonly coins?: ReadonlyArray<{ readonly coin: string }>
  /**
   * Whether the feeders ever provided data. Until then an empty result is an error, even if the feeders are available.
   */
  readonly toldOnce?: (store: MarketStore["Service"]) => Effect.Effect<boolean, SourceUnavailable>
  /**
   * Members that use one feeder at a time, and the next one after the first is given up. While nothing is recorded, an
   * available second feeder does not prove that there is no data.
   */
  readonly inTurn?: { readonly [Name in keyof S]?: Turn }
}

/**
 * Wraps a port over the store, so that missing data is distinguished from unavailable sources. If the store has nothing
 * and no feeder is reachable, a read fails with the first error that may resolve itself. Until the first coin is
 * collected, no tracked coin is reported as unknown.
 */
export const whileFed = <I, S extends object, E, R>(
  port: Context.Key<I, S>,
  layer: Layer.Layer<I, E, R>,
  feeders: Feeders,
  { coins, inTurn = {}, toldOnce = () => Effect.succeed(true) }: FedOptions<S> = {}
): Layer.Layer<I, E, R | MarketHealth | MarketStore> =>
  Layer.effect(
    port,
    Effect.gen(function*() {
      const [service, { report }, store] = yield* Effect.all([port, MarketHealth, MarketStore])
      const faultsAmong = (some: Feeders) =>
        Effect.gen(function*() {
          const [known, now] = yield* Effect.all([report, Clock.currentTimeMillis])
          return awayOf(known, some, yield* toldOf(store, some, now), now)
        })
      const faultAmong = (some: Feeders) =>
        Effect.map(faultsAmong(some), (faults) => faults.length === some.length ? firstToHeal(faults) : undefined)
      const away = faultAmong(feeders)
      // The members' turns by name.
      const turns = new Map<string, Turn>(Object.entries(inTurn))
      /** Skips feeders that are permanently unavailable and waits for the first of the rest. */
      const awaited = (member: string) =>
        Effect.gen(function*() {
          const turn = turns.get(member)
          if (turn === undefined) return yield* away
          const faults = yield* faultsAmong(turn.feeders)
          if (faults.length === turn.feeders.length) return firstToHeal(faults)
          if (yield* isBegun(store, turn)) return faults.find(({ retryable }) => retryable)
          const faultBy = (feeder: string) => faults.find(({ source }) => source === nameOf(feeder))
          const first = turn.feeders.find((feeder) => faultBy(feeder)?.retryable !== false) ?? turn.feeders[0]
          return faultBy(first) ?? nothingYet(first)
        })
      const noCoins = Effect.map(asked(store.documents({ kind: coinDocument.kind })), ({ size }) => size === 0)
      /** A series counts as being backfilled only while its source and its collector do not fail. */
      const filling = Effect.fnUntraced(function*(member: string, error: SourceUnavailable) {
        const turn = turns.get(member)
        const fault = (yield* faultsAmong(turn?.feeders ?? feeders)).find(({ source }) => source === error.source)
        if (fault !== undefined) return yield* fault
        if (turn?.kind === undefined) return yield* error
        const [known, now] = yield* Effect.all([report, Clock.currentTimeMillis])
        return yield* faultOfCollected(known, error.source, turn.kind.name, now) ?? error
      })
      const failed = (member: string) => (error: MarketError): Effect.Effect<never, MarketError> => {
        if (error._tag === "SourceUnavailable") {
          return error.failure === "filling" ? filling(member, error) : Effect.fail(error)
        }
        if (error._tag === "NoData" && error.reason.key !== "none_recorded") return Effect.fail(error)
        return Effect.gen(function*() {
          if (error._tag === "NoData") return yield* (yield* awaited(member)) ?? error
          const isCollected = coins === undefined || coins.some(({ coin }) => coin === error.symbol)
          if (!isCollected || !(yield* noCoins)) return yield* error
          return yield* (yield* away) ?? (yield* faultAmong(coinFeeders)) ?? nothingYet(coinFeeders[0])
        })
      }
      const emptied = Effect.fnUntraced(function*(member: string) {
        const fault = yield* awaited(member)
        if (fault !== undefined) return yield* fault
        if (!(yield* toldOnce(store))) return yield* nothingYet(feeders[0])
      })
      return guarded(service, (read, member) =>
        Effect.flatMap(
          Effect.catch(read, failed(member)),
          (told) => isEmpty(told) ? Effect.as(emptied(member), told) : Effect.succeed(told)
        ))
    })
  ).pipe(Layer.provide(layer))
