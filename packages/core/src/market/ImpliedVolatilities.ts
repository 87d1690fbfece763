import { Context } from "effect"
import type { IvHistory, IvMethod } from "./option.ts"
import type { MarketRead } from "./reading.ts"

/**
 * The history of implied volatility of coins with options, as stored; what `CoinPrices` says of all stored market data
 * holds here.
 */
export class ImpliedVolatilities extends Context.Service<ImpliedVolatilities, {
  /**
   * Implied volatility at a constant maturity, once a day for the last `days` days, the newest at most an hour old;
   * days that were not recorded are missing. By the method that is named, or by the one that reaches back farthest; a
   * method or a maturity that is not recorded (a published index has one maturity) fails with `NoData`, as a coin
   * without options does.
   */
  readonly history: (query: {
    readonly coin: string
    /** Above 0. */
    readonly maturityDays: number
    readonly days: number
    readonly method?: IvMethod
  }) => MarketRead<IvHistory>
}>()("@tapeline/core/market/ImpliedVolatilities") {}
