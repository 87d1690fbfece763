import type { Question } from "../../question.ts"
import { unseenDerivatives } from "./unseenDerivatives.ts"
import { unseenFollowUps } from "./unseenFollowUps.ts"
import { unseenMarkets } from "./unseenMarkets.ts"
import { unseenOdds } from "./unseenOdds.ts"
import { unseenPrices } from "./unseenPrices.ts"
import { unseenTraps } from "./unseenTraps.ts"

/**
 * Questions as traders type them, with slang, typos and mixed languages, written before their author read the offline
 * analyst's rules. The offline analyst first passed 53.9 % of the questions (en 54, ko 54, ru 53), and its rules were
 * corrected afterwards.
 */
export const unseen: ReadonlyArray<Question> = [
  ...unseenPrices,
  ...unseenOdds,
  ...unseenDerivatives,
  ...unseenMarkets,
  ...unseenFollowUps,
  ...unseenTraps
].map((question) => ({ ...question, id: `unseen-${question.id}` }))
