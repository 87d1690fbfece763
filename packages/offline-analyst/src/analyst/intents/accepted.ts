import { plainWords, type WriteProposal } from "@tapeline/core/agent"
import { ask, type Intent, type Planned } from "../intent.ts"
import { text } from "../writing/text.ts"

const done = text("Done, as proposed: {what}.", "제안한 대로 했습니다: {what}.", "Сделано, как предложено: {what}.")

const callOf = ({ arguments: args, tool }: WriteProposal): ReadonlyArray<Planned> =>
  typeof args === "object" && args !== null && !Array.isArray(args)
    // An object of JSON that is no list.
    ? [ask(tool, args as Planned["arguments"])]
    : []

/** What a yes accepts of what the answer before had proposed: it is called as it stands there, and nothing else is. */
export const acceptedCalls = (accepted: ReadonlyArray<WriteProposal>): Intent => {
  const calls = accepted.flatMap(callOf)
  return {
    name: "accepted",
    asked: () => false,
    over: "all",
    plan: () => calls,
    write: (_, found, { lang, say }) => {
      const made = calls.filter(({ arguments: args, name }) =>
        found.all.some((one) => one.ok && one.name === name && JSON.stringify(one.arguments) === JSON.stringify(args))
      )
      const [first, ...others] = made.map(({ arguments: args, name }) =>
        say(done, { what: plainWords(name, args, lang) })
      )
      return { verdict: first ?? null, evidence: others }
    },
    next: [
      text("Show my open positions", "내 포지션을 보여 주세요", "Покажи мои позиции"),
      text("Show my alerts", "내 알림을 보여 주세요", "Покажи мои оповещения")
    ]
  }
}
