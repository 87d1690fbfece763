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

/** Who feeds a port, as `SourceHealth` names them (`binance/spot`): one that is there is enough. */
export type Feeders = readonly [string, ...ReadonlyArray<string>]

const nameOf = (feeder: string): string => feeder.split("/")[0]!

/** Without them no coin is known at all. */
export const coinFeeders: Feeders = ["binance/spot", "bybit/market", "okx/market"]

/** Who tells of perpetuals, in their order. */
export const perpetualFeeders: Feeders = ["binance/futures", "bybit/market", "okx/market"]

/** Who tells of takers: Bybit does not. */
export const takerFeeders: Feeders = ["binance/futures", "okx/market"]

/** Who tells books. */
export const bookFeeders: Feeders = ["binance/spot", "okx/market"]

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
    retryable: !isLasting({ failure }),
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

const isSourceFailure = Schema.is(SourceFailure)

/** So long after its fault a collector is not taken for one that fills in what it lacks. */
const faultCountsMs = 10 * minuteMs

/** How what is collected from a source under a name failed here of late. */
const faultOfCollected = ({ collected }: MarketReport, source: string, name: string, now: number) => {
  const fault = collected.find((one) => one.source === source)?.collected.find((one) => one.name === name)?.lastFault
  if (fault == null || now - fault.at > faultCountsMs || !isSourceFailure(fault.failure)) return undefined
  const { failure, reason } = fault
  return new SourceUnavailable({ source, failure, reason, retryable: !isLasting({ failure }) })
}

/**
 * How the feeders fail that are not there, in their order. One that another process leads is asked by that one alone:
 * it is there unless that one tells otherwise.
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

/** What a member of a market port is. */
type Member = MarketRead<unknown> | ((...given: ReadonlyArray<unknown>) => MarketRead<unknown>)

const guarded = <S extends object>(service: S, guard: Guard): S => {
  // Each member of a market port is a read, or a function that gives one.
  const members = Object.entries(service) as ReadonlyArray<readonly [string, Member]>
  const judged = members.map(([name, member]) => [
    name,
    Effect.isEffect(member) ? guard(member, name) : (...given: ReadonlyArray<unknown>) => guard(member(...given), name)
  ])
  // It has the same members, each with what it answers.
  return Object.fromEntries(judged) as S
}

/** Of all that are away the first that may come back; where none may, the first. */
const firstToHeal = (faults: ReadonlyArray<SourceUnavailable>): SourceUnavailable | undefined =>
  faults.find(({ retryable }) => retryable) ?? faults[0]

/** Nobody but the store stands behind it: it tells of nothing. */
const isEmpty = ({ sources }: Reading<unknown>): boolean => sources.every((source) => source === storeName)

/** Who tells what a member reads, in their order. */
interface Turn {
  readonly feeders: Feeders
  /** What is kept of it, where it is a series: before any of them told one, none of them told of anything. */
  readonly kind?: PointsKind
}

/** Whether anything was ever told of it. */
const isBegun = (store: MarketStore["Service"], { kind }: Turn) =>
  kind === undefined
    ? Effect.succeed(true)
    : Effect.map(
      asked(store.recorded({ kind })),
      (records) => Array.from(records.values()).some(({ since }) => since !== null)
    )

export interface FedOptions<S> {
  /** The coins that are collected, where it tells of no others: what is none of them is unknown before any was told. */
  readonly coins?: ReadonlyArray<{ readonly coin: string }>
  /**
   * Whether its feeders ever told anything: until then that there is nothing is not known either, also where they are
   * there.
   */
  readonly toldOnce?: (store: MarketStore["Service"]) => Effect.Effect<boolean, SourceUnavailable>
  /**
   * Members of which one feeder tells at a time, the next one once the one before it is given up: while nothing is
   * recorded, that another is there does not say that there is nothing.
   */
  readonly inTurn?: { readonly [Name in keyof S]?: Turn }
}

/**
 * A port over the store that tells what is missing from what cannot be known: where it has nothing while none of its
 * feeders can be reached, it fails as the first of them does that may come back. While no coin was ever collected none
 * is unknown.
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
      // Members of a port by their names.
      const turns = new Map<string, Turn>(Object.entries(inTurn))
      /** Who has gone for good is passed over: who is awaited yet is the first one of the others. */
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
      /** What is being filled in is so while who tells it does not fail. */
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
