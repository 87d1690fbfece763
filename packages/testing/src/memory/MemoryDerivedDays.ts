import { DerivedDays, type DerivedDaysService, type StoredDay } from "@tapeline/core/analysis"
import { Effect, Layer } from "effect"

interface StoredRevisionDay extends StoredDay {
  readonly revision: string
}

/** Creates a `DerivedDays` store in memory, which several engines can share. */
export const makeMemoryDerivedDays = (): DerivedDaysService => {
  const series = new Map<string, Map<number, StoredRevisionDay>>()
  const getDays = (rule: string, name: string): Map<number, StoredRevisionDay> => {
    const key = JSON.stringify([rule, name])
    const existing = series.get(key) ?? new Map<number, StoredRevisionDay>()
    series.set(key, existing)
    return existing
  }
  return {
    get: ({ from, revision, rule, series, to }) =>
      Effect.sync(() =>
        [...getDays(rule, series).values()]
          .filter((day) => day.revision === revision && day.day >= from && day.day < to)
          .sort((a, b) => a.day - b.day)
          .map(({ bytes, day, until }) => ({ bytes: bytes.slice(), day, until }))
      ),
    put: ({ days, revision, rule, series }) =>
      Effect.sync(() => {
        const storedDays = getDays(rule, series)
        for (const { bytes, day, until } of days) {
          const existing = storedDays.get(day)
          if (existing?.revision === revision && existing.until > until) continue
          storedDays.set(day, { revision, day, until, bytes: bytes.slice() })
        }
      })
  }
}

/** Provides `DerivedDays` in memory, with a new store for each built layer. */
export const MemoryDerivedDays: Layer.Layer<never> = Layer.effect(DerivedDays, Effect.sync(makeMemoryDerivedDays))
