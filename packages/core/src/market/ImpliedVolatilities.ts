import { Context } from "effect"
import type { IvHistory, IvMethod } from "./option.ts"
import type { MarketRead } from "./reading.ts"

/** The stored implied volatility of coins with options, under the rules of `CoinPrices` for stored market data. */
export class ImpliedVolatilities extends Context.Service<ImpliedVolatilities, {
  /**
   * Returns implied volatility at a constant maturity, once a day for the last `days` days, the newest point at most an
   * hour old. If `method` is omitted, the method with the longest history is used. Fails with `NoData` for a coin
   * without options, and for a method or maturity that is not recorded. A published index has only one maturity.
   */
  readonly history: (query: {
    readonly coin: string
    /** The constant maturity in days, above 0. */
    readonly maturityDays: number
    readonly days: number
    readonly method?: IvMethod
  }) => MarketRead<IvHistory>
}>()("@tapeline/core/market/ImpliedVolatilities") {}
