/** OKX's spot order books. */
import type { OrderBook } from "@tapeline/core/market"
import { Schema } from "effect"
import { foldBook, InstantMsText, Name, PositiveDecimal } from "../../source/index.ts"
import { answered } from "./refusals.ts"

/** The price of a level, its size in coins, and its number of orders. */
const Levels = Schema.Array(Schema.Tuple([PositiveDecimal, PositiveDecimal, Name]))
type Side = typeof Levels.Type

const ascend = (side: Side): boolean => side.every(([price], i) => i === 0 || price > side[i - 1]![0])

const Book = Schema.Struct({ asks: Levels, bids: Levels, ts: InstantMsText })

/**
 * Whether both sides have levels, the best price first, and do not touch or cross, as they may before a market opens.
 */
const isBook = ({ asks, bids }: typeof Book.Type): boolean =>
  asks.length > 0 && bids.length > 0 && asks[0]![0] > bids[0]![0] && ascend(asks) && ascend(bids.toReversed())

export const Books = answered(Schema.Tuple([
  Book.check(Schema.makeFilter(isBook, { expected: "an order book" }))
]))

const levelsOf = (side: Side) => side.map(([price, size]) => ({ price, size }))

/** Converts a payload that was requested with `most` levels a side. */
export const bookOf = ({ data: [{ asks, bids, ts: time }] }: typeof Books.Type, most: number): OrderBook =>
  foldBook({ time, bids: levelsOf(bids), asks: levelsOf(asks) }, most)
