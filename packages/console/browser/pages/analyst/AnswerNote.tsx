import { isClientError } from "@tapeline/client"
import { CloudOff, Hourglass } from "lucide-react"
import type { ReactNode } from "react"
import { type Trouble, troubleOf } from "../../asking/trouble.ts"
import { useIsAway } from "../../asking/useIsAway.ts"
import { useOnline } from "../../asking/useOnline.ts"
import { Button } from "../../widgets/Button.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { useSecondsTo } from "../../words/useSecondsTo.ts"
import { useWords } from "../../words/words.ts"
import styles from "./AnswerNote.module.css"
import type { Session } from "./Desk.ts"
import { analystWords } from "./words.ts"

interface Ways {
  /** Sends the question again, or continues to read a lost answer. */
  readonly onRetry: () => void
  /** Puts the question back into the composer. */
  readonly onEdit: () => void
  /** Reads the answer that another page of the account requested. */
  readonly onFollow: () => void
  readonly onCancelOther: () => void
}

const tagOf = (error: unknown): string | undefined => isClientError(error) ? error._tag : undefined

const Plain = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={styles["note"]} role="alert">
    <strong>{title}</strong>
    {children}
  </div>
)

/** True if the same question can succeed once the present obstacle is gone. */
const worthRetrying = ({ again, kind }: Trouble, tag: string | undefined): boolean =>
  again || kind === "out of credits" || tag === "DailyQuotaReached" || tag === "AnswerLost"

/** A countdown to the automatic retry. A screen reader announces only its beginning. */
const Rest = ({ until }: { readonly until: number }) => {
  const says = useWords(analystWords)
  const seconds = useSecondsTo(until)
  return (
    <p className={styles["quiet"]} aria-live="off">
      <Hourglass aria-hidden />
      {says.goesOnIn(seconds)}
    </p>
  )
}

const LostNote = ({ session: { error, goesOnAt, isBegun }, ways }: {
  readonly session: Session
  readonly ways: Ways
}) => {
  const says = useWords(analystWords)
  const tag = tagOf(error)
  const trouble = troubleOf(error)
  if (tag === "GenerationRunning") {
    return (
      <Plain title={says.elsewhere}>
        <p>{says.elsewhereMore}</p>
        <div className={styles["ways"]}>
          <Button onPress={ways.onFollow}>{says.elsewhereFollow}</Button>
          <Button onPress={ways.onCancelOther}>{says.elsewhereStop}</Button>
        </div>
      </Plain>
    )
  }
  if (tag === "ConversationWentOn") {
    return (
      <Plain title={says.wentOn}>
        <p>{says.wentOnMore}</p>
        <div className={styles["ways"]}>
          <Button onPress={ways.onFollow}>{says.wentOnRead}</Button>
        </div>
      </Plain>
    )
  }
  if (tag === "AnswerLost") return <Plain title={says.nothingKept}>{says.nothingKeptMore}</Plain>
  const shown = tag === "DailyQuotaReached"
    ? (
      <Plain title={says.quota}>
        <p>{trouble.says}</p>
      </Plain>
    )
    : <TroubleNote trouble={trouble} />
  return (
    <div className={styles["stack"]}>
      {shown}
      {goesOnAt !== undefined && <Rest until={goesOnAt} />}
      <div className={styles["ways"]}>
        {worthRetrying(trouble, tag) && <Button onPress={ways.onRetry}>{isBegun ? says.goOn : says.sendAgain}</Button>}
        {!isBegun && <Button onPress={ways.onEdit}>{says.edit}</Button>}
      </div>
    </div>
  )
}

/** The error of an answer, and the ways to continue. */
export const AnswerNote = ({ session, ways }: { readonly session: Session | undefined; readonly ways: Ways }) => {
  const says = useWords(analystWords)
  const isOnline = useOnline()
  const isAway = useIsAway()
  if (session === undefined) return null
  if (session.state === "lost") return <LostNote session={session} ways={ways} />
  if (session.state === "running") {
    return isOnline && !isAway ? null : (
      <div className={styles["quiet"]} role="status">
        <CloudOff aria-hidden />
        {isOnline ? says.away : says.offline} {session.isBegun ? says.writtenOn : says.notSent}
      </div>
    )
  }
  const { done } = session.live
  if (done?.outcome === "cancelled") return <Plain title={says.cancelledNothing} />
  return (
    <Plain title={says.failedTitle}>
      <p>{done?.error?.message ?? says.nothingKeptMore}</p>
      <div className={styles["ways"]}>
        {done?.error?.code !== "context_exceeded" && <Button onPress={ways.onRetry}>{says.again}</Button>}
      </div>
    </Plain>
  )
}
