import { Context } from "effect"
import type { OrderBook } from "./book.ts"
import type { MarketRead } from "./reading.ts"

/** Stored spot order books of coins. `CoinPrices` documents the rules of stored market data. */
export class OrderBooks extends Context.Service<OrderBooks, {
  /** Returns the current spot order book. The best bid is always below the best ask. */
  readonly orderBook: (coin: string) => MarketRead<OrderBook>
}>()("@tapeline/core/market/OrderBooks") {}
