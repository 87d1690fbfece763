export {
  black76, blackScholes, strikeFromDelta, type Black76Input, type BlackScholesInput, type Greeks, type OptionType
} from "./options/black.ts"
export { impliedVolatility, impliedVolatility76 } from "./options/implied.ts"
export {
  gammaFlip, gexPer1Pct, gexProfile, maxPain, painByStrike, putCallRatio, type GammaOption, type GexProfileInput, type OpenInterest
} from "./options/positioning.ts"
export {
  ivAtDelta, ivAtMaturity, ivAtStrike, ivPercentile, ivRank, smileSummary, strikeAtDelta, type Smile, type SmileSummary
} from "./options/smile.ts"
export {
  structureGreeks, structurePayoff, type PricedLeg, type StructureLeg, type StructurePayoff
} from "./options/structure.ts"
export { sviButterfly, sviCalendar, sviFit, sviG, sviVariance, type Svi, type SviFit } from "./options/svi.ts"
