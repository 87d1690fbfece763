import type { AcceptedCall } from "@tapeline/core/agent"
import { Predicate } from "effect"
import { Data } from "../Findings.ts"
import { ask, type Intent, type Planned } from "../intent.ts"
import { storedWords } from "../stored.ts"
import { text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const done = text("Done, as proposed: {what}.", "제안한 대로 했습니다: {what}.", "Сделано, как предложено: {what}.")

const failed = text(
  "The proposal was not carried out: {message}",
  "제안을 실행하지 못했습니다: {message}",
  "Предложение не выполнено: {message}"
)

const nothing = text(
  "There is nothing that I could take your yes for: it accepts the only open proposal of the answer right before it, within a day. Accept the proposal below its answer, or ask for it again.",
  "‘네’로 승인할 제안이 없습니다. 바로 앞 답변의 제안이 하나뿐일 때만 하루 안에 승인할 수 있습니다. 답변 아래에서 승인하거나 다시 요청해 주세요.",
  "Вашему «да» нечего принимать: оно принимает единственное открытое предложение ответа прямо перед ним, в течение дня. Примите предложение под его ответом или попросите снова."
)

const next = [
  questions.positions,
  questions.alerts
]

/** The intent for a plain yes when no proposal is open. */
export const nothingToAccept: Intent = {
  name: "nothingToAccept",
  asked: () => false,
  over: "all",
  plan: () => [],
  write: (_, _found, { lang }) => ({ verdict: nothing[lang], evidence: [] }),
  next
}

/** Returns the intent for a yes, which reports the result of the proposal that the service has carried out. */
export const acceptedCall = (accepted: AcceptedCall): Intent => ({
  name: "accepted",
  asked: () => false,
  over: "all",
  plan: () => [],
  write: (_, _found, { lang, say }) => {
    const { arguments: args, ok, result, tool } = accepted
    const data = new Data(Predicate.hasProperty(result, "data") ? result.data : result)
    if (!ok) return { verdict: say(failed, { message: data.str("error.message") ?? "?" }), evidence: [] }
    // The arguments of a proposal are a JSON object.
    const call = ask(tool, args as Planned["arguments"])
    const what = storedWords(call, { name: tool, arguments: call.arguments, ok, data }, lang)
    return { verdict: say(done, { what }), evidence: [] }
  },
  next
})
