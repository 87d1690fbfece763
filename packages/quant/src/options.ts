export { black76, black76Cross, blackScholes, strikeFromDelta } from "./options/black.ts"
export type { Black76Input, BlackScholesInput, CrossGreeks, Greeks, OptionType } from "./options/black.ts"
export { gammaFlip, type GammaOption, gexPer1Pct, gexProfile, type GexProfileInput } from "./options/gamma.ts"
export { impliedVolatility, impliedVolatility76 } from "./options/implied.ts"
export { maxPain, type OpenInterest, painByStrike, putCallRatio } from "./options/positioning.ts"
export {
  ivAtDelta,
  ivAtMaturity,
  ivAtStrike,
  ivPercentile,
  ivRank,
  type Smile,
  type SmileSummary,
  smileSummary,
  strikeAtDelta
} from "./options/smile.ts"
export {
  type PricedLeg,
  probabilityOfProfit,
  structureGreeks,
  type StructureLeg,
  type StructurePayoff,
  structurePayoff
} from "./options/structure.ts"
export { type ButterflyCheck, type Svi, sviButterfly, sviCalendar, sviG, sviVariance } from "./options/svi.ts"
export { sviAtDelta } from "./options/sviDelta.ts"
export { type SviFit, sviFit } from "./options/sviFit.ts"
