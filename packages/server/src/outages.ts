import type { StoreUnavailable } from "@tapeline/core"
import { Clock, Context, Effect, Exit, Latch, Layer } from "effect"

/** A message, and how often it was logged. */
type Counts = ReadonlyMap<string, number>

/** Failures of stores. The first one of an outage is logged, and the others are counted. */
export interface OutageCounter {
  /** Counts a failure. Returns true if it begins an outage. */
  readonly count: (message: string, atMs: number) => boolean
  readonly begun: Effect.Effect<void>
  /** When the last failure was counted, epoch ms. */
  readonly lastAt: () => number
  /** Ends the outage. */
  readonly end: () => { readonly lastedMs: number; readonly counts: Counts }
}

export const makeOutageCounter = (): OutageCounter => {
  const latch = Latch.makeUnsafe(false)
  let since: number | undefined
  let last = 0
  let counts = new Map<string, number>()
  return {
    count: (message, atMs) => {
      const isFirst = since === undefined
      since ??= atMs
      last = atMs
      // Messages name generations and tasks.
      const key = message.replaceAll(/\d+/g, "N")
      counts.set(key, (counts.get(key) ?? 0) + 1)
      latch.openUnsafe()
      return isFirst
    },
    begun: latch.await,
    lastAt: () => last,
    end: () => {
      const ended = { lastedMs: Math.max(0, last - (since ?? last)), counts }
      since = undefined
      counts = new Map()
      latch.closeUnsafe()
      return ended
    }
  }
}

export const Outages = Context.Reference<OutageCounter>("@tapeline/server/Outages", { defaultValue: makeOutageCounter })

/** An outage is over if the stores answer, and nothing has failed for this time. */
const quietMs = 5_000

/** At most so many messages are named. */
const maxNamed = 5

const textOf = (counts: Counts): string => {
  const sorted = Array.from(counts).toSorted(([, a], [, b]) => b - a)
  const named = sorted.slice(0, maxNamed).map(([message, times]) => `${times} × ${message}`)
  return [...named, ...(sorted.length > maxNamed ? [`${sorted.length - maxNamed} other messages`] : [])].join("; ")
}

/** Logs when an outage is over, with the number of failures by message. `check` fails while a store is away. */
export const layerOutageEnds = (check: Effect.Effect<void, StoreUnavailable>): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const outages = yield* Outages
    const isOver = Effect.gen(function*() {
      yield* Effect.sleep("1 second")
      const quiet = (yield* Clock.currentTimeMillis) - outages.lastAt()
      // A clock that was set back makes it negative.
      return (quiet < 0 || quiet >= quietMs) && Exit.isSuccess(yield* Effect.exit(check))
    })
    yield* outages.begun.pipe(
      Effect.andThen(Effect.repeat(isOver, { until: (over) => over })),
      Effect.andThen(Effect.suspend(() => {
        const { counts, lastedMs } = outages.end()
        const seconds = Math.ceil(lastedMs / 1_000)
        return Effect.logInfo(`All stores answer again. Failures within ${seconds} s: ${textOf(counts)}`)
      })),
      Effect.forever,
      Effect.forkScoped
    )
  }))
