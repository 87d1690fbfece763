export {
  black76,
  type Black76Input,
  blackScholes,
  type BlackScholesInput,
  type Greeks,
  type OptionType,
  strikeFromDelta
} from "./options/black.ts"
export { black76Cross, type CrossGreeks } from "./options/cross.ts"
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
