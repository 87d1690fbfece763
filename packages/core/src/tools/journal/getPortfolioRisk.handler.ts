import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourcesOf } from "../../market/reading.ts"
import { numberOrNull } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { type Comovement, makeComovement } from "./comovement.ts"
import { type CoinExposure, exposureByCoin, nearestLiquidation, openRisk } from "./exposure.ts"
import { getPortfolioRisk } from "./getPortfolioRisk.ts"
import { type Valued, valuedBy } from "./valued.ts"

const listed = 10

const sum = (coins: ReadonlyArray<CoinExposure>, of: (coin: CoinExposure) => number) =>
  coins.reduce((total, coin) => total + of(coin), 0)

/** Share of the total, in percent; 100 if the total is zero. */
const shareOf = (part: number, whole: number): number => whole === 0 ? 100 : (100 * part) / whole

const warningOf = ({ n, pairs }: Comovement, coins: ReadonlyArray<CoinExposure>, gross: number): string | null => {
  if (pairs.length === 0) return null
  const names = new Set(pairs.flatMap((pair) => pair.coins))
  const share = shareOf(sum(coins.filter(({ coin }) => names.has(coin)), (coin) => coin.gross), gross)
  return `${[...names].slice(0, listed).join(", ")} moved as one bet over ${n} days: ${
    share.toFixed(0)
  } % of the gross.`
}

const notesOf = ({ comovement, limitPct, positions, riskPct }: {
  readonly positions: ReadonlyArray<Valued>
  readonly comovement: Comovement
  readonly riskPct: number | null
  readonly limitPct: number | null
}): ReadonlyArray<string> => {
  const unsized = positions.filter(({ valueUsd }) => valueUsd === null).map(({ position }) => position.id)
  const { left, n } = comovement
  return [
    ...(unsized.length > 0 ? [`Of an unknown size, so no part of any sum: ${unsized.join(", ")}.`] : []),
    ...(left.length > 0
      ? [`Too few daily returns, so no part of var_95_usd and of correlations: ${left.join(", ")}.`]
      : []),
    ...(positions.length > 0 && n < 20 ? ["var_95_usd is null: it needs 20 daily returns that all coins have."] : []),
    ...(riskPct !== null && limitPct !== null && riskPct > limitPct
      ? [`open_risk_pct is above the profile's max_open_risk_pct of ${limitPct}.`]
      : [])
  ]
}

export const handler = handlerOf(
  getPortfolioRisk,
  Effect.gen(function*() {
    const [journal, prices] = yield* Effect.all([Effect.service(JournalStore), CoinPrices])
    const look = makeComovement(prices)
    return Effect.fnUntraced(function*(_, { principal }) {
      const { positions, profile } = yield* journal.holdings(principal.account)
      const tickers = yield* prices.tickers
      const { notes, valued } = valuedBy(positions, tickers.value)
      const coins = exposureByCoin(valued)
      const gross = sum(coins, (coin) => coin.gross)
      const comovement = yield* look(coins)
      const [risk, account] = [openRisk(valued), numberOrNull(profile.accountUsd)]
      const riskPct = risk === null || account === null ? null : (100 * risk) / account
      const nearest = nearestLiquidation(valued)
      const limitPct = numberOrNull(profile.maxOpenRiskPct)
      return {
        n: positions.length,
        gross_usd: gross,
        net_usd: sum(coins, ({ net }) => net),
        open_risk_usd: risk,
        open_risk_pct: riskPct,
        unprotected: positions.flatMap(({ id, stop }) => stop === null ? [id] : []),
        // Without positions, the loss is 0.
        var_95_usd: positions.length === 0 ? 0 : comovement.var95,
        var_n: comovement.n,
        var_coverage_pct: shareOf(comovement.coveredUsd, gross),
        concentration: coins.slice(0, listed).map(({ coin, gross: own, net }) => ({
          coin,
          gross_usd: own,
          net_usd: net,
          share_pct: shareOf(own, gross)
        })),
        correlation_warning: warningOf(comovement, coins, gross),
        correlated: comovement.pairs.slice(0, listed),
        nearest_liquidation: nearest === null ? null : {
          id: nearest.valued.position.id,
          coin: nearest.valued.position.coin,
          side: nearest.valued.position.side,
          liquidation_price: nearest.price,
          distance_pct: nearest.distancePct
        },
        notes: [...notes, ...notesOf({ positions: valued, comovement, riskPct, limitPct })],
        as_of: instant(tickers.asOf),
        source: sourcesOf([tickers, ...comovement.sources]).join(", ")
      }
    })
  })
)
