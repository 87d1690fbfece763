import { assert } from "@effect/vitest"
import { type Gap, hourMs, type MarketError, type RecordedRead } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { asked, type Check, checkOf, found, type Known, nobody, type Present, told, toldOf } from "../market/suite.ts"

/** What is filled in late, or corrected, by a write: as a store that collects sees it. */
export interface Backfill {
  readonly coin: string
  /** What `fill` changes, below the mark: at least an hour from a full one, at most twelve. */
  readonly interval: Gap
  /** Writes it, as your collector does; each suite runs it once, at the end. */
  readonly fill: Effect.Effect<void>
}

/** What the checks of `recorded` are told of a venue. */
export interface RecordedVenue extends Present {
  /**
   * Later instants at which the venue is asked again, ascending; of one that is filled in late, some before that and
   * some after. By default a few hours on.
   */
  readonly askedAgain?: ReadonlyArray<number>
  /** Who computes the past waives it; who stores it should not: a revision that never changes passes all else. */
  readonly backfill: Known<Backfill>
}

/**
 * Whether the same revision is the same data below the mark, at all the instants that the venue names. A venue that
 * fills in or corrects without another revision does not pass.
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

/** What every port's `recorded` promises; `content` is a coin's data below an instant, of which nothing may change. */
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

/** The last check of a suite: what a write changes below the mark is other data, of another revision. */
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

/** Nothing in place of `NoData`. */
export const orNothing = <A>(read: Effect.Effect<A, MarketError>): Effect.Effect<A | null, MarketError> =>
  Effect.catchTag(read, "NoData", () => Effect.succeed(null))
