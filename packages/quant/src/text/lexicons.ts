import { english } from "./english.ts"
import { korean } from "./korean.ts"
import type { Language, Lexicon } from "./lexicon.ts"
import { russian } from "./russian.ts"

export const lexicons: Readonly<Record<Language, Lexicon>> = { en: english, ko: korean, ru: russian }

/** The weights of emoji, which have one meaning in all languages. */
export const symbols: Readonly<Record<string, number>> = {
  "🚀": 2.5,
  "🌙": 1.5,
  "🌕": 1.5,
  "📈": 2,
  "💎": 1.5,
  "🔥": 1,
  "🟢": 1,
  "💰": 1,
  "🐂": 2,
  "✅": 1,
  "🎉": 1.5,
  "👍": 1.5,
  "📉": -2,
  "💀": -2,
  "🔴": -1,
  "😱": -2,
  "😭": -1.5,
  "🐻": -2,
  "👎": -1.5,
  "🤡": -1.5,
  "⚠": -1,
  "🩸": -2
}
