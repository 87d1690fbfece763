import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourcesOf } from "../../market/reading.ts"
import { numberOrNull } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { type Comovement, makeComovementReader } from "./comovement.ts"
import { getPortfolioRisk } from "./getPortfolioRisk.ts"
import {
  type CoinExposure,
  computeExposureByCoin,
  computeOpenRisk,
  findNearestLiquidation,
  type PositionValuation,
  valuePositions
} from "./valuation.ts"

const maxListed = 10

const sumCoins = (coins: ReadonlyArray<CoinExposure>, valueOf: (coin: CoinExposure) => number) =>
  coins.reduce((total, coin) => total + valueOf(coin), 0)

/** Returns the share of the total, in percent, or 100 if the total is zero. */
const computeSharePct = (part: number, whole: number): number => whole === 0 ? 100 : (100 * part) / whole

const makeCorrelationWarning = (
  { n, pairs }: Comovement,
  coins: ReadonlyArray<CoinExposure>,
  gross: number
): string | null => {
  if (pairs.length === 0) return null
  const names = new Set(pairs.flatMap((pair) => pair.coins))
  const share = computeSharePct(sumCoins(coins.filter(({ coin }) => names.has(coin)), (coin) => coin.gross), gross)
  return `${[...names].slice(0, maxListed).join(", ")} moved as one bet over ${n} days: ${
    share.toFixed(0)
  } % of the gross.`
}

const makeNotes = ({ comovement, limitPct, positions, riskPct }: {
  readonly positions: ReadonlyArray<PositionValuation>
  readonly comovement: Comovement
  readonly riskPct: number | null
  readonly limitPct: number | null
}): ReadonlyArray<string> => {
  const unsizedPositions = positions.filter(({ valueUsd }) => valueUsd === null).map(({ position }) => position.id)
  const { excludedCoins, n } = comovement
  return [
    ...(unsizedPositions.length > 0
      ? [`Not part of any sum because the size is unknown: ${unsizedPositions.join(", ")}.`]
      : []),
    ...(excludedCoins.length > 0
      ? [`Not part of var_95_usd and correlations because of too few daily returns: ${excludedCoins.join(", ")}.`]
      : []),
    ...(positions.length > 0 && n < 20
      ? ["var_95_usd is null: it needs 20 days on which all coins have a return."]
      : []),
    ...(riskPct !== null && limitPct !== null && riskPct > limitPct
      ? [`open_risk_pct is above the profile's max_open_risk_pct of ${limitPct}.`]
      : [])
  ]
}

export const handler = handlerOf(
  getPortfolioRisk,
  Effect.gen(function*() {
    const [journal, prices] = yield* Effect.all([Effect.service(JournalStore), CoinPrices])
    const readComovement = makeComovementReader(prices)
    return Effect.fnUntraced(function*(_, { principal }) {
      const { positions, profile } = yield* journal.holdings(principal.account)
      const tickers = yield* prices.tickers
      const { notes, valued } = valuePositions(positions, tickers.value)
      const coins = computeExposureByCoin(valued)
      const gross = sumCoins(coins, (coin) => coin.gross)
      const comovement = yield* readComovement(coins)
      const [risk, account] = [computeOpenRisk(valued), numberOrNull(profile.accountUsd)]
      const riskPct = risk === null || account === null ? null : (100 * risk) / account
      const nearest = findNearestLiquidation(valued)
      const limitPct = numberOrNull(profile.maxOpenRiskPct)
      return {
        n: positions.length,
        gross_usd: gross,
        net_usd: sumCoins(coins, ({ net }) => net),
        open_risk_usd: risk,
        open_risk_pct: riskPct,
        unprotected: positions.flatMap(({ id, stop }) => stop === null ? [id] : []),
        var_95_usd: positions.length === 0 ? 0 : comovement.var95,
        var_n: comovement.n,
        var_coverage_pct: computeSharePct(comovement.coveredUsd, gross),
        concentration: coins.slice(0, maxListed).map(({ coin, gross: coinGross, net }) => ({
          coin,
          gross_usd: coinGross,
          net_usd: net,
          share_pct: computeSharePct(coinGross, gross)
        })),
        correlation_warning: makeCorrelationWarning(comovement, coins, gross),
        correlated: comovement.pairs.slice(0, maxListed),
        nearest_liquidation: nearest === null ? null : {
          id: nearest.valued.position.id,
          coin: nearest.valued.position.coin,
          side: nearest.valued.position.side,
          liquidation_price: nearest.price,
          distance_pct: nearest.distancePct
        },
        notes: [...notes, ...makeNotes({ positions: valued, comovement, riskPct, limitPct })],
        as_of: formatInstant(tickers.asOf),
        source: sourcesOf([tickers, ...comovement.sources]).join(", ")
      }
    })
  })
)
