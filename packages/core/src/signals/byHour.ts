import { Effect, Semaphore } from "effect"
import { type Reading, reading } from "../market/reading.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { BoundedCache } from "./BoundedCache.ts"

/** A value of an hour. `whole`: nothing that it stands on may still be stored later, so that it may be remembered. */
export interface ComputedHour<A> {
  readonly value: A
  readonly whole: boolean
}

/** Computed hours, and the sources that they stand on. */
export interface ComputedHours<A> {
  readonly hours: ReadonlyArray<ComputedHour<A>>
  readonly sources: ReadonlyArray<string>
}

/** What is remembered of a UTC day. */
interface Day<A> {
  readonly values: Map<number, A>
  readonly sources: Set<string>
}

/** What is known of some hours. */
interface Found<A> {
  readonly values: Map<number, A>
  readonly sources: Set<string>
  /** The last of them, known or not. */
  readonly to: number
}

/** 00:00 UTC of the day to which the hour that closes at `time` belongs: midnight's belongs to the day before. */
export const dayOfClose = (time: number): number => Math.floor((time - hourMs) / dayMs) * dayMs

/**
 * Reads hourly series whose values are remembered by UTC day, at most `capacity` days of all series together.
 *
 * `compute` answers the values of a series whose `time` lies in `(from, to]`, hours without one left out. An hour's
 * value must not depend on which other hours are asked with it.
 *
 * A series is computed for one caller at a time: who asks for the same meanwhile waits, and finds it.
 *
 * @returns reads the values of a series whose `time` lies in `(from, to]`, both full hours, oldest first.
 */
export const readByHour = <A extends { readonly time: number }, E>(
  capacity: number,
  compute: (series: string, from: number, to: number) => Effect.Effect<ComputedHours<A>, E>
) => {
  const days = new BoundedCache<Day<A>>(capacity)
  const remember = (series: string, value: A, sources: ReadonlyArray<string>): void => {
    const key = `${series}:${dayOfClose(value.time)}`
    const day = days.get(key) ?? { values: new Map(), sources: new Set() }
    day.values.set(value.time, value)
    for (const source of sources) day.sources.add(source)
    days.set(key, day)
  }
  /** What is remembered, and the hours from the first that is missing to the last. */
  const recall = (series: string, from: number, to: number) => {
    const found: Found<A> = { values: new Map(), sources: new Set(), to }
    let first: number | undefined
    let last = to
    for (let day = dayOfClose(from + hourMs); day < to; day += dayMs) {
      const known = days.get(`${series}:${day}`)
      for (const source of known?.sources ?? []) found.sources.add(source)
      for (let time = Math.max(from, day) + hourMs; time <= Math.min(to, day + dayMs); time += hourMs) {
        const value = known?.values.get(time)
        if (value !== undefined) found.values.set(time, value)
        else {
          first ??= time
          last = time
        }
      }
    }
    return { found, missing: first === undefined ? undefined : { from: first - hourMs, to: last } }
  }

  const asReading = ({ sources, to, values }: Found<A>): Reading<ReadonlyArray<A>> => {
    const sorted = [...values.values()].sort((a, b) => a.time - b.time)
    return reading(sorted, [...sources], sorted.at(-1)?.time ?? to)
  }

  const turns = new Map<string, Semaphore.Semaphore>()
  const turnOf = (series: string): Semaphore.Semaphore => {
    const turn = turns.get(series) ?? Semaphore.makeUnsafe(1)
    turns.set(series, turn)
    return turn
  }

  const computeMissing = Effect.fnUntraced(function*(series: string, from: number, to: number) {
    // Who had the turn before may have computed it.
    const { found, missing } = recall(series, from, to)
    if (missing !== undefined) {
      const { hours, sources } = yield* compute(series, missing.from, missing.to)
      for (const source of sources) found.sources.add(source)
      for (const { value, whole } of hours) {
        found.values.set(value.time, value)
        if (whole) remember(series, value, sources)
      }
    }
    return asReading(found)
  })

  return (series: string, from: number, to: number): Effect.Effect<Reading<ReadonlyArray<A>>, E> =>
    Effect.suspend(() => {
      const { found, missing } = recall(series, from, to)
      return missing === undefined
        ? Effect.succeed(asReading(found))
        : turnOf(series).withPermit(computeMissing(series, from, to))
    })
}
