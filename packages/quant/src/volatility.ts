export {
  beta, correlation, correlationMatrix, logReturns, simpleReturns, zScore, zScores
} from "./volatility/comovement.ts"
export { quantile, volatilityCone, type ConePoint } from "./volatility/cone.ts"
export {
  ewmaVolatility, garmanKlass, parkinson, realisedVolatility, yangZhang, type Ohlc
} from "./volatility/estimators.ts"
