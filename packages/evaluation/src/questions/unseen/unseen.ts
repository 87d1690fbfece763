import type { Question } from "../../question.ts"
import { unseenDerivatives } from "./unseenDerivatives.ts"
import { unseenFollowUps } from "./unseenFollowUps.ts"
import { unseenMarkets } from "./unseenMarkets.ts"
import { unseenOdds } from "./unseenOdds.ts"
import { unseenPrices } from "./unseenPrices.ts"
import { unseenTraps } from "./unseenTraps.ts"

/**
 * As traders type: slang, slips, languages mixed, several subjects at once, three turns. Written before the offline
 * analyst's rules were read; 53.9 of 100 passed when they were first asked (en 54, ko 54, ru 53), before what they
 * showed was mended.
 */
export const unseen: ReadonlyArray<Question> = [
  ...unseenPrices,
  ...unseenOdds,
  ...unseenDerivatives,
  ...unseenMarkets,
  ...unseenFollowUps,
  ...unseenTraps
]
