/** Creates texts from templates, in which `[a|b|c]` is a random choice of alternatives and `{name}` is a value. */
import { drawInteger, type Key } from "./random.ts"

export type TemplateValues = Readonly<Record<string, string>>

export const pickRandom = <A>(list: ReadonlyArray<A>, key: Key, slot: number): A =>
  list[drawInteger(key, slot, list.length)]!

/**
 * Fills a template. Each random choice uses the next random-number slot, starting with `firstSlot`. In nested choices,
 * inner choices are drawn before outer choices.
 */
export const fillTemplate = (template: string, values: TemplateValues, key: Key, firstSlot: number): string => {
  let slot = firstSlot
  let text = template
  for (let depth = 0; depth < 3 && text.includes("["); depth++) {
    text = text.replace(/\[([^[\]]*)\]/gu, (_, options: string) => pickRandom(options.split("|"), key, slot++))
  }
  return text.replace(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole).replace(/ {2,}/gu, " ").trim()
}
