import { SourceFailure } from "@tapeline/core/engine"
import { type MarketError, type MarketRead, minuteMs, type Reading, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, type PointsKind } from "@tapeline/core/market/store"
import { Clock, type Context, Effect, Layer, Schema } from "effect"
import { MarketHealth, type MarketReport } from "../collect/index.ts"
import { maxStateAgeMs } from "../collect/publishSourceStates.ts"
import { isLasting } from "../source/failover.ts"
import type { SourceState } from "../source/index.ts"
import { coinDocument, sourceStateDocument } from "../stored/documents.ts"
import { storeName, withReadErrors } from "../stored/storeReads.ts"
import { coinVenueSources } from "./CoinVenues.ts"

/** A missing source, the reason, and the environment variable that enables the source, if one exists. */
export interface MissingSource {
  readonly source: string
  readonly reason: string
  readonly variable?: string
}

export const notConfigured = ({ reason, source, variable }: MissingSource): SourceUnavailable =>
  new SourceUnavailable({
    source,
    failure: "not_configured",
    reason,
    retryable: false,
    ...(variable === undefined ? {} : { variable })
  })

/**
 * The kind of each member of a port. A `read` is an effect that reads data, and a `question` is a function that returns
 * an effect that reads data.
 */
type PortMembers<S> = { readonly [K in keyof S]: S[K] extends MarketRead<infer _A> ? "read" : "question" }

/**
 * Provides a port on which every read fails with `not_configured`, so that no caller takes an empty result for the
 * absence of data.
 */
export const layerNotConfigured = <I, S extends object>(
  port: Context.Key<I, S>,
  members: PortMembers<NoInfer<S>>,
  why: MissingSource
): Layer.Layer<I> => {
  const failure = Effect.fail(notConfigured(why))
  const service = Object.fromEntries(
    Object.entries(members).map(([name, kind]) => [name, kind === "read" ? failure : () => failure])
  )
  // The type cast is safe, because an effect that always fails has no value.
  return Layer.succeed(port, service as S)
}

/**
 * The sources of a port, named as in `SourceHealth` (for example `binance/spot`). A port is available if one of its
 * sources is available.
 */
export type SourceNames = readonly [string, ...ReadonlyArray<string>]

const venueNameOf = (sourceName: string): string => sourceName.split("/")[0]!

const coinSources = coinVenueSources("spot")

const nothingCollectedYet = (sourceName: string) =>
  new SourceUnavailable({
    source: venueNameOf(sourceName),
    failure: "unreachable",
    reason: "no data has been collected yet",
    retryable: true
  })

const unavailableError = (
  sourceName: string,
  state: Pick<SourceState, "lastFault" | "limitedUntil"> | undefined,
  now: number
): SourceUnavailable => {
  if (state?.lastFault == null) return nothingCollectedYet(sourceName)
  const { failure, reason } = state.lastFault
  const until = state.limitedUntil
  return new SourceUnavailable({
    source: venueNameOf(sourceName),
    failure,
    reason,
    retryable: !isLasting({ failure }),
    ...(failure === "rate_limited" && until !== null ? { retryAfterMs: Math.max(1, until - now) } : {})
  })
}

/** The state of a source, as published by the process that leads the source. */
type PublishedState = Pick<SourceState, "lastFault" | "limitedUntil"> & { readonly isUp: boolean }

/** Reads the recent states of sources that another process polls. */
const readPublishedStates = Effect.fnUntraced(
  function*(store: MarketStore["Service"], sourceNames: SourceNames, now: number) {
    const rows = yield* withReadErrors(store.documents({ kind: sourceStateDocument.kind, keys: sourceNames }))
    const recent = [...rows.values()].filter(({ time }) => Math.abs(now - time) <= maxStateAgeMs)
    const states = yield* Effect.forEach(
      recent,
      (row) =>
        Effect.map(
          sourceStateDocument.decodeRow(row),
          ({ failure, isUp, limitedUntil, reason }): readonly [string, PublishedState] => [
            row.key,
            { isUp, limitedUntil, lastFault: failure === null ? null : { at: row.time, failure, reason } }
          ]
        )
    )
    return new Map(states)
  }
)

const isSourceFailure = Schema.is(SourceFailure)

/**
 * The maximum age of a collector's fault that is reported as the reason for missing data. If the fault is older, a
 * running backfill is reported as the reason.
 */
const maxFaultAgeMs = 10 * minuteMs

const recentCollectorFault = ({ collectorsBySource }: MarketReport, source: string, name: string, now: number) => {
  const fault = collectorsBySource.find((one) => one.source === source)?.collectors.find((one) => one.name === name)
    ?.lastFault
  if (fault == null || now - fault.at > maxFaultAgeMs || !isSourceFailure(fault.failure)) return undefined
  const { failure, reason } = fault
  return new SourceUnavailable({ source, failure, reason, retryable: !isLasting({ failure }) })
}

/**
 * Returns the errors of unavailable sources. A source that another process leads counts as available, unless the leader
 * published another state.
 */
const unavailableSources = (
  { collectorsBySource, sources }: MarketReport,
  sourceNames: SourceNames,
  published: ReadonlyMap<string, PublishedState>,
  now: number
): ReadonlyArray<SourceUnavailable> => {
  const stateOf = (sourceName: string) =>
    sources.find(({ source, state }) => source === sourceName && state !== "unknown")
  const isAvailable = (sourceName: string) => {
    const own = stateOf(sourceName)
    if (own !== undefined) return own.state === "up"
    const isFollowed = collectorsBySource.some(({ lead, source }) =>
      source === venueNameOf(sourceName) && lead === "follows"
    )
    return isFollowed && published.get(sourceName)?.isUp !== false
  }
  return sourceNames.filter((feeder) => !isAvailable(feeder))
    .map((feeder) => unavailableError(feeder, stateOf(feeder) ?? published.get(feeder), now))
}

type Guard = <A>(read: MarketRead<A>, member: string) => MarketRead<A>

type Member = MarketRead<unknown> | ((...given: ReadonlyArray<unknown>) => MarketRead<unknown>)

const guardPort = <S extends object>(service: S, guard: Guard): S => {
  // Each member of a market port is an effect that reads data, or a function that returns such an effect.
  const members = Object.entries(service) as ReadonlyArray<readonly [string, Member]>
  const guardedMembers = members.map(([name, member]) => [
    name,
    Effect.isEffect(member) ? guard(member, name) : (...given: ReadonlyArray<unknown>) => guard(member(...given), name)
  ])
  // The type cast is safe, because the result has the same members as `service`.
  return Object.fromEntries(guardedMembers) as S
}

/**
 * Returns the first error that may resolve without intervention. If no error may resolve without intervention, returns
 * the first of all errors.
 */
const firstRecoverable = (faults: ReadonlyArray<SourceUnavailable>): SourceUnavailable | undefined =>
  faults.find(({ retryable }) => retryable) ?? faults[0]

const isEmpty = ({ sources }: Reading<unknown>): boolean => sources.every((source) => source === storeName)

/** A member of a port that uses one of its sources at a time, in order of preference. */
interface FailoverMember {
  readonly sources: SourceNames
  /**
   * The kind of data that the member reads. If the store contains no record of the member's kind, no source has ever
   * provided data.
   */
  readonly kind?: PointsKind
}

const hasRecords = (store: MarketStore["Service"], { kind }: FailoverMember) =>
  kind === undefined
    ? Effect.succeed(true)
    : Effect.map(
      withReadErrors(store.records({ kind })),
      (records) => Array.from(records.values()).some(({ since }) => since !== null)
    )

export interface SourceHealthOptions<S> {
  /**
   * The coins to collect. While the store contains no coin, a read of one of these coins reports the unavailable
   * sources instead of an unknown symbol.
   */
  readonly coins?: ReadonlyArray<{ readonly coin: string }>
  /**
   * Returns whether the sources ever provided data. If the sources never provided data, an empty result is an error.
   */
  readonly hasEverReported?: (store: MarketStore["Service"]) => Effect.Effect<boolean, SourceUnavailable>
  /**
   * The members of a port that use one source at a time. If the active source of a failover member is unavailable, an
   * available second source does not prove that no data exists.
   */
  readonly failoverMembers?: { readonly [Name in keyof S]?: FailoverMember }
}

/**
 * Adds the health of the sources to a port that reads the store. If a read finds no data and no source is available,
 * the read fails instead of returning an empty result.
 */
export const withSourceHealth = <I, S extends object, E, R>(
  port: Context.Key<I, S>,
  layer: Layer.Layer<I, E, R>,
  sourceNames: SourceNames,
  { coins, failoverMembers = {}, hasEverReported = () => Effect.succeed(true) }: SourceHealthOptions<S> = {}
): Layer.Layer<I, E, R | MarketHealth | MarketStore> =>
  Layer.effect(
    port,
    Effect.gen(function*() {
      const [service, { report }, store] = yield* Effect.all([port, MarketHealth, MarketStore])
      const findUnavailable = Effect.fnUntraced(function*(some: SourceNames) {
        const [known, now] = yield* Effect.all([report, Clock.currentTimeMillis])
        return unavailableSources(known, some, yield* readPublishedStates(store, some, now), now)
      })
      const faultIfAllUnavailable = (some: SourceNames) =>
        Effect.map(findUnavailable(some), (faults) =>
          faults.length === some.length ? firstRecoverable(faults) : undefined)
      const faultOfPort = faultIfAllUnavailable(sourceNames)
      const failoverByName = new Map<string, FailoverMember>(Object.entries(failoverMembers))
      /** Skips sources that are permanently unavailable, and waits for the first of the remaining sources. */
      const faultOfMember = Effect.fnUntraced(function*(member: string) {
        const turn = failoverByName.get(member)
        if (turn === undefined) {
          return yield* faultOfPort
        }
        const faults = yield* findUnavailable(turn.sources)
        if (faults.length === turn.sources.length) {
          return firstRecoverable(faults)
        }
        if (yield* hasRecords(store, turn)) {
          return faults.find(({ retryable }) =>
            retryable
          )
        }
        const faultBy = (feeder: string) => faults.find(({ source }) => source === venueNameOf(feeder))
        const first = turn.sources.find((feeder) => faultBy(feeder)?.retryable !== false) ?? turn.sources[0]
        return faultBy(first) ?? nothingCollectedYet(first)
      })
      const noCoins = Effect.map(withReadErrors(store.documents({ kind: coinDocument.kind })), ({ size }) => size === 0)
      /**
       * Returns the error for missing data. A fault of the source or of its collector is reported in preference to a
       * running backfill.
       */
      const toBackfillError = Effect.fnUntraced(function*(member: string, error: SourceUnavailable) {
        const turn = failoverByName.get(member)
        const fault = (yield* findUnavailable(turn?.sources ?? sourceNames)).find(({ source }) =>
          source === error.source
        )
        if (fault !== undefined) return yield* fault
        if (turn?.kind === undefined) return yield* error
        const [known, now] = yield* Effect.all([report, Clock.currentTimeMillis])
        return yield* recentCollectorFault(known, error.source, turn.kind.name, now) ?? error
      })
      const toReadError = (member: string) => (error: MarketError): Effect.Effect<never, MarketError> => {
        if (error._tag === "SourceUnavailable") {
          return error.failure === "filling" ? toBackfillError(member, error) : Effect.fail(error)
        }
        if (error._tag === "NoData" && error.reason.key !== "none_recorded") return Effect.fail(error)
        return Effect.gen(function*() {
          if (error._tag === "NoData") return yield* (yield* faultOfMember(member)) ?? error
          const isCollected = coins === undefined || coins.some(({ coin }) => coin === error.symbol)
          if (!isCollected || !(yield* noCoins)) return yield* error
          return yield* (yield* faultOfPort) ?? (yield* faultIfAllUnavailable(coinSources)) ??
            nothingCollectedYet(coinSources[0])
        })
      }
      const checkEmptyReading = Effect.fnUntraced(function*(member: string) {
        const fault = yield* faultOfMember(member)
        if (fault !== undefined) return yield* fault
        if (!(yield* hasEverReported(store))) return yield* nothingCollectedYet(sourceNames[0])
      })
      return guardPort(service, (read, member) =>
        Effect.flatMap(
          Effect.catch(read, toReadError(member)),
          (emptyOrFull) =>
            isEmpty(emptyOrFull) ? Effect.as(checkEmptyReading(member), emptyOrFull) : Effect.succeed(emptyOrFull)
        ))
    })
  ).pipe(Layer.provide(layer))
