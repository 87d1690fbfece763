/**
 * Text from templates. `[a|b|c]` is one of the alternatives, `{name}` is a value. The draws of a key choose the
 * alternatives, so a text is a function of the key and the values.
 */
import { drawInteger, type Key } from "./random.ts"

export type TemplateValues = Readonly<Record<string, string>>

/** A random element of a list. */
export const pickRandom = <A>(list: ReadonlyArray<A>, key: Key, slot: number): A =>
  list[drawInteger(key, slot, list.length)]!

/** Fills a template. Alternatives are drawn from `firstSlot` on, from the innermost to the outermost, left to right. */
export const fillTemplate = (template: string, values: TemplateValues, key: Key, firstSlot: number): string => {
  let slot = firstSlot
  let text = template
  for (let depth = 0; depth < 3 && text.includes("["); depth++) {
    text = text.replace(/\[([^[\]]*)\]/gu, (_, options: string) => pickRandom(options.split("|"), key, slot++))
  }
  return text.replace(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole).replace(/ {2,}/gu, " ").trim()
}
