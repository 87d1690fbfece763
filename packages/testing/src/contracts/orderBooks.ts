import { assert } from "@effect/vitest"
import { OrderBooks } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertDescending,
  assertFiniteNumbers,
  assertRecent,
  marketSuite,
  readDatedValue,
  readErrorTag,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"

/** The facts about a venue that the contract tests of `OrderBooks` need. */
export interface BookVenue extends VenueTime {
  readonly coins: ReadonlyArray<string>
}

/** Defines the contract tests of `OrderBooks`. */
export const orderBooksContract = marketSuite<OrderBooks, OrderBooks["Service"], BookVenue>(OrderBooks, [
  ["both sides are sorted best first, have sizes, and do not cross", (books, { coins, now }) =>
    Effect.gen(function*() {
      for (const coin of coins) {
        const book = yield* readDatedValue(books.orderBook(coin), ({ time }) => time)
        const { asks, bids } = book
        assertFiniteNumbers(book)
        assert.isAbove(asks[0]!.price, bids[0]!.price)
        assert.isBelow(asks[0]!.price, 1.1 * bids[0]!.price)
        assertRecent(book.time, now)
        assertDescending(bids.map(({ price }) => price))
        assertDescending(asks.map(({ price }) => -price))
        for (const side of [bids, asks]) {
          assert.strictEqual(new Set(side.map(({ price }) => price)).size, side.length)
          assert.isTrue(side.every(({ price, size }) => price > 0 && size > 0))
        }
      }
    })],
  ["no level is beyond the reach of its side", (books, { coins }) =>
    Effect.gen(function*() {
      for (const coin of coins) {
        const { asks, asksReach, bids, bidsReach } = yield* readDatedValue(books.orderBook(coin), ({ time }) => time)
        const midPrice = (asks[0]!.price + bids[0]!.price) / 2
        for (const [side, reach = Infinity] of [[bids, bidsReach], [asks, asksReach]] as const) {
          assert.isAbove(reach, 0)
          assert.isAtMost(Math.abs(side.at(-1)!.price / midPrice - 1), reach * (1 + 1e-9))
        }
      }
    })],
  ["fails with UnknownSymbol for an unlisted coin", (books) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* readErrorTag(books.orderBook(unlistedName)), "UnknownSymbol")
    })]
])
