import type { BookLevel, OrderBook } from "@tapeline/core/market"
import { Schema } from "effect"
import { foldBook, PositiveDecimal } from "../source/index.ts"

/** The order book depths that Binance offers, in levels, with the request weight of each depth. */
export const depths = [
  { limit: 500, cost: 25 },
  { limit: 1_000, cost: 50 },
  { limit: 5_000, cost: 250 }
] as const

/** The required depth of an order book on each side, as a fraction of the mid price. */
export const requiredDepth = 0.01

const Levels = Schema.Array(Schema.Tuple([PositiveDecimal, PositiveDecimal]))
type Side = typeof Levels.Type

const Sides = Schema.Struct({ bids: Levels, asks: Levels })

const isAscending = (side: Side): boolean => side.every(([price], i) => i === 0 || price > side[i - 1]![0])

const isBook = ({ asks, bids }: typeof Sides.Type): boolean =>
  asks.length > 0 && bids.length > 0 && asks[0]![0] > bids[0]![0] && isAscending(asks) && isAscending(bids.toReversed())

export const Depth = Sides.check(Schema.makeFilter(isBook, { expected: "an order book" }))

const levelsOf = (side: Side): ReadonlyArray<BookLevel> => side.map(([price, size]) => ({ price, size }))

/** Converts a depth response, which contains no time, to an order book. */
export const toOrderBook = ({ asks, bids }: typeof Depth.Type, limit: number, time: number): OrderBook =>
  foldBook({ time, bids: levelsOf(bids), asks: levelsOf(asks) }, limit)
