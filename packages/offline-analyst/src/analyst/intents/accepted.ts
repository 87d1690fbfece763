import { intentOf, type WriteProposal } from "@tapeline/core/agent"
import { ask, type Intent, type Planned } from "../intent.ts"
import { storedWords } from "../stored.ts"
import { text } from "../writing/text.ts"

const done = text("Done, as proposed: {what}.", "제안한 대로 했습니다: {what}.", "Сделано, как предложено: {what}.")

const nothing = text(
  "There is nothing that I could take your yes for: it accepts what the answer right before it proposed, within a day, and of several “yes, all” or “yes, 1”. Ask for it again.",
  "‘네’로 승인할 제안이 없습니다. 바로 앞 답변의 제안만 하루 안에 승인할 수 있고, 여러 개면 “네, 모두” 또는 “네, 1번”처럼 답해 주세요. 다시 요청해 주세요.",
  "Вашему «да» нечего принимать: оно принимает то, что предложил ответ прямо перед ним, в течение дня, а из нескольких «да, все» или «да, 1». Попросите снова."
)

const next = [
  text("Show my open positions", "내 포지션을 보여 주세요", "Покажи мои позиции"),
  text("Show my alerts", "내 알림을 보여 주세요", "Покажи мои оповещения")
]

/** An arbitrary proposal, because assent needs a proposal to accept. */
const probe: WriteProposal = { tool: "set_position", arguments: {} }

export const isAssent = (message: string): boolean => intentOf(message, [probe]).accepted.length > 0

/** The intent for a plain yes when no proposal is open. */
export const nothingToAccept: Intent = {
  name: "nothingToAccept",
  asked: () => false,
  over: "all",
  plan: () => [],
  write: (_, _found, { lang }) => ({ verdict: nothing[lang], evidence: [] }),
  next
}

const callOf = ({ arguments: args, tool }: WriteProposal): ReadonlyArray<Planned> =>
  typeof args === "object" && args !== null && !Array.isArray(args)
    // The arguments of a proposal are a JSON object.
    ? [ask(tool, args as Planned["arguments"])]
    : []

/** Returns the intent for a yes, which calls the accepted proposals exactly as proposed. */
export const acceptedCalls = (accepted: ReadonlyArray<WriteProposal>): Intent => {
  const calls = accepted.flatMap(callOf)
  return {
    name: "accepted",
    asked: () => false,
    over: "all",
    plan: () => calls,
    write: (_, found, { lang, say }) => {
      const made = calls.flatMap((call) => {
        const finding = found.all.find((one) =>
          one.ok && one.name === call.name && JSON.stringify(one.arguments) === JSON.stringify(call.arguments)
        )
        return finding === undefined ? [] : [say(done, { what: storedWords(call, finding, lang) })]
      })
      const [first, ...others] = made
      return { verdict: first ?? null, evidence: others }
    },
    next
  }
}
