export {
  deflatedSharpe,
  expectedBestSharpe,
  probabilisticSharpe,
  type ReturnShape,
  returnShape
} from "./performance/deflated.ts"
export {
  cagr,
  calmar,
  maxDrawdown,
  profitFactor,
  sharpe,
  sortino,
  thin,
  tStatistic,
  winRate
} from "./performance/metrics.ts"
export { realisedVolatility } from "./volatility/estimators.ts"
