import type { Question } from "../question.ts"
import { heldOutCoins } from "./heldOutCoins.ts"
import { heldOutMarkets } from "./heldOutMarkets.ts"
import { heldOutOthers } from "./heldOutOthers.ts"

/**
 * Questions of each kind, written without using the offline analyst's rules. The offline analyst passed 91.3 % of the
 * questions before its rules were corrected.
 */
export const heldOut: ReadonlyArray<Question> = [
  ...heldOutCoins,
  ...heldOutMarkets,
  ...heldOutOthers
].map((question) => ({ ...question, id: `held-out-${question.id}` }))
