import type { Message } from "../../../engine/messages/dictionary.ts"
import { say } from "../../../engine/messages/language.ts"
import type { Language } from "../../../engine/messages/languageCode.ts"
import { instant } from "../../../engine/tool/result.ts"
import type { NotificationFacts, NotificationKind } from "../notification.ts"
import { latenessText, observedText, timeText } from "./observed.ts"

const refusedMessage = ({ reason, until }: NonNullable<NotificationFacts["refused"]>): Message => {
  const params = { until: timeText(instant(until)) }
  switch (reason) {
    case "credits":
      return { key: "task_no_credits", params }
    case "answers":
      return { key: "task_no_answers", params }
    case "no_analyst":
      return { key: "task_no_analyst" }
  }
}

const endText = (kind: NotificationKind, { answer, refused }: NotificationFacts, lang: Language): string => {
  switch (kind) {
    case "task_fired":
      return answer === undefined ? "" : answer ?? say({ key: "task_answered" }, lang)
    case "task_failed":
      return say({ key: "task_not_answered" }, lang)
    case "task_refused":
      return refused === undefined ? "" : say(refusedMessage(refused), lang)
    case "task_paused":
      return say({ key: "task_key_gone" }, lang)
  }
}

/** Returns the text of a notification: the observed value, the delay, and the result of the firing. */
export const notificationText = (kind: NotificationKind, facts: NotificationFacts, lang: Language): string =>
  [
    observedText(facts.observed, lang),
    ...latenessText(facts.lateByMs, facts.missed, lang),
    endText(kind, facts, lang)
  ].filter((part) => part !== "").join(" ")
