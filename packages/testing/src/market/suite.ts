import { assert, layer as withLayer } from "@effect/vitest"
import type { Candle, Gap, Interval, MarketError, MarketRead, Reading } from "@tapeline/core/market"
import { Clock, type Context, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

/** What a suite must be told of a venue: an instant at which it has data, which the clock is set to. */
export interface Present {
  readonly now: number
}

/** One promise of a port. */
export type Check<Port, Venue> = readonly [
  title: string,
  run: (port: Port, venue: Venue) => Effect.Effect<void, MarketError>
]

export interface SuiteOptions {
  readonly timeoutMs?: number
  /**
   * A check ends well where the adapter says that a source is not configured, and what to set: for adapters that have
   * no source for a part of the port. Everything else is still checked.
   */
  readonly mayLack?: boolean
}

const lacksSetting = (error: MarketError): boolean =>
  error._tag === "SourceUnavailable" && error.failure === "not_configured" && !error.retryable &&
  error.reason.trim() !== ""

/**
 * A port's suite out of its checks: `(name, layer, venue)` runs them over a layer that is built once, at the venue's
 * instant by the test clock.
 */
export const marketSuite =
  <I, Port, Venue extends Present>(port: Context.Key<I, Port>, checks: ReadonlyArray<Check<Port, Venue>>) =>
  <E>(
    name: string,
    layer: Layer.Layer<I, E>,
    venue: Venue,
    options: SuiteOptions = {}
  ): void =>
    withLayer(layer, { timeout: options.timeoutMs ?? 60_000 })(`${port.key.split("/").at(-1)}: ${name}`, (it) => {
      for (const [title, run] of checks) {
        it.effect(
          title,
          () =>
            Effect.andThen(TestClock.setTime(venue.now), Effect.flatMap(port, (service) => run(service, venue))).pipe(
              options.mayLack === true ? Effect.catchIf(lacksSetting, () => Effect.void) : (checked) => checked
            )
        )
      }
    })

/** The value of a reading that says where it came from and knows nothing of the future. */
export const told = <A>(read: MarketRead<A>): Effect.Effect<A, MarketError> =>
  Effect.map(Effect.zipWith(read, Clock.currentTimeMillis, rightly), ({ value }) => value)

const rightly = <A>(reading: Reading<A>, now: number): Reading<A> => {
  const { asOf, sources } = reading
  assert.isAbove(sources.length, 0)
  assert.deepStrictEqual(sources, [...new Set(sources)].sort())
  assert.isTrue(sources.every((source) => source.trim() !== ""))
  assert.isTrue(Number.isFinite(asOf))
  assert.isAtMost(asOf, now)
  return reading
}

/** A reading whose `asOf` is the time of its newest datum. */
export const toldOf = <A>(read: MarketRead<A>, newest: (value: A) => number): Effect.Effect<A, MarketError> =>
  Effect.map(read, (reading) => {
    assert.strictEqual(reading.asOf, newest(reading.value))
    return reading.value
  })

/** The tag of the error that a question fails with; a source that is not configured could not refuse it. */
export const refused = <A>(read: MarketRead<A>): Effect.Effect<MarketError["_tag"], MarketError> =>
  Effect.matchEffect(read, {
    onFailure: (error) => lacksSetting(error) ? Effect.fail(error) : Effect.succeed(error._tag),
    onSuccess: (value) => Effect.sync((): MarketError["_tag"] => assert.fail(`answered ${JSON.stringify(value)}`))
  })

/** A name that no venue lists. */
export const nobody = "NOSUCH0"

/** Times that ascend, one for each; of events several may share one. */
export const ascend = (times: ReadonlyArray<number>, kind: "series" | "events" = "series"): void => {
  for (const [i, time] of times.entries()) {
    assert.isTrue(Number.isFinite(time))
    if (i === 0) continue
    if (kind === "series") assert.isAbove(time, times[i - 1]!)
    else assert.isAtLeast(time, times[i - 1]!)
  }
}

/** Items that lie in a half-open interval, in order, and none after the present. */
export const lieWithin = (
  items: ReadonlyArray<{ readonly time: number }>,
  { from, to }: Interval,
  now: number,
  kind: "series" | "events" = "series"
): void => {
  const times = items.map(({ time }) => time)
  ascend(times, kind)
  for (const time of times) {
    assert.isAtLeast(time, from)
    assert.isBelow(time, to)
    assert.isAtMost(time, now)
  }
}

/** Gaps that lie in an interval, apart from one another and in order. */
export const gapsAreApart = (gaps: ReadonlyArray<Gap>, { from, to }: Interval): void => {
  let end = from
  for (const gap of gaps) {
    assert.isAtLeast(gap.from, end)
    assert.isBelow(gap.from, gap.to)
    assert.isAtMost(gap.to, to)
    end = gap.to
  }
}

/** Every number of a value, however deep: finite, or the value holds what nobody can write as JSON. */
export const isWritable = (value: unknown): void => {
  if (typeof value === "number") assert.isTrue(Number.isFinite(value), `${value} is no number`)
  else if (Array.isArray(value)) value.forEach(isWritable)
  else if (typeof value === "object" && value !== null) Object.values(value).forEach(isWritable)
  else assert.notStrictEqual(value, undefined)
}

/** A candle that can be. */
export const isPossible = ({ close, closed, high, low, open, quoteVolume, takerBuyVolume, volume }: Candle): void => {
  assert.isAbove(low, 0)
  assert.isAtMost(low, Math.min(open, close))
  assert.isAtLeast(high, Math.max(open, close))
  assert.isAtLeast(volume, 0)
  assert.isAtLeast(quoteVolume, 0)
  if (takerBuyVolume !== null) {
    assert.isAtLeast(takerBuyVolume, 0)
    assert.isAtMost(takerBuyVolume, volume)
  }
  assert.isBoolean(closed)
}

/** Items sorted by a key, each no larger than the one before. */
export const descend = (values: ReadonlyArray<number>): void => {
  for (const [i, value] of values.entries()) if (i > 0) assert.isAtMost(value, values[i - 1]!)
}

/** Names in order, each once. */
export const byName = (names: ReadonlyArray<string>): void => {
  assert.deepStrictEqual(names, [...new Set(names)].sort())
}
