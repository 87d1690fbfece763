import type { OrderBook } from "@tapeline/core/market"
import { Schema } from "effect"
import { foldBook, InstantMsText, Name, PositiveDecimal } from "../source/index.ts"
import { successResponse } from "./rejections.ts"

/** The levels of one side of an order book, each with a price, a size in coins, and a number of orders. */
const Levels = Schema.Array(Schema.Tuple([PositiveDecimal, PositiveDecimal, Name]))
type Side = typeof Levels.Type

const isAscending = (side: Side): boolean => side.every(([price], i) => i === 0 || price > side[i - 1]![0])

const Book = Schema.Struct({ asks: Levels, bids: Levels, ts: InstantMsText })

/** Returns whether both sides of an order book have levels, sorted best price first, and do not touch or cross. */
const isBook = ({ asks, bids }: typeof Book.Type): boolean =>
  asks.length > 0 && bids.length > 0 && asks[0]![0] > bids[0]![0] && isAscending(asks) && isAscending(bids.toReversed())

export const Books = successResponse(Schema.Tuple([
  Book.check(Schema.makeFilter(isBook, { expected: "an order book" }))
]))

const levelsOf = (side: Side) => side.map(([price, size]) => ({ price, size }))

/** Converts an order book response. `maxLevels` is the requested number of levels per side. */
export const toOrderBook = ({ data: [{ asks, bids, ts: time }] }: typeof Books.Type, maxLevels: number): OrderBook =>
  foldBook({ time, bids: levelsOf(bids), asks: levelsOf(asks) }, maxLevels)
