export { type ConePoint, quantile, volatilityCone } from "./volatility/cone.ts"
export {
  beta,
  correlation,
  correlationMatrix,
  logReturns,
  simpleReturns,
  zScore,
  zScores
} from "./volatility/correlation.ts"
export {
  ewmaVolatility,
  garmanKlass,
  type Ohlc,
  parkinson,
  realisedVolatility,
  volatilityError,
  yangZhang
} from "./volatility/estimators.ts"
