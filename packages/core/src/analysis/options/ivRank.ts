/** Ranks an implied volatility in its own history. */
import { ivPercentile, ivRank } from "@tapeline/quant/options"
import { Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import type { IvHistory, IvMethod } from "../../market/option.ts"
import type { Reading } from "../../market/reading.ts"

/** The number of days of volatility history that determine the rank and the percentile. */
export const rankDays = 365

export interface IvRank {
  /** The position of the current volatility between the lowest (0) and the highest (100) volatility of the year. */
  readonly rank: number | null
  /** The percentage of days on which the volatility was lower than the current volatility. */
  readonly percentile: number | null
  /** The ranked volatility, in percent per year. */
  readonly current: number
  readonly sampleSize: number
  readonly from: number
  readonly method: IvMethod
}

/**
 * Ranks the current implied volatility in its history. If the history is a volatility index, its newest value is the
 * current volatility, because index values differ from the chain's volatility.
 */
export const rankIv = ({ method, points }: IvHistory, chainIvPct: number | null): IvRank | null => {
  const last = points.at(-1)
  const current = method === "index" ? last?.ivPct : chainIvPct
  if (last === undefined || current === undefined || current === null) return null
  const ivs = points.map(({ ivPct }) => ivPct)
  return {
    rank: ivRank(current, ivs),
    percentile: ivPercentile(current, ivs),
    current,
    sampleSize: ivs.length,
    from: points[0]!.time,
    method
  }
}

/**
 * Returns a note if an index of the venue is ranked instead of a volatility of the result. `rankNames` is the beginning
 * of the note: the names of the ranks and a verb. `ivName` is the name of the result's volatility field.
 */
export const makeIndexNotes = (
  ranks: ReadonlyArray<IvRank | null>,
  rankNames: string,
  ivName: string
): ReadonlyArray<string> =>
  ranks.some((rank) => rank?.method === "index")
    ? [`${rankNames} of the venue's index, whose level differs from ${ivName}.`]
    : []

/** Reads the implied volatilities of one maturity over a year. Returns null if nothing is recorded. */
export const readIvYear = (
  volatilities: ImpliedVolatilities["Service"],
  coin: string,
  maturityDays: number
): Effect.Effect<Reading<IvHistory> | null, MarketError> =>
  volatilities.history({ coin, maturityDays, days: rankDays }).pipe(
    Effect.catchTag("NoData", () => Effect.succeed(null))
  )
