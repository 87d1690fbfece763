import { assert, layer as withLayer } from "@effect/vitest"
import {
  type Candle,
  dayMs,
  type Gap,
  hourMs,
  type Interval,
  type MarketError,
  type MarketRead,
  type Reading
} from "@tapeline/core/market"
import { Cause, Clock, type Context, Effect, Exit, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { CaseOrWaiver, Waiver } from "../contracts/waiver.ts"

export { type CaseOrWaiver, waive } from "../contracts/waiver.ts"

/** The time `now` at which a venue has data. Every test suite sets the test clock to `now`. */
export interface VenueTime {
  readonly now: number
}

/** A test of a guarantee of a port. `waivedBy` returns the reason why a venue waives the test. */
export type Check<Port, Venue> = readonly [
  title: string,
  run: (port: Port, venue: Venue) => Effect.Effect<void, MarketError>,
  waivedBy?: (venue: Venue) => string | undefined
]

const isWaived = (fact: unknown): fact is Waiver => typeof fact === "object" && fact !== null && "waived" in fact

/**
 * Creates a test of a case that not every venue has, such as an outage. The test is skipped for a venue that waives the
 * case.
 */
export const makeWaivableCheck = <Port, Venue, A extends string | object>(
  title: string,
  getFact: (venue: Venue) => CaseOrWaiver<A>,
  run: (port: Port, fact: A, venue: Venue) => Effect.Effect<void, MarketError>
): Check<Port, Venue> => [
  title,
  (port, venue) => {
    const fact = getFact(venue)
    return isWaived(fact) ? Effect.void : run(port, fact, venue)
  },
  (venue) => {
    const fact = getFact(venue)
    return isWaived(fact) ? fact.waived : undefined
  }
]

export interface SuiteOptions<Port> {
  readonly timeoutMs?: number
  /**
   * Methods for which the adapter may have no configured source. If an optional method fails with a missing-setting
   * error, the test passes.
   */
  readonly optionalMethods?: ReadonlyArray<keyof Port & string>
}

const isMissingSettingError = (error: MarketError): boolean =>
  error._tag === "SourceUnavailable" && error.failure === "not_configured" && !error.retryable &&
  error.reason.trim() !== ""

/** Wraps an adapter to record the errors of its optional methods. */
const trackMissingSettings = <Port extends object>(port: Port, methods: ReadonlyArray<string>) => {
  const missingSettingErrors = new WeakSet<object>()
  const trackErrors = (read: unknown): unknown =>
    Effect.isEffect(read)
      ? Effect.tapError(read, (error) =>
        Effect.sync(() => {
          if (typeof error === "object" && error !== null) missingSettingErrors.add(error)
        }))
      : read
  const service = new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof name !== "string" || !methods.includes(name)) return member
      return typeof member === "function"
        ? (...query: ReadonlyArray<unknown>) => trackErrors(member(...query))
        : trackErrors(member)
    }
  })
  return {
    service,
    isMissingSetting: (error: MarketError) => missingSettingErrors.has(error) && isMissingSettingError(error)
  }
}

const runCheck = <I, Port extends object, Venue extends VenueTime>(
  port: Context.Key<I, Port>,
  [, run]: Check<Port, Venue>,
  venue: Venue,
  { optionalMethods = [] }: SuiteOptions<Port>
): Effect.Effect<void, MarketError, I> =>
  Effect.andThen(
    TestClock.setTime(venue.now),
    Effect.flatMap(port, (adapter) => {
      const { isMissingSetting, service } = trackMissingSettings(adapter, optionalMethods)
      return Effect.catchIf(run(service, venue), isMissingSetting, () => Effect.void)
    })
  )

/** The contract test suite of a market port. */
export interface MarketSuite<I, Port, Venue> {
  readonly port: string
  /**
   * Defines the tests of the suite for one adapter. The test clock of each test starts at the time `now` of the venue.
   */
  <E>(name: string, layer: Layer.Layer<I, E>, venue: Venue, options?: SuiteOptions<Port>): void
  /** Runs the test with the given title, and returns its failure or null. */
  readonly failureOf: <E>(
    title: string,
    layer: Layer.Layer<I, E>,
    venue: Venue,
    options?: SuiteOptions<Port>
  ) => Effect.Effect<string | null, E>
}

const getPortName = ({ key }: { readonly key: string }): string => key.slice(key.lastIndexOf("/") + 1)

export const marketSuite = <I, Port extends object, Venue extends VenueTime>(
  port: Context.Key<I, Port>,
  checks: ReadonlyArray<Check<Port, Venue>>
): MarketSuite<I, Port, Venue> => {
  const suite = <E>(name: string, layer: Layer.Layer<I, E>, venue: Venue, options: SuiteOptions<Port> = {}): void =>
    withLayer(layer, { timeout: options.timeoutMs ?? 60_000 })(`${getPortName(port)}: ${name}`, (it) => {
      for (const check of checks) {
        const [title, , waivedBy] = check
        const reason = waivedBy?.(venue)
        if (reason === undefined) it.effect(title, () => runCheck(port, check, venue, options))
        else it.effect.skip(`${title} (waived: ${reason})`, () => Effect.void)
      }
    })
  const failureOf = <E>(title: string, layer: Layer.Layer<I, E>, venue: Venue, options: SuiteOptions<Port> = {}) => {
    const check = checks.find(([one]) => one === title)
    if (check === undefined) throw new RangeError(`${port.key} has no check "${title}"`)
    return Effect.provide(Effect.exit(runCheck(port, check, venue, options)), layer).pipe(Effect.map(getFailureMessage))
  }
  return Object.assign(suite, { failureOf, port: getPortName(port) })
}

/**
 * Returns the message of a failed assertion or of an adapter's error. Returns null if the test passed, and throws any
 * other error.
 */
const getFailureMessage = (exit: Exit.Exit<void, MarketError>): string | null => {
  if (Exit.isSuccess(exit)) return null
  const error = Cause.squash(exit.cause)
  if (!(error instanceof Error) || (error.name !== "AssertionError" && !("toolFailure" in error))) throw error
  return error.message
}

/**
 * Returns the value of a reading after checking the reading. A reading must name a source, and `asOf` must not be in
 * the future.
 */
export const readValue = <A>(read: MarketRead<A>): Effect.Effect<A, MarketError> =>
  Effect.map(Effect.zipWith(read, Clock.currentTimeMillis, assertValidReading), ({ value }) => value)

const assertValidReading = <A>(reading: Reading<A>, now: number): Reading<A> => {
  const { asOf, sources } = reading
  assert.isAbove(sources.length, 0)
  assert.deepStrictEqual(sources, [...new Set(sources)].sort())
  assert.isTrue(sources.every((source) => source.trim() !== ""))
  assert.isTrue(Number.isFinite(asOf))
  assert.isAtMost(asOf, now)
  return reading
}

/** The expected `asOf` of a value. If the type is `Interval`, any `asOf` in the interval is correct. */
export type KnownUntil = number | Interval

/**
 * Returns the value of a reading after checking the time `asOf`. The test fails if `asOf` differs from the result of
 * `getKnownUntil`.
 */
export const readDatedValue = <A>(
  read: MarketRead<A>,
  getKnownUntil: (value: A, now: number) => KnownUntil
): Effect.Effect<A, MarketError> =>
  Effect.map(Effect.zip(read, Clock.currentTimeMillis), ([reading, now]) => {
    const { asOf, value } = assertValidReading(reading, now)
    const known = getKnownUntil(value, now)
    if (typeof known === "number") assert.strictEqual(asOf, known, `as of ${new Date(asOf).toISOString()}`)
    else {
      assert.isAtLeast(asOf, known.from, `as of ${new Date(asOf).toISOString()}`)
      assert.isAtMost(asOf, known.to, `as of ${new Date(asOf).toISOString()}`)
    }
    return value
  })

/**
 * Returns the permitted `asOf` if the value is empty or has no time. The permitted `asOf` is between 24 hours before
 * the request and the request.
 */
export const requestInterval = (now: number): KnownUntil => ({ from: now - dayMs, to: now })

/**
 * Returns the permitted `asOf` of a list of prices or events. The permitted `asOf` is the newest time in the list, or a
 * time in the day before the request if the list is empty.
 */
export const newestTime = (times: ReadonlyArray<number>, now: number): KnownUntil =>
  times.length === 0 ? requestInterval(now) : Math.max(...times)

/**
 * Returns the permitted `asOf` for data of an interval. If the interval has ended, `asOf` must be its end. If the
 * interval is still open, `asOf` may be any time from its start to `now`.
 */
export const intervalEnd = (from: number, to: number, now: number): KnownUntil => to <= now ? to : { from, to: now }

/** Returns the error tag of a failed read, or fails if the source is not configured. */
export const readErrorTag = <A>(read: MarketRead<A>): Effect.Effect<MarketError["_tag"], MarketError> =>
  Effect.matchEffect(read, {
    onFailure: (error) => isMissingSettingError(error) ? Effect.fail(error) : Effect.succeed(error._tag),
    onSuccess: (value) => Effect.sync((): MarketError["_tag"] => assert.fail(`answered ${JSON.stringify(value)}`))
  })

export const assertPresent = <A>(value: A | null | undefined, description: string): A => {
  if (value === null || value === undefined) assert.fail(`${description} is missing`)
  return value
}

export const unlistedName = "NOSUCH0"

/** Checks that times ascend. Two events may have equal times, but two points of a series may not. */
export const assertAscending = (times: ReadonlyArray<number>, kind: "series" | "events" = "series"): void => {
  for (const [i, time] of times.entries()) {
    assert.isTrue(Number.isFinite(time))
    if (i === 0) continue
    if (kind === "series") assert.isAbove(time, times[i - 1]!)
    else assert.isAtLeast(time, times[i - 1]!)
  }
}

export const assertWithin = (
  items: ReadonlyArray<{ readonly time: number }>,
  { from, to }: Interval,
  now: number,
  kind: "series" | "events" = "series"
): void => {
  const times = items.map(({ time }) => time)
  assertAscending(times, kind)
  for (const time of times) {
    assert.isAtLeast(time, from)
    assert.isBelow(time, to)
    assert.isAtMost(time, now)
  }
}

export const assertSeparateGaps = (gaps: ReadonlyArray<Gap>, { from, to }: Interval): void => {
  let end = from
  for (const gap of gaps) {
    assert.isAtLeast(gap.from, end)
    assert.isBelow(gap.from, gap.to)
    assert.isAtMost(gap.to, to)
    end = gap.to
  }
}

/** Checks that all numbers of a value, at any depth, are finite and can therefore be written as JSON. */
export const assertFiniteNumbers = (value: unknown): void => {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) assert.fail(`${value} is not a finite number`)
  } else if (Array.isArray(value)) value.forEach(assertFiniteNumbers)
  else if (typeof value === "object" && value !== null) Object.values(value).forEach(assertFiniteNumbers)
  else if (value === undefined) assert.fail("undefined cannot be written as JSON")
}

export const assertPossibleCandle = (
  { close, closed, high, low, open, quoteVolume, takerBuyVolume, volume }: Candle
): void => {
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

export const assertRecent = (time: number, now: number): void => {
  assert.isAtMost(time, now)
  assert.isAbove(time, now - hourMs, `of ${new Date(time).toISOString()}`)
}

export const assertDescending = (values: ReadonlyArray<number>): void => {
  for (const [i, value] of values.entries()) if (i > 0) assert.isAtMost(value, values[i - 1]!)
}

export const assertSortedNames = (names: ReadonlyArray<string>): void => {
  assert.deepStrictEqual(names, [...new Set(names)].sort())
}

export const lastItem = <A>(all: ReadonlyArray<A>): A => {
  assert.isAbove(all.length, 0, "the list is empty")
  return all.at(-1)!
}
