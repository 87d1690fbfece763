/** OKX's spot order books. */
import type { OrderBook } from "@tapeline/core/market"
import { Schema } from "effect"
import { foldBook, InstantMsText, Name, PositiveDecimal } from "../../source/index.ts"
import { answered } from "./refusals.ts"

/** A price, how many coins rest at it, and of how many orders. */
const Levels = Schema.Array(Schema.Tuple([PositiveDecimal, PositiveDecimal, Name]))
type Side = typeof Levels.Type

const ascend = (side: Side): boolean => side.every(([price], i) => i === 0 || price > side[i - 1]![0])

const Book = Schema.Struct({ asks: Levels, bids: Levels, ts: InstantMsText })

/** Both sides have something, best first, and do not touch, as they do before a market opens. */
const isBook = ({ asks, bids }: typeof Book.Type): boolean =>
  asks.length > 0 && bids.length > 0 && asks[0]![0] > bids[0]![0] && ascend(asks) && ascend(bids.toReversed())

export const Books = answered(Schema.Tuple([
  Book.check(Schema.makeFilter(isBook, { expected: "an order book" }))
]))

const levelsOf = (side: Side) => side.map(([price, size]) => ({ price, size }))

/** A book of which so many levels a side were asked for. */
export const bookOf = ({ data: [{ asks, bids, ts: time }] }: typeof Books.Type, most: number): OrderBook =>
  foldBook({ time, bids: levelsOf(bids), asks: levelsOf(asks) }, most)
