import { recompute, type RecomputeProgress, type RecomputeReport } from "@tapeline/core/analysis"
import type { DataDirLost } from "@tapeline/postgres"
import { Clock, Console, Deferred, Effect, Schema } from "effect"
import { existsSync } from "node:fs"
import { hostname } from "node:os"
import { resolve } from "node:path"
import { embeddedFolder } from "../database.ts"
import { explain } from "../explain.ts"
import { readSettings } from "../settings.ts"
import { layerRecomputation } from "./layerRecomputation.ts"

/** A recomputation did not complete. The reason is a sentence for a terminal. */
export class RecomputeFailed extends Schema.TaggedError<RecomputeFailed>()("RecomputeFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** The interval of progress lines outside a terminal. A line is also written at each tenth of the work. */
const lineEveryMs = 5_000

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

const textOf = ({ all, before, done, part }: RecomputeProgress): string => {
  const share = `${done} of ${all} parts`
  if (part !== null) return `${share}: ${part.rule} ${part.series}, ${dayOf(part.from)} and on`
  return before === 0 ? share : `${share} were done by a run that was stopped; going on from there`
}

const tenthOf = ({ all, done }: RecomputeProgress): number => Math.floor((10 * done) / Math.max(1, all))

/** Shows progress: on one changing line of a terminal, otherwise on a new line from time to time. */
const makeTelling = (isTerminal: boolean) => {
  let newest: RecomputeProgress | undefined
  let writtenAt = -Infinity
  return {
    newest: () => newest,
    tell: (progress: RecomputeProgress) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const before = newest === undefined ? -1 : tenthOf(newest)
        newest = progress
        if (!isTerminal && tenthOf(progress) === before && now - writtenAt < lineEveryMs) return
        writtenAt = now
        process.stderr.write(isTerminal ? `\r\u001b[K${textOf(progress)}` : `${textOf(progress)}\n`)
      })
  }
}

/** A note for the operator if some or all requested days have no recorded series. */
const noteOf = ({ days, from }: RecomputeReport, asked: number): string | undefined =>
  days === 0
    ? `no series is recorded from ${dayOf(asked)} on: nothing was computed`
    : from > asked
    ? `no series is recorded before ${dayOf(from)}: what is derived begins there`
    : undefined

const told = ({ changing, days, digest, from, parts, to }: RecomputeReport, note: string | undefined) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  parts,
  days_stored: days,
  // The digest of zero days is always the same.
  digest: days === 0 ? null : digest,
  still_changing: changing,
  ...(note === undefined ? {} : { note })
})

/** Recomputes all derived data from a day on, with the settings of a server. */
export const runRecompute = Effect.fnUntraced(
  function*(
    environment: Readonly<Record<string, string | undefined>>,
    from: number
  ) {
    const settings = yield* readSettings(environment)
    if (settings.databaseUrl === undefined && !existsSync(embeddedFolder(settings))) {
      // A new database would be empty, and an empty result would look like a complete one.
      return yield* new RecomputeFailed({
        reason: `There is no database in ${
          resolve(settings.dataDir)
        }: TAPELINE_DATA_DIR is the folder of the server's data.`
      })
    }
    const lost = yield* Deferred.make<never, DataDirLost>()
    const { newest, tell } = makeTelling(process.stderr.isTTY)
    const holder = `${hostname()} ${process.pid}-${crypto.randomUUID()}`.slice(-128)
    const layer = layerRecomputation(settings, (error) => Deferred.doneUnsafe(lost, Effect.fail(error)))
    const report = yield* Effect.raceFirst(recompute({ from, holder, tell }), Deferred.await(lost)).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          const at = newest()
          if (at === undefined) return
          process.stderr.write(
            `\nStopped after ${at.done} of ${at.all} parts. The same command goes on from there; it may be given at any time.\n`
          )
        })
      ),
      Effect.provide(layer)
    )
    if (process.stderr.isTTY) process.stderr.write("\n")
    yield* Console.log(JSON.stringify(told(report, noteOf(report, from)), null, 2))
  },
  (recomputed, environment) =>
    Effect.mapError(
      recomputed,
      (error) => error._tag === "RecomputeFailed" ? error : new RecomputeFailed({ reason: explain(error, environment) })
    )
)
