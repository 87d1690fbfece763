import type { NewChatMessage } from "../../../agent/conversation.ts"
import type { Firing } from "../firing.ts"
import type { NotificationFacts, NotificationKind } from "../notification.ts"
import type { FiringEnd } from "../TaskStore.ts"
import { notificationText } from "./notificationText.ts"

/* The ends of firings: the message in the conversation, and the notification. */

/** Maximum length of the answer's excerpt in a notification. */
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

/** The notification of a firing, with its text in the task's language. */
const ring = (
  kind: NotificationKind,
  { lang, lateByMs, missed, observed, title }: Firing,
  more: Pick<NotificationFacts, "answer" | "refused"> = {}
): NonNullable<FiringEnd["notification"]> => {
  const facts = { observed, lateByMs, missed, ...more }
  return { kind, title, body: notificationText(kind, facts, lang), facts }
}

/** The observed values are reported in the conversation. */
export const reported = (firing: Firing): FiringEnd => {
  const notification = ring("task_fired", firing)
  return {
    outcome: "reported",
    report: report(firing, `${firing.title}\n\n${notification.body}`),
    notification,
    giveBack: null,
    pauses: null
  }
}

const excerpt = (answer: string): string =>
  answer.length <= excerptLength ? answer : `${answer.slice(0, excerptLength).toWellFormed()}...`

/** The analyst answered. `answer` is null if its text is no longer stored. */
export const answered = (firing: Firing, answer: string | null): FiringEnd => ({
  outcome: "answered",
  report: null,
  notification: ring("task_fired", firing, { answer: answer === null ? null : excerpt(answer) }),
  giveBack: null,
  pauses: null
})

/** The analyst could not answer. */
export const failed = (firing: Firing): FiringEnd => {
  const notification = ring("task_failed", firing)
  return {
    outcome: "failed",
    report: report(firing, `${firing.title}\n\n${notification.body}`),
    notification,
    giveBack: null,
    pauses: null
  }
}

/** The reason of a refusal that may be temporary. */
export type Refused =
  | { readonly reason: "credits" | "answers"; readonly renewsAt: number }
  | { readonly reason: "no_analyst" }

/** The run does not count, and the task fires again from `notBefore` on. */
export const refusedUntil = (firing: Firing, refused: Refused, notBefore: number): FiringEnd => ({
  outcome: "refused",
  report: null,
  notification: ring("task_refused", firing, { refused: { reason: refused.reason, until: notBefore } }),
  giveBack: { notBefore },
  pauses: null
})

/** The key of the task, as it was checked, is revoked or expired, or lacks the scope. */
export const keyGone = (firing: Firing, key: number | null, now: number): FiringEnd => ({
  outcome: "key_gone",
  report: null,
  notification: ring("task_paused", firing),
  giveBack: { notBefore: now },
  pauses: { key }
})

/** The owner paused or deleted the task during the firing. The run does not count, and nothing is reported. */
export const stopped = (now: number): FiringEnd => ({
  outcome: "failed",
  report: null,
  notification: null,
  giveBack: { notBefore: now },
  pauses: null
})
