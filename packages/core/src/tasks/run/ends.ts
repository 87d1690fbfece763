import type { NewChatMessage } from "../../agent/conversation.ts"
import type { Message } from "../../messages/dictionary.ts"
import { say } from "../../messages/language.ts"
import { instant } from "../../tool/result.ts"
import type { Firing } from "../firing.ts"
import type { FiringEnd } from "../TaskStore.ts"
import { latenessText, observedText, timeText } from "./observed.ts"

/* How firings end: what stands in the conversation, and what the bell says. */

/** An answer is told in the bell by its beginning. */
const excerptLength = 400

const report = ({ lang }: Firing, content: string): NewChatMessage => ({
  role: "task",
  content,
  lang,
  images: [],
  charts: [],
  tools: [],
  suggestions: [],
  outcome: null
})

const lines = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(" ")

/** What the firing saw, and how late, with what else is to be said of it. */
const told = ({ lang, lateByMs, missed, observed }: Firing, ...parts: ReadonlyArray<Message>): string =>
  lines(
    observedText(observed, lang),
    ...latenessText(lateByMs, missed, lang),
    ...parts.map((message) => say(message, lang))
  )

/** What was observed stands in the conversation. */
export const reported = (firing: Firing): FiringEnd => {
  const body = told(firing)
  return {
    outcome: "reported",
    report: report(firing, `${firing.title}\n\n${body}`),
    notification: { kind: "task_fired", title: firing.title, body },
    giveBack: null,
    pauses: false
  }
}

const excerpt = (answer: string): string =>
  answer.length <= excerptLength ? answer : `${answer.slice(0, excerptLength).toWellFormed()}...`

/** The analyst has answered, with `answer`; null where that is not there any more. */
export const answered = (firing: Firing, answer: string | null): FiringEnd => ({
  outcome: "answered",
  report: null,
  notification: {
    kind: "task_fired",
    title: firing.title,
    body: lines(told(firing), answer === null ? say({ key: "task_answered" }, firing.lang) : excerpt(answer))
  },
  giveBack: null,
  pauses: false
})

/** The analyst could not answer. */
export const failed = (firing: Firing): FiringEnd => {
  const body = told(firing, { key: "task_not_answered" })
  return {
    outcome: "failed",
    report: report(firing, `${firing.title}\n\n${body}`),
    notification: { kind: "task_failed", title: firing.title, body },
    giveBack: null,
    pauses: false
  }
}

/** Why an answer was refused, as far as it may be had later. */
export type Refused =
  | { readonly reason: "credits" | "answers"; readonly renewsAt: number }
  | { readonly reason: "no_analyst" }

const whyRefused = (refused: Refused, until: string): Message => {
  switch (refused.reason) {
    case "credits":
      return { key: "task_no_credits", params: { until } }
    case "answers":
      return { key: "task_no_answers", params: { until } }
    case "no_analyst":
      return { key: "task_no_analyst" }
  }
}

/** It counts as no run, and comes again from `notBefore` on; whoever was told of it before is not told again. */
export const refusedUntil = (firing: Firing, refused: Refused, notBefore: number, isTold: boolean): FiringEnd => ({
  outcome: "refused",
  report: null,
  notification: isTold ? null : {
    kind: "task_refused",
    title: firing.title,
    body: told(firing, whyRefused(refused, timeText(instant(notBefore))))
  },
  giveBack: { notBefore },
  pauses: false
})

/** The key speaks for nobody any more, or not for this. */
export const keyGone = (firing: Firing, now: number): FiringEnd => ({
  outcome: "key_gone",
  report: null,
  notification: { kind: "task_paused", title: firing.title, body: told(firing, { key: "task_key_gone" }) },
  giveBack: { notBefore: now },
  pauses: true
})
