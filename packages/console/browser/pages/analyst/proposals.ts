import type { Message } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"

/** A write that an answer proposed, as the service wrote it at the answer's end. */
export interface Proposal {
  readonly tool: string
  /** What it does, in words. */
  readonly words: string
  /** The call as it would be made. */
  readonly call: string
}

const item = /^(\d)\. (.+) — `([a-z_]+) (\{.*\})`$/

/** A yes that comes later than this accepts nothing. */
const dayMs = 86_400_000

/**
 * The writes that a text ends with. What it says is the service's own word for word; whether a yes accepts them is for
 * the service to judge, and of a list that only looks like one it accepts nothing.
 */
export const proposalsIn = (text: string): ReadonlyArray<Proposal> => {
  const list = text.slice(text.lastIndexOf("\n\n") + 2).split("\n")
  const found = list.flatMap((line, i) => {
    const [, number, words, tool, args] = item.exec(line) ?? []
    return number === String(i + 1) && words !== undefined && tool !== undefined
      ? [{ tool, words, call: `${tool} ${args}` }]
      : []
  })
  return text.includes("\n\n") && found.length === list.length ? found : []
}

/** What can be accepted: what the last message proposed, within a day. */
export const openProposals = (last: Message | undefined, now: number): ReadonlyArray<Proposal> =>
  last?.role === "assistant" && last.outcome === "finished" && now - Date.parse(last.created_at) < dayMs
    ? proposalsIn(last.content)
    : []

/** The message that a question answers, by its id, where a yes would accept what that proposed and nothing else. */
export const answersTo = (last: Message | undefined, now: number): number | undefined =>
  openProposals(last, now).length === 0 ? undefined : last?.id

const yes: Readonly<Record<Language, readonly [one: string, all: string, numbered: (n: number) => string]>> = {
  en: ["yes", "yes, all", (n) => `yes, ${n}`],
  ko: ["네", "네, 모두", (n) => `네, ${n}번`],
  ru: ["да", "да, все", (n) => `да, ${n}`]
}

/** The words that accept all of `count` proposals, or the one at `index`. */
export const acceptance = (lang: Language, count: number, index?: number): string => {
  const [one, all, numbered] = yes[lang]
  if (count === 1) return one
  return index === undefined ? all : numbered(index + 1)
}
