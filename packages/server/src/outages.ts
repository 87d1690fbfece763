import type { StoreUnavailable } from "@tapeline/core"
import { Clock, Context, Effect, Exit, Latch, Layer } from "effect"

/** The number of failures since an outage began, by message. */
type Counts = ReadonlyMap<string, number>

/** Counts failures of stores. The first failure of each cause is logged, the others are only counted. */
export interface OutageCounter {
  /** Counts a failure. Returns true if it is the first one of its cause in this outage. */
  readonly count: (failure: { readonly message: string; readonly cause: string; readonly atMs: number }) => boolean
  readonly begun: Effect.Effect<void>
  /** When the last failure was counted, epoch ms. */
  readonly lastAt: () => number
  /** The failures so far; undefined if there is no outage. */
  readonly current: () => { readonly lastedMs: number; readonly counts: Counts } | undefined
  readonly end: () => void
}

/**
 * The maximum number of distinct causes and messages. Further causes are logged each time, and further messages share
 * one count.
 */
const maxDistinct = 100

/** Removes the names of generations, stores and times from a text, so that failures of one cause are equal. */
const kindOf = (text: string): string => text.replaceAll(/\d+/g, "N").replaceAll(/`[^`]*`/g, "`...`")

export const makeOutageCounter = (): OutageCounter => {
  const latch = Latch.makeUnsafe(false)
  let since: number | undefined
  let last = 0
  let counts = new Map<string, number>()
  let causes = new Set<string>()
  return {
    count: ({ atMs, cause, message }) => {
      since ??= atMs
      last = atMs
      const kind = kindOf(message)
      const key = counts.has(kind) || counts.size < maxDistinct ? kind : "other messages"
      counts.set(key, (counts.get(key) ?? 0) + 1)
      latch.openUnsafe()
      const isFirst = !causes.has(kindOf(cause))
      if (causes.size < maxDistinct) causes.add(kindOf(cause))
      return isFirst
    },
    begun: latch.await,
    lastAt: () => last,
    current: () => since === undefined ? undefined : { lastedMs: Math.max(0, last - since), counts },
    end: () => {
      since = undefined
      counts = new Map()
      causes = new Set()
      latch.closeUnsafe()
    }
  }
}

export const Outages = Context.Reference<OutageCounter>("@tapeline/server/Outages", { defaultValue: makeOutageCounter })

/** An outage is over if the stores answer, and nothing has failed for this time. */
const quietMs = 5_000

/** The interval at which the counts are logged during an outage. */
const reportMs = 300_000

/** The maximum number of messages in a report. */
const maxNamed = 5

const textOf = (counts: Counts): string => {
  const sorted = Array.from(counts).toSorted(([, a], [, b]) => b - a)
  const named = sorted.slice(0, maxNamed).map(([message, times]) => `${times} × ${message}`)
  return [...named, ...(sorted.length > maxNamed ? [`${sorted.length - maxNamed} other messages`] : [])].join("; ")
}

/**
 * Logs the number of failures by message: at the end of an outage, every five minutes during it, and if the process
 * stops in one. `check` fails while a store is unavailable.
 */
export const layerOutageEnds = (check: Effect.Effect<void, StoreUnavailable>): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const outages = yield* Outages
    const report = (what: string) =>
      Effect.suspend(() => {
        const current = outages.current()
        if (current === undefined) return Effect.void
        const seconds = Math.ceil(current.lastedMs / 1_000)
        return Effect.logInfo(`${what}. Failures within ${seconds} s: ${textOf(current.counts)}`)
      })
    const isOver = Effect.gen(function*() {
      const quiet = (yield* Clock.currentTimeMillis) - outages.lastAt()
      // The value is negative if the clock was set back.
      return (quiet < 0 || quiet >= quietMs) && Exit.isSuccess(yield* Effect.exit(check))
    })
    const watch = Effect.gen(function*() {
      yield* outages.begun
      for (let seconds = 1;; seconds++) {
        yield* Effect.sleep("1 second")
        if (yield* isOver) break
        if (seconds % (reportMs / 1_000) === 0) yield* report("Stores still fail")
      }
      yield* report("All stores answer again")
      outages.end()
    })
    yield* Effect.addFinalizer(() => report("The process stops while stores fail"))
    yield* Effect.forkScoped(Effect.forever(watch))
  }))
