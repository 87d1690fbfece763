import { assert } from "@effect/vitest"
import { type Gap, hourMs, type MarketError, type RecordedRead } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { asked, type Check, checkOf, found, type Known, nobody, type Present, told, toldOf } from "../market/suite.ts"

/** A backfill or correction that a test writes to a store. */
export interface Backfill {
  readonly coin: string
  /** The interval that `fill` changes, before the watermark: one to twelve hours, from a full hour. */
  readonly interval: Gap
  /** Writes the change as the collector does. Each suite runs it once, at the end. */
  readonly fill: Effect.Effect<void>
}

/** The venue facts that the checks of `recorded` need. */
export interface RecordedVenue extends Present {
  /**
   * Later times at which the checks repeat the queries, ascending. For a venue with a backfill, some times precede it
   * and some follow it. By default a few hours later.
   */
  readonly askedAgain?: ReadonlyArray<number>
  /**
   * A venue that computes the past waives this. A venue that stores data should not: a revision that never changes
   * passes all other checks.
   */
  readonly backfill: Known<Backfill>
}

/**
 * Checks that one revision has the same data before the watermark at all times that the venue names. A venue that
 * backfills or corrects without a new revision fails.
 */
export const sameRevisionSameData = Effect.fnUntraced(function*(
  recorded: RecordedRead,
  content: (coin: string, until: number) => Effect.Effect<unknown, MarketError>,
  coins: ReadonlyArray<string>,
  { askedAgain, now }: Pick<RecordedVenue, "askedAgain" | "now">
) {
  const nextHour = Math.ceil(now / hourMs) * hourMs
  // Payments are stamped some milliseconds after the hour.
  const instants = [
    now,
    ...[1, 300, 2_000].map((ms) => nextHour + ms),
    ...(askedAgain ?? [nextHour + 5 * hourMs + 1, nextHour + 9 * hourMs])
  ].sort((a, b) => a - b)
  const at = (time: number) => Effect.andThen(TestClock.setTime(time), told(recorded(coins)))
  const records = yield* Effect.forEach(instants, at)
  for (const coin of coins) {
    const recordOf = (i: number) => found(records[i]!.get(coin), `what is recorded of ${coin}`)
    for (const [i, first] of instants.entries()) {
      for (const [j, second] of instants.entries()) {
        const [one, other] = [recordOf(i), recordOf(j)]
        if (j <= i || one.revision !== other.revision) continue
        const until = Math.min(one.contiguousUntil, other.contiguousUntil)
        yield* TestClock.setTime(first)
        const then = yield* content(coin, until)
        yield* TestClock.setTime(second)
        assert.deepStrictEqual(yield* content(coin, until), then, `${coin} below ${new Date(until).toISOString()}`)
      }
    }
  }
})

/**
 * The contract tests of every port's `recorded`. `content` is a coin's data before an instant, which must not change.
 */
export const recordedChecks = <Port, Venue extends RecordedVenue>(
  recordedOf: (port: Port) => RecordedRead,
  coinsOf: (venue: Venue) => ReadonlyArray<string>,
  content: (port: Port, coin: string, until: number, venue: Venue) => Effect.Effect<unknown, MarketError>
): ReadonlyArray<Check<Port, Venue>> => [
  ["tells how far a coin is recorded, and of which revision", (port, venue) =>
    Effect.gen(function*() {
      const coins = coinsOf(venue)
      const recorded = recordedOf(port)
      const all = yield* toldOf(recorded([...coins, nobody]), (_, now) => asked(now))
      assert.deepStrictEqual([...all.keys()].sort(), [...coins].sort())
      for (const [coin, one] of all) {
        assert.isTrue(Number.isFinite(one.contiguousUntil))
        assert.isAtMost(one.contiguousUntil, venue.now)
        assert.isAbove(one.revision.length, 0)
        assert.deepStrictEqual((yield* told(recorded([coin]))).get(coin), one)
      }
      assert.strictEqual((yield* told(recorded([]))).size, 0)
    })],
  [
    "the same revision is the same data below the mark, whenever it is asked; what is filled in changes it",
    (port, venue) =>
      sameRevisionSameData(recordedOf(port), (coin, until) => content(port, coin, until, venue), coinsOf(venue), venue)
  ]
]

/** The last check of a suite: a write before the watermark changes the data and the revision. */
export const backfillCheck = <Port, Venue extends RecordedVenue>(
  recordedOf: (port: Port) => RecordedRead,
  content: (port: Port, coin: string, until: number, venue: Venue) => Effect.Effect<unknown, MarketError>
): Check<Port, Venue> =>
  checkOf(
    "what is written below the mark afterwards is other data, of another revision",
    ({ backfill }) => backfill,
    (port, { coin, fill, interval }, venue) =>
      Effect.gen(function*() {
        const until = Math.min(venue.now, interval.to + hourMs)
        const read = Effect.all([
          Effect.map(told(recordedOf(port)([coin])), (all) => found(all.get(coin), `what is recorded of ${coin}`)),
          content(port, coin, Math.min(until, interval.to), { ...venue, now: until })
        ])
        const [before, data] = yield* read
        assert.isAtLeast(before.contiguousUntil, interval.to, "what is filled in was awaited")
        yield* fill
        const [after, filled] = yield* read
        assert.notDeepEqual(filled, data, "nothing was filled in")
        assert.notStrictEqual(after.revision, before.revision)
      })
  )

/** Returns null instead of `NoData`. */
export const orNothing = <A>(read: Effect.Effect<A, MarketError>): Effect.Effect<A | null, MarketError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(null))
