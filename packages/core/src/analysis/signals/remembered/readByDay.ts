import { Clock, Effect, Semaphore } from "effect"
import type { SourceUnavailable } from "../../../market/errors.ts"
import { changesTooFast, mayTry } from "./changesTooFast.ts"
import { type Layout, type Rows } from "./dayRows.ts"
import { makeFlights } from "./flights.ts"
import type { SeriesRecord } from "./records.ts"
import { type Remembering, Shelf } from "./Shelf.ts"

/** What a series is read with. */
export interface DaySource<E, R extends SeriesRecord> {
  readonly layout: Layout
  /** How far a series is recorded now. */
  readonly record: (series: string) => Effect.Effect<R, E>
  /** The rows at the instants in `(from, to]`. A row must not depend on which others are asked with it. */
  readonly compute: (series: string, from: number, to: number, at: R) => Effect.Effect<Float64Array, E>
}

/** Rows, and the sources of their series. */
export interface SourcedRows extends Rows {
  readonly sources: ReadonlyArray<string>
}

/**
 * Reads a derived series whose values are remembered by UTC day, below the mark up to which what it stands on is
 * recorded, and under its revision: a value that was filled in meanwhile is never taken for the old one, nor the old
 * one for it. What changes at every read fails, rather than to be told as a mixture.
 *
 * A series is computed for one question at a time, and the same question once for all who ask it: who asks for more
 * meanwhile waits, and finds what was computed.
 *
 * @returns reads the rows at the instants in `(from, to]`, both multiples of `stepMs`; `known` is what was read of the
 * record just now, if it was.
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

  /** The rows, or the record that is now: what they stand on was filled in while they were computed. */
  const gather = Effect.fnUntraced(function*(series: string, from: number, to: number, at: R) {
    const began = yield* Clock.currentTimeMillis
    // Who had the turn before may have computed it.
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
