import { quantile } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import type { BookLevel, OrderBook } from "../../market/book.ts"
import { OrderBooks } from "../../market/OrderBooks.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOrderbook } from "./getOrderbook.ts"

const depthWidths = [0.1, 0.25, 0.5, 1] as const
const maxWidth = depthWidths[3]
const wallFactor = 5
const maxWalls = 10

type Side = ReadonlyArray<BookLevel>

const valueUsd = ({ price, size }: BookLevel): number => price * size

const levelsWithin = (side: Side, mid: number, pct: number): Side =>
  side.filter(({ price }) => Math.abs(price / mid - 1) <= pct / 100 + Number.EPSILON)

/**
 * Returns the USD value of the orders within `pct` percent of the mid price, or null if the book is not known that far.
 */
const computeDepth = (side: Side, knownDepth: number, mid: number, pct: number): number | null =>
  100 * knownDepth < pct ? null : levelsWithin(side, mid, pct).reduce((sum, one) => sum + valueUsd(one), 0)

/** Returns the mean price of a market order of `sizeUsd`, or null if the known side of the book is too small. */
const computeMeanPrice = (side: Side, sizeUsd: number): number | null => {
  let remainingUsd = sizeUsd
  let coins = 0
  for (const bookLevel of side) {
    const takenUsd = Math.min(remainingUsd, valueUsd(bookLevel))
    coins += takenUsd / bookLevel.price
    remainingUsd -= takenUsd
    if (remainingUsd <= 0) return sizeUsd / coins
  }
  return null
}

const findWalls = (name: "bid" | "ask", side: Side, mid: number) => {
  const nearLevels = levelsWithin(side, mid, maxWidth)
  const median = quantile(nearLevels.map(valueUsd), 0.5)
  if (median === null || !(median > 0)) return []
  return nearLevels.filter((one) => valueUsd(one) >= wallFactor * median).map((one) => ({
    side: name,
    price: one.price,
    usd: valueUsd(one),
    times_median: valueUsd(one) / median,
    distance_pct: 100 * (one.price / mid - 1)
  }))
}

const toBasisPoints = (mean: number | null, mid: number, sign: 1 | -1): number | null =>
  mean === null ? null : sign * 10_000 * (mean / mid - 1)

/**
 * Returns the distances from the mid price up to which the bids and the asks are known. If the source reports no depth
 * limit for a side, the side counts as complete.
 */
const knownDepths = ({ asksReach = Infinity, bidsReach = Infinity }: OrderBook) => ({ asksReach, bidsReach })

const computeImbalance = (bid: number | null, ask: number | null): number | null =>
  bid !== null && ask !== null && bid + ask > 0 ? (100 * (bid - ask)) / (bid + ask) : null

/** Measures the bids and asks of an order book that has orders on both sides. */
const measureBook = (book: OrderBook, mid: number, sizes: ReadonlyArray<number>) => {
  const { asks, bids } = book
  const { asksReach, bidsReach } = knownDepths(book)
  const depth = depthWidths.map((pct) => ({
    within_pct: pct,
    bid_usd: computeDepth(bids, bidsReach, mid, pct),
    ask_usd: computeDepth(asks, asksReach, mid, pct)
  }))
  const { ask_usd, bid_usd } = depth.at(-1)!
  return {
    mid,
    spread_bps: (10_000 * (asks[0]!.price - bids[0]!.price)) / mid,
    depth,
    bid_depth_usd: bid_usd,
    ask_depth_usd: ask_usd,
    imbalance_pct: computeImbalance(bid_usd, ask_usd),
    walls: [...findWalls("bid", bids, mid), ...findWalls("ask", asks, mid)].sort((a, b) => b.usd - a.usd),
    slippage: sizes.map((size_usd) => ({
      size_usd,
      buy_bps: toBasisPoints(computeMeanPrice(asks, size_usd), mid, 1),
      sell_bps: toBasisPoints(computeMeanPrice(bids, size_usd), mid, -1)
    }))
  }
}

const measureOneSided = (sizes: ReadonlyArray<number>) => ({
  mid: null,
  spread_bps: null,
  depth: [],
  bid_depth_usd: null,
  ask_depth_usd: null,
  imbalance_pct: null,
  walls: [],
  slippage: sizes.map((size_usd) => ({ size_usd, buy_bps: null, sell_bps: null }))
})

const formatPercent = (knownDepth: number): string => `${Number((100 * knownDepth).toPrecision(3))} %`

/** Returns a note if the venue reports less of the order book than the widest measured depth. */
const makeDepthNotes = (book: OrderBook): ReadonlyArray<string> => {
  const { asksReach, bidsReach } = knownDepths(book)
  if (Math.min(asksReach, bidsReach) >= maxWidth / 100) return []
  const sides = [
    ...bidsReach < maxWidth / 100 ? [`bids within ${formatPercent(bidsReach)}`] : [],
    ...asksReach < maxWidth / 100 ? [`asks within ${formatPercent(asksReach)}`] : []
  ]
  return [
    `The venue reports ${
      sides.join(" and ")
    } of mid: depth beyond is null, and walls are only within the reported part.`
  ]
}

export const handler = handlerOf(
  getOrderbook,
  Effect.gen(function*() {
    const books = yield* OrderBooks
    return Effect.fnUntraced(function*({ coin, sizes_usd }) {
      const reading = yield* books.orderBook(coin)
      const { asks, bids } = reading.value
      const [bid, ask] = [bids[0]?.price ?? null, asks[0]?.price ?? null]
      const measures = bid === null || ask === null
        ? measureOneSided(sizes_usd)
        : measureBook(reading.value, (bid + ask) / 2, sizes_usd)
      const notes: Array<string> = []
      if (measures.mid === null) {
        notes.push(
          "One side of the book is empty, so there is no mid price, and the values that are measured from it are null."
        )
      } else {
        notes.push(...makeDepthNotes(reading.value))
      }
      if (
        measures.mid !== null &&
        measures.slippage.some(({ buy_bps, sell_bps }) => buy_bps === null || sell_bps === null)
      ) {
        notes.push("Slippage is null if the recorded book ends before the size is filled.")
      }
      const leftOutCount = measures.walls.length - maxWalls
      if (leftOutCount > 0) notes.push(`${formatCount(leftOutCount, "smaller wall")} left out.`)
      return {
        coin,
        market: "spot" as const,
        best_bid: bid,
        best_ask: ask,
        ...measures,
        walls: measures.walls.slice(0, maxWalls),
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
