import type { Question } from "../question.ts"
import { coins } from "./coins.ts"
import { derivatives } from "./derivatives.ts"
import { markets } from "./markets.ts"
import { traps } from "./traps.ts"

export const questions: ReadonlyArray<Question> = [...coins, ...derivatives, ...markets, ...traps]
