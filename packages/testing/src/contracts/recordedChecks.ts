import { assert } from "@effect/vitest"
import { type Gap, hourMs, type MarketError, type WatermarkRead } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  assertPresent,
  type CaseOrWaiver,
  type Check,
  makeWaivableCheck,
  readDatedValue,
  readValue,
  requestInterval,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"

/** A backfill or correction that a test writes to a store of market data. */
export interface Backfill {
  readonly coin: string
  /**
   * The interval that `writeChange` changes. `interval` begins at a full hour, 12 hours to 1 hour before the watermark.
   */
  readonly interval: Gap
  /**
   * Writes the change to the store in the same way as the collector of market data. The last test of the suite runs the
   * write once.
   */
  readonly writeChange: Effect.Effect<void>
}

/** The facts about a venue that the tests of watermarks need. */
export interface RecordedVenue extends VenueTime {
  /**
   * The times at which the tests repeat their queries, in ascending order. If a test backfills data, choose times
   * before and after the backfill. The default times are 5 and 9 hours after the next full hour.
   */
  readonly laterTimes?: ReadonlyArray<number>
  /**
   * A change of past data that the tests can make. A venue that computes its past data waives the tests of changes. A
   * venue that stores data should provide a change, because only the tests of changes detect a constant revision.
   */
  readonly backfill: CaseOrWaiver<Backfill>
}

/** Checks that data before the watermark never changes without a new revision. */
export const assertRevisionStability = Effect.fnUntraced(function*(
  readRecorded: WatermarkRead,
  readContent: (coin: string, until: number) => Effect.Effect<unknown, MarketError>,
  coins: ReadonlyArray<string>,
  { laterTimes, now }: Pick<RecordedVenue, "laterTimes" | "now">
) {
  const nextHour = Math.ceil(now / hourMs) * hourMs
  // The tested times include some milliseconds after the hour, because payments are stamped then.
  const times = [
    now,
    ...[1, 300, 2_000].map((ms) => nextHour + ms),
    ...(laterTimes ?? [nextHour + 5 * hourMs + 1, nextHour + 9 * hourMs])
  ].sort((a, b) => a - b)
  const readRecordsAt = (time: number) => Effect.andThen(TestClock.setTime(time), readValue(readRecorded(coins)))
  const records = yield* Effect.forEach(times, readRecordsAt)
  for (const coin of coins) {
    const getRecord = (i: number) => assertPresent(records[i]!.get(coin), `the watermark of ${coin}`)
    for (const [i, first] of times.entries()) {
      for (const [j, second] of times.entries()) {
        const [one, other] = [getRecord(i), getRecord(j)]
        if (j <= i || one.revision !== other.revision) continue
        const until = Math.min(one.contiguousUntil, other.contiguousUntil)
        yield* TestClock.setTime(first)
        const originalContent = yield* readContent(coin, until)
        yield* TestClock.setTime(second)
        assert.deepStrictEqual(
          yield* readContent(coin, until),
          originalContent,
          `${coin} below ${new Date(until).toISOString()}`
        )
      }
    }
  }
})

/** Returns the tests of a port's watermarks. `readContent` reads the data of a coin up to a given time. */
export const recordedChecks = <Port, Venue extends RecordedVenue>(
  getRecordedRead: (port: Port) => WatermarkRead,
  getCoins: (venue: Venue) => ReadonlyArray<string>,
  readContent: (port: Port, coin: string, until: number, venue: Venue) => Effect.Effect<unknown, MarketError>
): ReadonlyArray<Check<Port, Venue>> => [
  ["returns each coin's watermark and revision", (port, venue) =>
    Effect.gen(function*() {
      const coins = getCoins(venue)
      const readRecorded = getRecordedRead(port)
      const all = yield* readDatedValue(readRecorded([...coins, unlistedName]), (_, now) => requestInterval(now))
      assert.deepStrictEqual([...all.keys()].sort(), [...coins].sort())
      for (const [coin, one] of all) {
        assert.isTrue(Number.isFinite(one.contiguousUntil))
        assert.isAtMost(one.contiguousUntil, venue.now)
        assert.isAbove(one.revision.length, 0)
        assert.deepStrictEqual((yield* readValue(readRecorded([coin]))).get(coin), one)
      }
      assert.strictEqual((yield* readValue(readRecorded([]))).size, 0)
    })],
  [
    "one revision always has the same data before the watermark",
    (port, venue) =>
      assertRevisionStability(
        getRecordedRead(port),
        (coin, until) => readContent(port, coin, until, venue),
        getCoins(venue),
        venue
      )
  ]
]

/**
 * Returns a test that writes before the watermark, and expects changed data and a changed revision. The test must be
 * the last test of its suite.
 */
export const backfillCheck = <Port, Venue extends RecordedVenue>(
  getRecordedRead: (port: Port) => WatermarkRead,
  readContent: (port: Port, coin: string, until: number, venue: Venue) => Effect.Effect<unknown, MarketError>
): Check<Port, Venue> =>
  makeWaivableCheck(
    "a write before the watermark changes the data and the revision",
    ({ backfill }) => backfill,
    (port, { coin, writeChange, interval }, venue) =>
      Effect.gen(function*() {
        const until = Math.min(venue.now, interval.to + hourMs)
        const readBoth = Effect.all([
          Effect.map(
            readValue(getRecordedRead(port)([coin])),
            (all) => assertPresent(all.get(coin), `the watermark of ${coin}`)
          ),
          readContent(port, coin, Math.min(until, interval.to), { ...venue, now: until })
        ])
        const [before, contentBefore] = yield* readBoth
        assert.isAtLeast(before.contiguousUntil, interval.to, "the backfilled interval was not before the watermark")
        yield* writeChange
        const [after, contentAfter] = yield* readBoth
        assert.notDeepEqual(contentAfter, contentBefore, "the backfill changed no data")
        assert.notStrictEqual(after.revision, before.revision)
      })
  )

/** Returns null if the effect fails with `NoData`. */
export const nullIfNoData = <A>(effect: Effect.Effect<A, MarketError>): Effect.Effect<A | null, MarketError> =>
  Effect.catchTag(effect, "NoData", () => Effect.succeed(null))
