import { Recomputation, recompute, type RecomputeProgress, type RecomputeReport } from "@tapeline/core/analysis"
import { type DataDirLost, layerMigrations, PgDerivedDays, PgMarketStore } from "@tapeline/postgres"
import { Clock, Console, Deferred, Effect, Layer, Schema } from "effect"
import { hostname } from "node:os"
import { findMissingDatabase, layerDatabase } from "../database.ts"
import { explainError } from "../explainError.ts"
import { layerSimulatedMarket } from "../market/layerSimulatedMarket.ts"
import { readSettings, type Settings } from "../settings.ts"

/** The stored series of the live market. A recomputation needs only stored series, so no source is polled. */
const layerStoredSeries = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@tapeline/market-live")),
    ({ derivativesVenues, storedCoinDerivatives, storedCoinPrices, storedSocialFeed }) =>
      Layer.mergeAll(storedCoinPrices, storedCoinDerivatives(derivativesVenues), storedSocialFeed)
  )
)

/** The services of a recomputation: the series of the configured market, and the server's database. */
export const layerRecomputation = (settings: Settings, onLost: (lost: DataDirLost) => void) => {
  const database = Layer.provideMerge(layerMigrations, layerDatabase(settings, onLost))
  const store = Layer.provideMerge(PgMarketStore, database)
  const series = settings.live === undefined
    ? layerSimulatedMarket(settings.simSeed)
    : Layer.provide(layerStoredSeries, store)
  return Recomputation.layer.pipe(
    Layer.provide(series),
    Layer.provide(Layer.provide(PgDerivedDays, database)),
    Layer.provideMerge(store)
  )
}

/** A recomputation did not complete. `reason` is a sentence that the terminal shows. */
export class RecomputeFailed extends Schema.TaggedError<RecomputeFailed>()("RecomputeFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** The maximum interval in ms between two progress lines, if the output is not a terminal. */
const progressIntervalMs = 5_000

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

const formatProgress = ({ total, resumed, done, part }: RecomputeProgress): string => {
  const share = `${done} of ${total} parts`
  if (part !== null) return `${share}: ${part.rule} ${part.series}, from ${isoDay(part.from)}`
  return resumed === 0 ? share : `${share} were done by an earlier run; continuing from there`
}

const completedTenths = ({ total, done }: RecomputeProgress): number => Math.floor((10 * done) / Math.max(1, total))

/**
 * Shows the progress of a recomputation. On a terminal, one line changes; any other output gets a new line from time to
 * time.
 */
const makeProgressReporter = (isTerminal: boolean) => {
  let newest: RecomputeProgress | undefined
  let writtenAt = -Infinity
  return {
    newest: () => newest,
    reportProgress: (progress: RecomputeProgress) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const before = newest === undefined ? -1 : completedTenths(newest)
        newest = progress
        if (!isTerminal && completedTenths(progress) === before && now - writtenAt < progressIntervalMs) return
        writtenAt = now
        process.stderr.write(isTerminal ? `\r\u001b[K${formatProgress(progress)}` : `${formatProgress(progress)}\n`)
      })
  }
}

/** Returns a note for the operator if at least one requested day has no recorded series. */
const coverageNote = ({ days, from }: RecomputeReport, requestedFrom: number): string | undefined =>
  days === 0
    ? `no series is recorded from ${isoDay(requestedFrom)} on; nothing was computed`
    : from > requestedFrom
    ? `no series is recorded before ${isoDay(from)}; derived data begins there`
    : undefined

const toJson = ({ changedParts, days, digest, from, parts, to }: RecomputeReport, note: string | undefined) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  parts,
  days_stored: days,
  digest: days === 0 ? null : digest,
  still_changing: changedParts,
  ...(note === undefined ? {} : { note })
})

/** Recomputes all derived data from a day on, with the settings of the server. */
export const runRecompute = Effect.fnUntraced(
  function*(
    environment: Readonly<Record<string, string | undefined>>,
    from: number
  ) {
    const settings = yield* readSettings(environment)
    const missing = findMissingDatabase(settings)
    if (missing !== undefined) return yield* new RecomputeFailed({ reason: missing })
    const dataDirLost = yield* Deferred.make<never, DataDirLost>()
    const { newest, reportProgress: onProgress } = makeProgressReporter(process.stderr.isTTY)
    const holder = `${hostname()} ${process.pid}-${crypto.randomUUID()}`.slice(-128)
    const layer = layerRecomputation(settings, (error) => Deferred.doneUnsafe(dataDirLost, Effect.fail(error)))
    const report = yield* Effect.raceFirst(recompute({ from, holder, onProgress }), Deferred.await(dataDirLost)).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          const last = newest()
          if (last === undefined) return
          process.stderr.write(
            `\nStopped after ${last.done} of ${last.total} parts. Run the same command again to continue from there.\n`
          )
        })
      ),
      Effect.provide(layer)
    )
    if (process.stderr.isTTY) process.stderr.write("\n")
    yield* Console.log(JSON.stringify(toJson(report, coverageNote(report, from)), null, 2))
  },
  (recomputed, environment) =>
    Effect.mapError(
      recomputed,
      (error) =>
        error._tag === "RecomputeFailed" ? error : new RecomputeFailed({ reason: explainError(error, environment) })
    )
)
