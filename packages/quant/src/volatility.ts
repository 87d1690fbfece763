export {
  beta,
  correlation,
  correlationMatrix,
  logReturns,
  simpleReturns,
  zScore,
  zScores
} from "./volatility/comovement.ts"
export { type ConePoint, quantile, volatilityCone } from "./volatility/cone.ts"
export {
  ewmaVolatility,
  garmanKlass,
  type Ohlc,
  parkinson,
  realisedVolatility,
  volatilityError,
  yangZhang
} from "./volatility/estimators.ts"
