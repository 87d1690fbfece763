import { quantile } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import type { BookLevel, OrderBook } from "../../market/book.ts"
import { OrderBooks } from "../../market/OrderBooks.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOrderbook } from "./getOrderbook.ts"

const widths = [0.1, 0.25, 0.5, 1] as const
const widest = widths[3]
const wallTimes = 5
/** The maximum number of walls in the result. */
const told = 10

type Side = ReadonlyArray<BookLevel>

const usdOf = ({ price, size }: BookLevel): number => price * size

/** Returns the levels within `pct` percent of the mid price. */
const within = (side: Side, mid: number, pct: number): Side =>
  side.filter(({ price }) => Math.abs(price / mid - 1) <= pct / 100 + Number.EPSILON)

/** Returns the value of the orders within `pct` percent of the mid price; null if the known book ends before. */
const depthOf = (side: Side, reach: number, mid: number, pct: number): number | null =>
  100 * reach < pct ? null : within(side, mid, pct).reduce((sum, one) => sum + usdOf(one), 0)

/**
 * Returns the mean price of a market order of `sizeUsd` against a side, best level first; null if the known side is too
 * small.
 */
const meanPrice = (side: Side, sizeUsd: number): number | null => {
  let left = sizeUsd
  let coins = 0
  for (const one of side) {
    const taken = Math.min(left, usdOf(one))
    coins += taken / one.price
    left -= taken
    if (left <= 0) return sizeUsd / coins
  }
  return null
}

const wallsOf = (name: "bid" | "ask", side: Side, mid: number) => {
  const near = within(side, mid, widest)
  const median = quantile(near.map(usdOf), 0.5)
  if (median === null || !(median > 0)) return []
  return near.filter((one) => usdOf(one) >= wallTimes * median).map((one) => ({
    side: name,
    price: one.price,
    usd: usdOf(one),
    times_median: usdOf(one) / median,
    distance_pct: 100 * (one.price / mid - 1)
  }))
}

const bps = (mean: number | null, mid: number, sign: 1 | -1): number | null =>
  mean === null ? null : sign * 10_000 * (mean / mid - 1)

/** Returns how far the sides are known. If the venue does not report it, they count as complete. */
const reaches = ({ asksReach = Infinity, bidsReach = Infinity }: OrderBook) => ({ asksReach, bidsReach })

const imbalanceOf = (bid: number | null, ask: number | null): number | null =>
  bid !== null && ask !== null && bid + ask > 0 ? (100 * (bid - ask)) / (bid + ask) : null

/** Measures both sides. Requires that neither side is empty. */
const measured = (book: OrderBook, mid: number, sizes: ReadonlyArray<number>) => {
  const { asks, bids } = book
  const { asksReach, bidsReach } = reaches(book)
  const depth = widths.map((pct) => ({
    within_pct: pct,
    bid_usd: depthOf(bids, bidsReach, mid, pct),
    ask_usd: depthOf(asks, asksReach, mid, pct)
  }))
  const { ask_usd, bid_usd } = depth.at(-1)!
  return {
    mid,
    spread_bps: (10_000 * (asks[0]!.price - bids[0]!.price)) / mid,
    depth,
    bid_depth_usd: bid_usd,
    ask_depth_usd: ask_usd,
    imbalance_pct: imbalanceOf(bid_usd, ask_usd),
    walls: [...wallsOf("bid", bids, mid), ...wallsOf("ask", asks, mid)].sort((a, b) => b.usd - a.usd),
    slippage: sizes.map((size_usd) => ({
      size_usd,
      buy_bps: bps(meanPrice(asks, size_usd), mid, 1),
      sell_bps: bps(meanPrice(bids, size_usd), mid, -1)
    }))
  }
}

const oneSided = (sizes: ReadonlyArray<number>) => ({
  mid: null,
  spread_bps: null,
  depth: [],
  bid_depth_usd: null,
  ask_depth_usd: null,
  imbalance_pct: null,
  walls: [],
  slippage: sizes.map((size_usd) => ({ size_usd, buy_bps: null, sell_bps: null }))
})

const percentOf = (reach: number): string => `${Number((100 * reach).toPrecision(3))} %`

/** Returns a note on how far the book is known, if that is less than the widest measured depth. */
const reachNote = (book: OrderBook): ReadonlyArray<string> => {
  const { asksReach, bidsReach } = reaches(book)
  if (Math.min(asksReach, bidsReach) >= widest / 100) return []
  const sides = [
    ...bidsReach < widest / 100 ? [`bids within ${percentOf(bidsReach)}`] : [],
    ...asksReach < widest / 100 ? [`asks within ${percentOf(asksReach)}`] : []
  ]
  return [
    `The venue tells ${sides.join(" and ")} of mid: depth beyond is null, and walls are among what is told.`
  ]
}

export const handler = handlerOf(
  getOrderbook,
  Effect.gen(function*() {
    const books = yield* OrderBooks
    return Effect.fnUntraced(function*({ coin, sizes_usd }) {
      const read = yield* books.orderBook(coin)
      const { asks, bids } = read.value
      const [bid, ask] = [bids[0]?.price ?? null, asks[0]?.price ?? null]
      const found = bid === null || ask === null
        ? oneSided(sizes_usd)
        : measured(read.value, (bid + ask) / 2, sizes_usd)
      const notes: Array<string> = []
      if (found.mid === null) {
        notes.push("A side of the book is empty: there is no middle, and nothing measured from it.")
      } else {
        notes.push(...reachNote(read.value))
      }
      if (found.mid !== null && found.slippage.some(({ buy_bps, sell_bps }) => buy_bps === null || sell_bps === null)) {
        notes.push("Slippage is null where the recorded book ends before the size is filled.")
      }
      const cut = found.walls.length - told
      if (cut > 0) notes.push(`${counted(cut, "smaller wall")} left out.`)
      return {
        coin,
        market: "spot" as const,
        best_bid: bid,
        best_ask: ask,
        ...found,
        walls: found.walls.slice(0, told),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
