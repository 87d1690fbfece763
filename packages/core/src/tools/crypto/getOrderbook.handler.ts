import { quantile } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import type { BookLevel } from "../../market/book.ts"
import { OrderBooks } from "../../market/OrderBooks.ts"
import { counted } from "../../text/counted.ts"
import { handlerOf } from "../../tool/implement.ts"
import { provenanceOf } from "../../tool/result.ts"
import { getOrderbook } from "./getOrderbook.ts"

const widths = [0.1, 0.25, 0.5, 1] as const
const wallTimes = 5
/** Walls that are told. */
const told = 10

type Side = ReadonlyArray<BookLevel>

const usdOf = ({ price, size }: BookLevel): number => price * size

/** The levels within some percent of the middle. */
const within = (side: Side, mid: number, pct: number): Side =>
  side.filter(({ price }) => Math.abs(price / mid - 1) <= pct / 100 + Number.EPSILON)

const sumOf = (side: Side): number => side.reduce((sum, one) => sum + usdOf(one), 0)

/** The mean price of an order that takes so many USD from a side, best level first; null where that ends before. */
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
  const near = within(side, mid, 1)
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

/** What stands on both sides; of a book with an empty one nothing does. */
const measured = (bids: Side, asks: Side, mid: number, sizes: ReadonlyArray<number>) => {
  const depth = widths.map((pct) => ({
    within_pct: pct,
    bid_usd: sumOf(within(bids, mid, pct)),
    ask_usd: sumOf(within(asks, mid, pct))
  }))
  const { ask_usd, bid_usd } = depth.at(-1)!
  return {
    mid,
    spread_bps: (10_000 * (asks[0]!.price - bids[0]!.price)) / mid,
    depth,
    bid_depth_usd: bid_usd,
    ask_depth_usd: ask_usd,
    imbalance_pct: bid_usd + ask_usd > 0 ? (100 * (bid_usd - ask_usd)) / (bid_usd + ask_usd) : null,
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
        : measured(bids, asks, (bid + ask) / 2, sizes_usd)
      const notes: Array<string> = []
      if (found.mid === null) {
        notes.push("A side of the book is empty: there is no middle, and nothing measured from it.")
      } else if (found.slippage.some(({ buy_bps, sell_bps }) => buy_bps === null || sell_bps === null)) {
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
