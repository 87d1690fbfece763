import type { Question } from "../../question.ts"
import { unseenDerivatives } from "./unseenDerivatives.ts"
import { unseenFollowUps } from "./unseenFollowUps.ts"
import { unseenMarkets } from "./unseenMarkets.ts"
import { unseenOdds } from "./unseenOdds.ts"
import { unseenPrices } from "./unseenPrices.ts"
import { unseenTraps } from "./unseenTraps.ts"

/**
 * Questions as traders type them: slang, typos, mixed languages, several subjects at once, three turns. The questions
 * were written before their author read the offline analyst's rules. When the questions were first asked, 53.9 of 100
 * passed (en 54, ko 54, ru 53). Afterwards the offline analyst was corrected.
 */
export const unseen: ReadonlyArray<Question> = [
  ...unseenPrices,
  ...unseenOdds,
  ...unseenDerivatives,
  ...unseenMarkets,
  ...unseenFollowUps,
  ...unseenTraps
].map((question) => ({ ...question, id: `unseen-${question.id}` }))
