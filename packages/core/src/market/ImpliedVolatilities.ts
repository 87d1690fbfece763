import { Context } from "effect"
import type { IvHistory, IvMethod } from "./option.ts"
import type { MarketRead } from "./reading.ts"

/** The stored implied volatility of coins with options. `CoinPrices` documents the rules of stored market data. */
export class ImpliedVolatilities extends Context.Service<ImpliedVolatilities, {
  /**
   * Returns daily implied volatility at a constant maturity for the last `days` days. The newest volatility is at most
   * an hour old. If `method` is omitted, the method with the longest history is used. Fails with `NoData` if the coin
   * has no options, or if the method or maturity is not recorded. A venue's volatility index has only one maturity.
   */
  readonly history: (query: {
    readonly coin: string
    /** The constant maturity in days, above 0. */
    readonly maturityDays: number
    readonly days: number
    readonly method?: IvMethod
  }) => MarketRead<IvHistory>
}>()("@tapeline/core/market/ImpliedVolatilities") {}
