import type { Question } from "../../question.ts"
import { unseenDerivatives } from "./unseenDerivatives.ts"
import { unseenFollowUps } from "./unseenFollowUps.ts"
import { unseenMarkets } from "./unseenMarkets.ts"
import { unseenOdds } from "./unseenOdds.ts"
import { unseenPrices } from "./unseenPrices.ts"
import { unseenTraps } from "./unseenTraps.ts"

/**
 * Questions as traders type them, with slang, typos and mixed languages. The author of the questions had not read the
 * offline analyst's rules. The offline analyst passed 53.9 % of the questions (English 54 %, Korean 54 %, Russian 53 %)
 * before its rules were corrected.
 */
export const unseen: ReadonlyArray<Question> = [
  ...unseenPrices,
  ...unseenOdds,
  ...unseenDerivatives,
  ...unseenMarkets,
  ...unseenFollowUps,
  ...unseenTraps
].map((question) => ({ ...question, id: `unseen-${question.id}` }))
