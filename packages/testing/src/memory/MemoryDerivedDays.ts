import { DerivedDays, type DerivedDaysService, type StoredDay } from "@tapeline/core/analysis"
import { Effect, Layer } from "effect"

interface KeptDay extends StoredDay {
  readonly revision: string
}

/** `DerivedDays` in memory. Several engines can share it. */
export const makeMemoryDerivedDays = (): DerivedDaysService => {
  const series = new Map<string, Map<number, KeptDay>>()
  const daysOf = (rule: string, name: string): Map<number, KeptDay> => {
    const key = JSON.stringify([rule, name])
    const known = series.get(key) ?? new Map<number, KeptDay>()
    series.set(key, known)
    return known
  }
  return {
    get: ({ from, revision, rule, series, to }) =>
      Effect.sync(() =>
        [...daysOf(rule, series).values()]
          .filter((day) => day.revision === revision && day.day >= from && day.day < to)
          .sort((a, b) => a.day - b.day)
          .map(({ bytes, day, until }) => ({ bytes: bytes.slice(), day, until }))
      ),
    put: ({ days, revision, rule, series }) =>
      Effect.sync(() => {
        const kept = daysOf(rule, series)
        for (const { bytes, day, until } of days) {
          const known = kept.get(day)
          if (known?.revision === revision && known.until > until) continue
          kept.set(day, { revision, day, until, bytes: bytes.slice() })
        }
      })
  }
}

/** A new store for each built layer. */
export const MemoryDerivedDays: Layer.Layer<never> = Layer.effect(DerivedDays, Effect.sync(makeMemoryDerivedDays))
