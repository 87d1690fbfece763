import { Context } from "effect"
import type { OrderBook } from "./book.ts"
import type { MarketRead } from "./reading.ts"

/** Stored spot order books of coins, under the rules of `CoinPrices` for stored market data. */
export class OrderBooks extends Context.Service<OrderBooks, {
  /** Returns the current spot order book, which is never locked or crossed. */
  readonly orderBook: (coin: string) => MarketRead<OrderBook>
}>()("@tapeline/core/market/OrderBooks") {}
