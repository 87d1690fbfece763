import { Clock, Effect, Semaphore } from "effect"
import type { SourceUnavailable } from "../../../market/errors.ts"
import { changesTooFast, mayTry } from "./changesTooFast.ts"
import { type Layout, type Rows } from "./dayRows.ts"
import { makeFlights } from "./flights.ts"
import type { SeriesRecord } from "./records.ts"
import { type Remembering, Shelf } from "./Shelf.ts"

/** The source of a derived series. */
export interface DaySource<E, R extends SeriesRecord> {
  readonly layout: Layout
  /** Returns the present record of a series' data. */
  readonly record: (series: string) => Effect.Effect<R, E>
  /** Computes the rows at the times in `(from, to]`. A row must not depend on which other rows are requested. */
  readonly compute: (series: string, from: number, to: number, at: R) => Effect.Effect<Float64Array, E>
}

/** Rows, and the sources of their series. */
export interface SourcedRows extends Rows {
  readonly sources: ReadonlyArray<string>
}

/**
 * Reads a derived series whose values are remembered by UTC day and revision, below the watermark of its data. Values
 * of different revisions are never mixed. If the revision changes at each attempt, the read fails.
 *
 * Each series is computed for one query at a time, and equal queries share one computation. A larger query waits
 * meanwhile and then finds the computed values.
 *
 * @returns a function that reads the rows at the times in `(from, to]`, both multiples of `stepMs`. `known` is the
 * record, if the caller has just read it.
 */
export const readByDay = <E, R extends SeriesRecord = SeriesRecord>(
  { compute, layout, record }: DaySource<E, R>,
  remembering: Remembering
) => {
  const flights = makeFlights<Rows | R, E>()
  const shelf = new Shelf(layout, remembering)
  const turns = new Map<string, Semaphore.Semaphore>()
  const turnOf = (series: string): Semaphore.Semaphore => {
    const turn = turns.get(series) ?? Semaphore.makeUnsafe(1)
    turns.set(series, turn)
    return turn
  }

  /** Returns the rows, or the new record if the data changed during the computation. */
  const gather = Effect.fnUntraced(function*(series: string, from: number, to: number, at: R) {
    const began = yield* Clock.currentTimeMillis
    // The previous holder of the turn may have computed these rows.
    const gathered = shelf.recall(series, from, to, at, began)
    yield* shelf.recallKept(series, gathered, at, began)
    if (gathered.missingFrom === undefined) return gathered.rows
    const span = { from: shelf.computedFrom(gathered.missingFrom), to: gathered.missingTo }
    const computed: Rows = { ...span, values: yield* compute(series, span.from, span.to, at) }
    const now = yield* record(series)
    if (now.revision !== at.revision) return now
    shelf.remember(series, computed, at, began)
    gathered.add(computed)
    return gathered.rows
  })

  return Effect.fnUntraced(function*(
    series: string,
    from: number,
    to: number,
    known?: R
  ): Effect.fn.Return<SourcedRows, E | SourceUnavailable> {
    const began = yield* Clock.currentTimeMillis
    let at = known ?? (yield* record(series))
    for (let tried = 0, now = began; mayTry(tried, now - began); tried++, now = yield* Clock.currentTimeMillis) {
      const gathered = shelf.recall(series, from, to, at, now)
      if (gathered.missingFrom === undefined) return { ...gathered.rows, sources: at.sources }
      const found = yield* flights(
        JSON.stringify([series, at.revision, from, to]),
        turnOf(series).withPermit(gather(series, from, to, at))
      )
      if ("values" in found) return { ...found, sources: at.sources }
      at = found
    }
    return yield* changesTooFast(series, at)
  })
}
