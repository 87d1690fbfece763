/**
 * Where implied volatility stands in its own past.
 */
import { ivPercentile, ivRank } from "@tapeline/quant/options"
import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import type { IvHistory, IvMethod } from "../../market/option.ts"
import type { Reading } from "../../market/reading.ts"

/** Days that rank and percentile look back on. */
export const rankDays = 365

export interface IvStanding {
  /** 0 at the year's low, 100 at its high; the present is one of its values. */
  readonly rank: number | null
  /** Share of days strictly below the present, percent. */
  readonly percentile: number | null
  /** What is ranked, percent a year. */
  readonly current: number
  readonly n: number
  readonly from: number
  readonly method: IvMethod
}

/**
 * The standing of a present value in a history; of a published index, whose values are not the chain's, that of the
 * index's own newest value.
 */
export const standingOf = ({ method, points }: IvHistory, chainIvPct: number | null): IvStanding | null => {
  const last = points.at(-1)
  const current = method === "index" ? last?.ivPct : chainIvPct
  if (last === undefined || current === undefined || current === null) return null
  const ivs = points.map(({ ivPct }) => ivPct)
  return {
    rank: ivRank(current, ivs),
    percentile: ivPercentile(current, ivs),
    current,
    n: ivs.length,
    from: points[0]!.time,
    method
  }
}

/** A year of a maturity's volatility; null where nothing of it is recorded. */
export const ivYear = (
  volatilities: ImpliedVolatilities["Service"],
  coin: string,
  maturityDays: number
): Effect.Effect<Reading<IvHistory> | null, MarketError> =>
  volatilities.history({ coin, maturityDays, days: rankDays }).pipe(
    Effect.catchTag("NoData", () => Effect.succeed(null))
  )
