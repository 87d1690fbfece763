import { Context } from "effect"
import type { OrderBook } from "./book.ts"
import type { MarketRead } from "./reading.ts"

/** Spot order books of coins, as stored; what `CoinPrices` says of all stored market data holds here. */
export class OrderBooks extends Context.Service<OrderBooks, {
  /** The spot book now. One whose sides touch or cross is never returned. */
  readonly orderBook: (coin: string) => MarketRead<OrderBook>
}>()("@tapeline/core/market/OrderBooks") {}
