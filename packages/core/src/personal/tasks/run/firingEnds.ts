import type { NewChatMessage } from "../../../agent/conversation.ts"
import type { Firing } from "../firing.ts"
import type { NotificationFacts, NotificationKind } from "../notification.ts"
import type { FiringEnd } from "../TaskStore.ts"
import type { FiringPermission } from "./firingPrincipal.ts"
import { formatNotification } from "./notificationText.ts"

const maxExcerptLength = 400

const makeReport = ({ lang }: Firing, content: string): NewChatMessage => ({
  role: "task",
  content,
  lang,
  images: [],
  charts: [],
  tools: [],
  suggestions: [],
  outcome: null
})

const makeNotification = (
  kind: NotificationKind,
  { lang, lateByMs, missed, observed, title }: Firing,
  extraFacts: Pick<NotificationFacts, "answer" | "refused" | "paused"> = {}
): NonNullable<FiringEnd["notification"]> => {
  const facts = { observed, lateByMs, missed, ...extraFacts }
  return { kind, title, body: formatNotification(kind, facts, lang), facts }
}

/** Returns the end of a firing that reports the observed values in the conversation. */
export const endAsReported = (firing: Firing): FiringEnd => {
  const notification = makeNotification("task_fired", firing)
  return {
    outcome: "reported",
    report: makeReport(firing, `${firing.title}\n\n${notification.body}`),
    notification,
    returnRun: null,
    pauseTask: null
  }
}

const shortenExcerpt = (answer: string): string =>
  answer.length <= maxExcerptLength ? answer : `${answer.slice(0, maxExcerptLength).toWellFormed()}...`

/** Returns the end of an answered firing; `answer` is null if the text of the answer is no longer stored. */
export const endAsAnswered = (firing: Firing, answer: string | null): FiringEnd => ({
  outcome: "answered",
  report: null,
  notification: makeNotification("task_fired", firing, { answer: answer === null ? null : shortenExcerpt(answer) }),
  returnRun: null,
  pauseTask: null
})

export const endAsFailed = (firing: Firing): FiringEnd => {
  const notification = makeNotification("task_failed", firing)
  return {
    outcome: "failed",
    report: makeReport(firing, `${firing.title}\n\n${notification.body}`),
    notification,
    returnRun: null,
    pauseTask: null
  }
}

/** The reason why a firing was refused. */
export type RefusalReason =
  | { readonly reason: "credits" | "answers"; readonly renewsAt: number }
  | { readonly reason: "no_analyst" }

/**
 * Returns the end of a refused firing. A refused firing does not count as a run. The task can fire again from
 * `notBefore` on.
 */
export const endAsRefused = (firing: Firing, refused: RefusalReason, notBefore: number): FiringEnd => ({
  outcome: "refused",
  report: null,
  notification: makeNotification("task_refused", firing, { refused: { reason: refused.reason, until: notBefore } }),
  returnRun: { notBefore },
  pauseTask: null
})

/**
 * Returns the end of a firing whose account is not active, or whose key is revoked or expired or lacks the required
 * scope. When this end is stored, the task is paused.
 */
export const endAsNotPermitted = (
  firing: Firing,
  paused: Exclude<FiringPermission, "granted">,
  key: number | null,
  now: number
): FiringEnd => ({
  outcome: "key_gone",
  report: null,
  notification: makeNotification("task_paused", firing, { paused }),
  returnRun: { notBefore: now },
  pauseTask: { key }
})

/**
 * Returns the end of a firing whose task was paused or deleted. The firing reports nothing and does not count as a run.
 */
export const endAsStopped = (now: number): FiringEnd => ({
  outcome: "failed",
  report: null,
  notification: null,
  returnRun: { notBefore: now },
  pauseTask: null
})
