import type { Message } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"

/** A change of the account's data that an answer proposes at its end. */
export interface Proposal {
  readonly tool: string
  readonly words: string
  readonly call: string
}

const proposalPattern = /^(\d)\. (.+) — `([a-z_]+) (\{.*\})`$/

/** Equals `proposalLifetimeMs` of the service. Only the service decides whether a reply accepts a proposed change. */
const dayMs = 86_400_000

/** Returns the changes that a text proposes at its end in the service's exact format. */
export const parseProposals = (text: string): ReadonlyArray<Proposal> => {
  const list = text.slice(text.lastIndexOf("\n\n") + 2).split("\n")
  const found = list.flatMap((line, i) => {
    const [, number, words, tool, args] = proposalPattern.exec(line) ?? []
    return number === String(i + 1) && words !== undefined && tool !== undefined
      ? [{ tool, words, call: `${tool} ${args}` }]
      : []
  })
  return text.includes("\n\n") && found.length === list.length ? found : []
}

/**
 * Returns the changes that the analyst proposes in the conversation's last message. The user can accept the changes for
 * one day.
 */
export const acceptableProposals = (last: Message | undefined, now: number): ReadonlyArray<Proposal> =>
  last?.role === "assistant" && last.outcome === "finished" && now - Date.parse(last.created_at) < dayMs
    ? parseProposals(last.content)
    : []

export const acceptableMessageId = (last: Message | undefined, now: number): number | undefined =>
  acceptableProposals(last, now).length === 0 ? undefined : last?.id

const acceptances: Readonly<Record<Language, readonly [one: string, all: string, numbered: (n: number) => string]>> = {
  en: ["yes", "yes, all", (n) => `yes, ${n}`],
  ko: ["네", "네, 모두", (n) => `네, ${n}번`],
  ru: ["да", "да, все", (n) => `да, ${n}`]
}

/** Returns the reply text that accepts all of `count` proposed changes, or only the change at `index`. */
export const acceptanceText = (lang: Language, count: number, index?: number): string => {
  const [one, all, numbered] = acceptances[lang]
  if (count === 1) return one
  return index === undefined ? all : numbered(index + 1)
}
