import { isClientError } from "@tapeline/client"
import { CloudOff, Hourglass } from "lucide-react"
import type { ReactNode } from "react"
import { useSecondsUntil } from "../../i18n/clock.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useIsOnline, useIsServiceUnavailable } from "../../requests/connectivity.ts"
import { type Problem, toProblem } from "../../requests/problem.ts"
import { Button } from "../../widgets/Button.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import styles from "./AnswerNote.module.css"
import type { AnswerSession } from "./AnswerStreams.ts"
import { analystTexts } from "./texts.ts"

interface AnswerActions {
  /** Sends the question again, or continues to read an answer after an error. */
  readonly onRetry: () => void
  readonly onEdit: () => void
  /** Loads the conversation again, to show the answer that another page of the account requested. */
  readonly onFollow: () => void
  readonly onCancelOther: () => void
}

const tagOf = (error: unknown) => isClientError(error) ? error._tag : undefined

const Note = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={`column gap-2 ${styles["note"]}`} role="alert">
    <strong>{title}</strong>
    {children}
  </div>
)

/** Returns whether sending the question again can succeed. */
const canRetry = ({ isRetryable, kind }: Problem, tag: ReturnType<typeof tagOf>): boolean =>
  isRetryable || kind === "out of credits" || tag === "DailyQuotaReached" || tag === "AnswerLost"

/** A countdown to the automatic retry of a question, which screen readers announce only once. */
const RetryCountdown = ({ until }: { readonly until: number }) => {
  const texts = useTexts(analystTexts)
  const seconds = useSecondsUntil(until)
  return (
    <p className={`row gap-2 soft ${styles["quiet"]}`} aria-live="off">
      <Hourglass aria-hidden size={16} />
      {texts.retriesIn(seconds)}
    </p>
  )
}

const LostAnswerNote = ({ answer: { error, retryAt, isStarted }, actions }: {
  readonly answer: AnswerSession
  readonly actions: AnswerActions
}) => {
  const texts = useTexts(analystTexts)
  const tag = tagOf(error)
  const problem = toProblem(error)
  if (tag === "GenerationRunning") {
    return (
      <Note title={texts.elsewhere}>
        <p>{texts.elsewhereDetail}</p>
        <div className="row wrap gap-2">
          <Button onPress={actions.onFollow}>{texts.elsewhereFollow}</Button>
          <Button onPress={actions.onCancelOther}>{texts.elsewhereStop}</Button>
        </div>
      </Note>
    )
  }
  if (tag === "ConversationWentOn") {
    return (
      <Note title={texts.continuedElsewhere}>
        <p>{texts.continuedElsewhereDetail}</p>
        <div className="row wrap gap-2">
          <Button onPress={actions.onFollow}>{texts.continuedElsewhereRead}</Button>
        </div>
      </Note>
    )
  }
  if (tag === "AnswerLost") return <Note title={texts.nothingKept}>{texts.nothingKeptDetail}</Note>
  const note = tag === "DailyQuotaReached"
    ? (
      <Note title={texts.quota}>
        <p>{problem.message}</p>
      </Note>
    )
    : <ProblemNote problem={problem} />
  return (
    <div className="column gap-2">
      {note}
      {retryAt !== undefined && <RetryCountdown until={retryAt} />}
      <div className="row wrap gap-2">
        {canRetry(problem, tag) && (
          <Button onPress={actions.onRetry}>{isStarted ? texts.continueAnswer : texts.sendAgain}</Button>
        )}
        {!isStarted && <Button onPress={actions.onEdit}>{texts.edit}</Button>}
      </div>
    </div>
  )
}

export const AnswerNote = (
  { answer, actions }: { readonly answer: AnswerSession | undefined; readonly actions: AnswerActions }
) => {
  const texts = useTexts(analystTexts)
  const isOnline = useIsOnline()
  const isUnavailable = useIsServiceUnavailable()
  if (answer === undefined) return null
  if (answer.state === "lost") return <LostAnswerNote answer={answer} actions={actions} />
  if (answer.state === "running") {
    return isOnline && !isUnavailable ? null : (
      <div className={`row gap-2 soft ${styles["quiet"]}`} role="status">
        <CloudOff aria-hidden size={16} />
        {isOnline ? texts.away : texts.offline} {answer.isStarted ? texts.continuesAutomatically : texts.notSent}
      </div>
    )
  }
  const { done } = answer.live
  if (done?.outcome === "cancelled") return <Note title={texts.cancelledNothing} />
  return (
    <Note title={texts.failedTitle}>
      <p>{done?.error?.message ?? texts.nothingKeptDetail}</p>
      <div className="row wrap gap-2">
        {done?.error?.code !== "context_exceeded" && <Button onPress={actions.onRetry}>{texts.again}</Button>}
      </div>
    </Note>
  )
}
