/**
 * Text from templates: `[a|b|c]` is one of the alternatives, `{name}` a value. The draws of a key choose,
 * so a text is a function of the key and of the values.
 */
import { integer, type Key } from "./random.ts"

export type Values = Readonly<Record<string, string>>

/** One of a list. */
export const pick = <A>(list: ReadonlyArray<A>, key: Key, slot: number): A => list[integer(key, slot, list.length)]!

/** Fills a template; alternatives are drawn from `firstSlot` on, from the innermost outwards, left to right. */
export const fill = (template: string, values: Values, key: Key, firstSlot: number): string => {
  let slot = firstSlot
  let text = template
  for (let depth = 0; depth < 3 && text.includes("["); depth++) {
    text = text.replace(/\[([^[\]]*)\]/gu, (_, options: string) => pick(options.split("|"), key, slot++))
  }
  return text.replace(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole).replace(/ {2,}/gu, " ").trim()
}
