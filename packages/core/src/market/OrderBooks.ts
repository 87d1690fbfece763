import { Context } from "effect"
import type { OrderBook } from "./book.ts"
import type { MarketRead } from "./reading.ts"

/** Stored spot order books of coins. The rules of `CoinPrices` for stored market data apply. */
export class OrderBooks extends Context.Service<OrderBooks, {
  /** Returns the current spot order book. A locked or crossed book is never returned. */
  readonly orderBook: (coin: string) => MarketRead<OrderBook>
}>()("@tapeline/core/market/OrderBooks") {}
