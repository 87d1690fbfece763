import type { Message } from "../../../engine/messages/dictionary.ts"
import { formatMessage } from "../../../engine/messages/language.ts"
import type { Language } from "../../../engine/messages/languageCode.ts"
import { formatInstant } from "../../../engine/tool/result.ts"
import type { NotificationFacts, NotificationKind } from "../notification.ts"
import { formatDelay, formatObserved, formatTime } from "./observedValues.ts"

const makeRefusedMessage = ({ reason, until }: NonNullable<NotificationFacts["refused"]>): Message => {
  const params = { until: formatTime(formatInstant(until)) }
  switch (reason) {
    case "credits":
      return { key: "task_no_credits", params }
    case "answers":
      return { key: "task_no_answers", params }
    case "no_analyst":
      return { key: "task_no_analyst" }
  }
}

const pauseMessages = {
  account_suspended: { key: "task_account_suspended" },
  key_gone: { key: "task_key_gone" },
  operator: { key: "task_paused_by_operator" }
} as const satisfies Readonly<Record<NonNullable<NotificationFacts["paused"]>, Message>>

const formatEnd = (
  kind: NotificationKind,
  { answer, paused = "key_gone", reason, refused }: NotificationFacts,
  lang: Language
): string => {
  switch (kind) {
    case "task_fired":
      return answer === undefined ? "" : answer ?? formatMessage({ key: "task_answered" }, lang)
    case "task_failed":
      return formatMessage({ key: "task_not_answered" }, lang)
    case "task_refused":
      return refused === undefined ? "" : formatMessage(makeRefusedMessage(refused), lang)
    case "task_paused":
      return [formatMessage(pauseMessages[paused], lang), reason ?? ""].filter((part) => part !== "").join(" ")
  }
}

/** Returns the text of a notification: the observed value, the delay, and the result of the firing. */
export const formatNotification = (kind: NotificationKind, facts: NotificationFacts, lang: Language): string =>
  [
    formatObserved(facts.observed, lang),
    ...formatDelay(facts.lateByMs, facts.missed, lang),
    formatEnd(kind, facts, lang)
  ].filter((part) => part !== "").join(" ")
